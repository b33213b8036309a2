//go:build !js

package record

import (
	"image"
	"image/color"
	"testing"
)

func TestPaletteKeepsSmallBrightThings(t *testing.T) {
	img := scene(640, 360, 0)
	img.SetRGBA(3, 3, color.RGBA{10, 255, 10, 255}) // one pixel of its own
	square(img, 300, 20, color.RGBA{255, 255, 0, 255})
	h := histogram{}
	h.add(img)
	p := newPalette(h)
	if len(p.colors) > maxColors {
		t.Fatalf("%d colours", len(p.colors))
	}
	for _, want := range []color.RGBA{{255, 255, 0, 255}, {230, 60, 20, 255}, {10, 255, 10, 255}} {
		got := p.colors[p.index(want.R, want.G, want.B)]
		if d := distance(got, int(want.R), int(want.G), int(want.B)); d > 9*6*6 {
			t.Errorf("%v is shown as %v", want, got)
		}
	}
	h2 := histogram{}
	h2.add(img)
	if q := newPalette(h2); len(q.colors) != len(p.colors) || q.colors[0] != p.colors[0] || q.colors[100] != p.colors[100] {
		t.Error("the same picture gives two palettes")
	}
}

func TestPaletteOfOneColor(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	h := histogram{}
	h.add(img)
	if p := newPalette(h); len(p.colors) != 1 || p.colors[0] != (rgb{255, 255, 255}) {
		t.Errorf("the palette of white is %v", p.colors)
	}
}
