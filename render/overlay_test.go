package render

import (
	"math"
	"strings"
	"testing"
	"time"
)

// newOverlay returns an overlay that is ready to be written on, and its theme.
func newOverlay(scale float32) (*Overlay, Theme) {
	f := NewFrame(Dusk())
	f.Begin(Size{Width: 640, Height: 360, Scale: scale})
	return &f.Overlay, f.Theme
}

// extent returns the rectangle around all vertices from number from on, in points.
func extent(o *Overlay, from int) Rect {
	lo, hi := [2]float32{1e9, 1e9}, [2]float32{-1e9, -1e9}
	for _, v := range o.Vertices()[from:] {
		lo[0], lo[1] = min(lo[0], v.X), min(lo[1], v.Y)
		hi[0], hi[1] = max(hi[0], v.X), max(hi[1], v.Y)
	}
	return Rect{lo[0] / o.scale, lo[1] / o.scale, (hi[0] - lo[0]) / o.scale, (hi[1] - lo[1]) / o.scale}
}

func TestTextExtent(t *testing.T) {
	for _, scale := range []float32{1, 1.25, 2} {
		o, theme := newOverlay(scale)
		for style := TextStyle(0); style < textStyles; style++ {
			from := len(o.Vertices())
			w := o.Text(20, 30, style, theme.Text, "Hxjg")
			if got := o.Width(style, "Hxjg"); got != w {
				t.Errorf("style %d: Text returns %g, Width %g", style, w, got)
			}
			e := extent(o, from)
			if e.X < 18 || e.X+e.W > 20+w+2 || e.Y < 29 || e.Y+e.H > 30+o.LineHeight(style)+1 {
				t.Errorf("style %d at scale %g: text in %v leaves its line of %g by %g at 20, 30", style, scale, e, w, o.LineHeight(style))
			}
		}
		// Twice the pixels, the same points, to the rounding of advances to whole pixels.
		if w := o.Width(TextBody, strings.Repeat("n", 100)); w < 650 || w > 850 {
			t.Errorf("at scale %g a hundred characters are %g points wide", scale, w)
		}
	}
}

func TestMonospacedTextIsMonospaced(t *testing.T) {
	o, _ := newOverlay(1)
	want := o.Width(TextMono, "0")
	for _, r := range " iW.-9µ→─" {
		if r == '─' {
			// a box character is not in the atlas: it is shown as a question mark of the same width
			continue
		}
		if got := o.Width(TextMono, string(r)); got != want {
			t.Errorf("%q is %g wide, want %g", r, got, want)
		}
	}
}

func TestUnknownCharactersShowAsQuestionMarks(t *testing.T) {
	o, theme := newOverlay(1)
	o.Text(0, 0, TextBody, theme.Text, "?")
	want := append([]OverlayVertex(nil), o.Vertices()...)
	for _, s := range []string{"漢", "\x00", "\xff", "\U0010ffff"} {
		from := len(o.Vertices())
		o.Text(0, 0, TextBody, theme.Text, s)
		got := o.Vertices()[from:]
		if len(got) != 4 || got[0] != want[0] || got[2] != want[2] {
			t.Errorf("%q is not drawn as a question mark", s)
		}
	}
}

func TestEveryCharacterOfTheKeyNamesIsThere(t *testing.T) {
	o, _ := newOverlay(1)
	for _, name := range keyNames {
		for _, r := range name {
			for _, style := range []TextStyle{TextSmall, TextBody, TextHeading} {
				if g := o.atlas.faces[style].find(r); r != '?' && g == o.atlas.faces[style].find('?') {
					t.Errorf("%q of the key %q is missing in style %d", r, name, style)
				}
			}
		}
	}
}

func TestAlignedText(t *testing.T) {
	o, theme := newOverlay(1)
	w := o.Width(TextBody, "middle")
	for align, x := range map[Align]float32{AlignLeft: 100, AlignCenter: 100 - w/2, AlignRight: 100 - w} {
		from := len(o.Vertices())
		o.TextAligned(100, 10, align, TextBody, theme.Text, "middle")
		if e := extent(o, from); !near(e.X, x, 2) {
			t.Errorf("alignment %d begins at %g, want about %g", align, e.X, x)
		}
	}
}

func TestWriter(t *testing.T) {
	o, theme := newOverlay(1)
	text := func(write func()) []OverlayVertex {
		from := len(o.Vertices())
		write()
		return append([]OverlayVertex(nil), o.Vertices()[from:]...)
	}
	got := text(func() {
		o.At(10, 10, TextMono, theme.Text).Str("a ").Int(-42).Str(" ").Uint(7).Str(" ").Float(1.25, 1).Str(" ").Millis(1500*time.Microsecond, 2)
	})
	want := text(func() { o.Text(10, 10, TextMono, theme.Text, "a -42 7 1.2 1.50") })
	if len(got) != len(want) {
		t.Fatalf("the writer draws %d vertices, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("vertex %d is %v, want %v", i, got[i], want[i])
		}
	}
	w := o.At(10, 10, TextBody, theme.Text).Str("first\nsecond")
	if x, y := w.Pos(); x != 10+o.Width(TextBody, "second") || y != 10+o.LineHeight(TextBody) {
		t.Errorf("after a line feed the pen is at %g, %g", x, y)
	}
	if x, _ := w.Tab(200).Pos(); x != 210 {
		t.Errorf("after Tab(200) the pen is at %g, want 210", x)
	}
	for _, v := range []float64{1, 12, 123.456, -5} {
		if x, _ := o.At(50, 0, TextBody, theme.Text).FloatRight(v, 1, 60).Pos(); x != 110 {
			t.Errorf("%g in a field of 60 points ends at %g, want 110", v, x)
		}
	}
}

