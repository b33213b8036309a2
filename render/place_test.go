package render

import (
	"testing"

	"pgregory.net/rapid"
)

// No two placed rectangles overlap each other or a panel, and none leaves its bounds. One whose
// place is free stays, and one is left out only if its column has no free place.
func TestPlace(t *testing.T) {
	moved, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := NewFrame(Daylight())
		f.Begin(Size{Width: 640, Height: 360})
		o := &f.Overlay
		side := rapid.Float32Range(8, 150)
		rect := func(name string) Rect {
			return Rect{rapid.Float32Range(-50, 680).Draw(t, name), rapid.Float32Range(-50, 400).Draw(t, name), side.Draw(t, name), side.Draw(t, name)}
		}
		var panels []Rect
		for range rapid.IntRange(0, 4).Draw(t, "panels") {
			panels = append(panels, rect("panel"))
			o.Panel(panels[len(panels)-1])
		}
		bounds := Rect{4, 4, 632, 352}
		if rapid.Bool().Draw(t, "half") {
			bounds.W = 312
		}
		overlap := func(a, b Rect) bool {
			return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
		}
		meets := func(r Rect) bool {
			for _, p := range panels {
				if overlap(r, p) {
					return true
				}
			}
			return false
		}
		for range rapid.IntRange(1, 12).Draw(t, "labels") {
			want := rect("label")
			got, ok := o.Place(want, bounds)
			// Compare with places in a raster, with some room around them.
			column := Rect{min(max(want.X, bounds.X), bounds.X+bounds.W-want.W), 0, want.W, want.H + 4}
			nearest := float32(-1)
			for y := bounds.Y; y+want.H <= bounds.Y+bounds.H; y += 4 {
				column.Y = y - 2
				if away := distance(y, want.Y); !meets(column) && (nearest < 0 || away < nearest) {
					nearest = away
				}
			}
			if !ok {
				if refused++; nearest >= 0 {
					t.Fatalf("%v is refused, and there is room %v away", want, nearest)
				}
				continue
			}
			if got.W != want.W || got.H != want.H || got.X < bounds.X || got.Y < bounds.Y || got.X+got.W > bounds.X+bounds.W+0.01 || got.Y+got.H > bounds.Y+bounds.H+0.01 {
				t.Fatalf("%v is placed at %v, beside %v", want, got, bounds)
			}
			if meets(got) {
				t.Fatalf("%v is placed at %v, over another", want, got)
			}
			if got.Y != want.Y {
				moved++
			}
			if away := distance(got.Y, want.Y); nearest >= 0 && away > nearest+0.01 {
				t.Fatalf("%v is moved by %v, and %v would do", want, away, nearest)
			}
			panels = append(panels, got)
		}
	})
	if !testing.Short() && (moved < 100 || refused == 0) {
		t.Errorf("%d labels were moved and %d refused: the test shows too little", moved, refused)
	}
}
