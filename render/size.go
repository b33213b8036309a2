package render

// Size is the size of a drawing surface.
type Size struct {
	Width, Height int // of the framebuffer, in pixels; zero while a window is minimised

	// Scale is the number of pixels to a point, the unit of the overlay: 1 on an ordinary display,
	// 2 on a typical high-density one. Zero means 1.
	Scale float32
}

// Points returns the width and height in points.
func (s Size) Points() (w, h float32) {
	k := s.pixelsPerPoint()
	return float32(s.Width) / k, float32(s.Height) / k
}

// Empty reports whether the surface has no pixels.
func (s Size) Empty() bool { return s.Width <= 0 || s.Height <= 0 }

func (s Size) pixelsPerPoint() float32 {
	if s.Scale > 0 {
		return s.Scale
	}
	return 1
}

// Rect is an axis-aligned rectangle. X and Y are its left and top edge, and y grows downwards.
type Rect struct{ X, Y, W, H float32 }

// Whole returns the rectangle of a whole surface in fractions of it.
func Whole() Rect { return Rect{0, 0, 1, 1} }

// Column returns the i-th of n equal columns of r, counted from the left, with gap left free
// between neighbours.
func (r Rect) Column(i, n int, gap float32) Rect {
	w := (r.W - gap*float32(n-1)) / float32(n)
	return Rect{r.X + float32(i)*(w+gap), r.Y, w, r.H}
}

// Row returns the i-th of n equal rows of r, counted from the top, with gap left free between
// neighbours.
func (r Rect) Row(i, n int, gap float32) Rect {
	h := (r.H - gap*float32(n-1)) / float32(n)
	return Rect{r.X, r.Y + float32(i)*(h+gap), r.W, h}
}

// Inset returns r with d taken off every side.
func (r Rect) Inset(d float32) Rect { return Rect{r.X + d, r.Y + d, r.W - 2*d, r.H - 2*d} }

// Contains reports whether the point lies in r. The right and bottom edges do not belong to r.
func (r Rect) Contains(x, y float32) bool {
	return x >= r.X && y >= r.Y && x < r.X+r.W && y < r.Y+r.H
}

// In converts r from fractions of outer to the units of outer.
func (r Rect) In(outer Rect) Rect {
	return Rect{outer.X + r.X*outer.W, outer.Y + r.Y*outer.H, r.W * outer.W, r.H * outer.H}
}