func TestShapesStayInTheirRectangles(t *testing.T) {
	r := Rect{20, 30, 100, 40}
	for name, draw := range map[string]func(o *Overlay, t Theme){
		"Rect":      func(o *Overlay, t Theme) { o.Rect(r, t.Text) },
		"RoundRect": func(o *Overlay, t Theme) { o.RoundRect(r, t.Text) },
		"Panel":     func(o *Overlay, t Theme) { o.Panel(r) },
		"Border":    func(o *Overlay, t Theme) { o.Border(r, t.Text) },
		"Meter":     func(o *Overlay, t Theme) { o.Meter(r, 1.5, t.Text) },
		"Graph": func(o *Overlay, t Theme) {
			g := NewGraph("t", "u", 1, 50, Series{Color: t.Text})
			for i := 0; i < 80; i++ {
				g.Push(float32(math.Sin(float64(i)) * 1e3))
			}
			g.Push(float32(math.NaN()))
			g.Push(float32(math.Inf(1)))
			o.Graph(r, g)
		},
	} {
		for _, scale := range []float32{1, 2} {
			o, theme := newOverlay(scale)
			draw(o, theme)
			e := extent(o, 0)
			if !near(e.X, 20, 0.01) || !near(e.Y, 30, 0.01) || !near(e.W, 100, 0.01) || !near(e.H, 40, 0.01) {
				t.Errorf("%s at scale %g covers %v, want %v", name, scale, e, r)
			}
		}
	}
}

// Shapes of no or negative size, and NaN, must not draw nonsense far away.
func TestDegenerateShapes(t *testing.T) {
	o, theme := newOverlay(1)
	o.RoundRect(Rect{10, 10, 0, 50}, theme.Text)
	o.RoundRect(Rect{10, 10, 3, 3}, theme.Text)
	o.Line(5, 5, 5, 5, 2, theme.Text)
	o.Meter(Rect{10, 10, 20, 4}, -1, theme.Text)
	g := NewGraph("", "", 0, 0)
	g.Push()
	o.Graph(Rect{10, 10, 12, 12}, g)
	o.Graph(Rect{10, 10, 100, 50}, NewGraph("empty", "mm", 1, 10, Series{}))
	if e := extent(o, 0); e.X < 0 || e.Y < 0 || e.X+e.W > 111 || e.Y+e.H > 61 {
		t.Errorf("degenerate shapes cover %v", e)
	}
}

func TestOverlayVertices(t *testing.T) {
	o, theme := newOverlay(1)
	if len(o.Vertices()) != 0 {
		t.Error("a new overlay is not empty")
	}
	o.Label(100, 100, theme.Text, "label")
	o.Key(10, 10, "Esc")
	if n := len(o.Vertices()); n == 0 || n%4 != 0 {
		t.Errorf("%d vertices, want whole quadrilaterals", n)
	}
	f := NewFrame(Dusk())
	f.Begin(Size{Width: 10, Height: 10})
	_, first := f.Overlay.Atlas()
	NewFrame(Dusk()).Overlay.Text(0, 0, TextBody, Color{}, "before Begin: lost, and no harm done")
	f.Begin(Size{Width: 10, Height: 10, Scale: 1})
	if _, v := f.Overlay.Atlas(); v != first {
		t.Error("the atlas was baked again though the scale is the same")
	}
	f.Begin(Size{Width: 10, Height: 10, Scale: 2})
	if _, v := f.Overlay.Atlas(); v == first {
		t.Error("another scale does not announce another atlas")
	}
	var none Overlay
	if img, v := none.Atlas(); img != nil || v != 0 {
		t.Error("an overlay that was never begun has an atlas")
	}
}

// No two glyphs overlap in the atlas.
func TestAtlasDoesNotOverlap(t *testing.T) {
	a := bakeAtlas(1.5)
	owner := make(map[[2]uint16]rune)
	claim := func(g *glyph, r rune) {
		for y := g.a.v; y < g.b.v; y++ {
			for x := g.a.u; x < g.b.u; x++ {
				if other, taken := owner[[2]uint16{x, y}]; taken {
					t.Fatalf("%q and %q share the texel %d,%d", r, other, x, y)
				}
				owner[[2]uint16{x, y}] = r
			}
		}
	}
	for s := range a.faces {
		for r := range a.faces[s].latin {
			if g := &a.faces[s].latin[r]; g.ok {
				claim(g, rune(r))
			}
		}
		for r, g := range a.faces[s].extra {
			claim(g, r)
		}
	}
	if len(owner) < 20000 {
		t.Errorf("only %d texels belong to glyphs", len(owner))
	}
}

func TestOverlayAllocatesNothing(t *testing.T) {
	f := NewFrame(Dusk())
	g := NewGraph("graph", "mm", 1, 200, Series{Name: "a"}, Series{Name: "b"})
	frame := 0
	draw := func() {
		frame++
		f.Begin(Size{Width: 640, Height: 360, Scale: 1})
		g.Push(float32(frame%7), float32(frame%3))
		o := &f.Overlay
		o.Graph(Rect{0, 0, 300, 100}, g)
		o.At(0, 0, TextMono, f.Theme.Text).Str("→ ").Int(int64(frame)).Float(1.5, 2).Millis(time.Second, 1).FloatRight(2, 1, 50)
	}
	for i := 0; i < 250; i++ {
		draw()
	}
	if n := testing.AllocsPerRun(100, draw); n != 0 {
		t.Errorf("a frame's overlay makes %v allocations", n)
	}
}
