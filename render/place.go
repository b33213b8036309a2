package render

// Place returns a free place for something as large as r, and takes it: r itself if that is within
// bounds and overlaps no panel of this picture so far, else the nearest place above or below. A
// place that is beside bounds is moved into them first. It returns false if the column has no free
// place. The demo's labels use it, so that none covers another.
func (o *Overlay) Place(r, bounds Rect) (Rect, bool) {
	if r.W > bounds.W || r.H > bounds.H {
		return Rect{}, false
	}
	wanted := r.Y
	r.X = min(max(r.X, bounds.X), bounds.X+bounds.W-r.W)
	r.Y = min(max(r.Y, bounds.Y), bounds.Y+bounds.H-r.H)
	best, found := r, o.free(r)
	if !found {
		const gap = 1 // more than any rounding error
		for _, t := range o.taken {
			for _, y := range [...]float32{t.Y - r.H - gap, t.Y + t.H + gap} {
				at := Rect{r.X, y, r.W, r.H}
				nearer := !found || distance(y, wanted) < distance(best.Y, wanted)
				if nearer && y >= bounds.Y && y+r.H <= bounds.Y+bounds.H && o.free(at) {
					best, found = at, true
				}
			}
		}
	}
	if found {
		o.taken = append(o.taken, best)
	}
	return best, found
}

// free reports whether a rectangle overlaps nothing that is taken.
func (o *Overlay) free(r Rect) bool {
	for _, t := range o.taken {
		if r.X < t.X+t.W && t.X < r.X+r.W && r.Y < t.Y+t.H && t.Y < r.Y+r.H {
			return false
		}
	}
	return true
}

func distance(a, b float32) float32 { return max(a-b, b-a) }
