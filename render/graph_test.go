package render

import (
	"math"
	"testing"
)

func TestGraphRange(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		values []float32
		lo, hi float32
	}{
		{nil, 0, 1},
		{[]float32{0, 0}, 0, 1},
		{[]float32{3}, 0, 5},
		{[]float32{1, 0.5}, 0, 1},
		{[]float32{1.01}, 0, 2},
		{[]float32{0.1}, 0, 0.1},
		{[]float32{2.2}, 0, 2.5},
		{[]float32{7, 40}, 0, 50},
		{[]float32{99, 100}, 0, 100},
		{[]float32{-3, 6}, -5, 10},
		{[]float32{-0.02}, -0.02, 0},
		{[]float32{nan, 4, inf, -inf}, 0, 5},
	} {
		g := NewGraph("", "", 0, 10, Series{})
		for _, v := range test.values {
			g.Push(v)
		}
		if lo, hi := g.Range(); !near(lo, test.lo, 1e-6) || !near(hi, test.hi, 1e-6) {
			t.Errorf("%v: from %g to %g, want %g to %g", test.values, lo, hi, test.lo, test.hi)
		}
		if lo, _ := g.Range(); lo == 0 && math.Signbit(float64(lo)) {
			t.Errorf("%v: the axis begins at -0", test.values)
		}
	}
	g := NewGraph("", "", 0, 10, Series{})
	g.Min, g.Max = 2, 3
	g.Push(100)
	if lo, hi := g.Range(); lo != 2 || hi != 3 {
		t.Errorf("a fixed range became %g to %g", lo, hi)
	}
}

func TestGraphKeepsTheLastValues(t *testing.T) {
	g := NewGraph("", "", 0, 4, Series{}, Series{})
	if v := g.Newest(0); v == v {
		t.Errorf("an empty graph's newest value is %g", v)
	}
	for i := float32(1); i <= 6; i++ {
		if i == 5 {
			g.Push(i) // nothing for the second
		} else {
			g.Push(i, -i)
		}
	}
	for i, want := range []float32{3, 4, 5, 6} {
		if got := g.At(0, i); got != want {
			t.Errorf("value %d is %g, want %g", i, got, want)
		}
	}
	if g.Len() != 4 || g.Newest(1) != -6 {
		t.Errorf("%d values, newest %g; want 4, -6", g.Len(), g.Newest(1))
	}
	if v := g.At(1, 2); v == v {
		t.Errorf("a series that got no value has %g", v)
	}
	g.Clear()
	if g.Len() != 0 {
		t.Error("Clear leaves values")
	}
	g.Push(9, 8)
	if g.Len() != 1 || g.At(0, 0) != 9 {
		t.Error("after Clear the first value is not the pushed one")
	}
}

// A gap in a series is a gap in its curve. Values beyond a fixed range stay at its edge.
func TestGraphCurve(t *testing.T) {
	count := func(values ...float32) int {
		o, _ := newOverlay(1)
		g := NewGraph("", "", 0, 10, Series{})
		g.Min, g.Max = 0, 1
		for _, v := range values {
			g.Push(v)
		}
		before := len(o.Vertices())
		o.curve(Rect{0, 0, 90, 20}, 0, 1, g, 0)
		if e := extent(o, before); len(o.Vertices()) > before && (e.Y < -3 || e.Y+e.H > 23) {
			t.Errorf("%v: the curve covers %v", values, e)
		}
		return (len(o.Vertices()) - before) / 4
	}
	nan := float32(math.NaN())
	for _, test := range []struct {
		values []float32
		want   int
	}{
		{[]float32{0.5}, 0}, {[]float32{0, 1, 0}, 2}, {[]float32{0, nan, 1, 0}, 1}, {[]float32{-9, 9, float32(math.Inf(1))}, 2},
	} {
		if got := count(test.values...); got != test.want {
			t.Errorf("%v: %d segments, want %d", test.values, got, test.want)
		}
	}
}

func TestGraphBarsAreEquallyWide(t *testing.T) {
	o, _ := newOverlay(1)
	g := NewGraph("", "", 0, 40, Series{})
	for i := 0; i < 40; i++ {
		g.Push(1)
	}
	before := len(o.Vertices())
	o.bars(Rect{3, 0, 117, 20}, 0, 1, g)
	v := o.Vertices()[before:]
	if len(v) != 160 {
		t.Fatalf("%d vertices, want 40 bars", len(v))
	}
	for i := 0; i < len(v); i += 4 {
		if w := v[i+1].X - v[i].X; w != v[1].X-v[0].X || w < 1 {
			t.Errorf("bar %d is %g wide, the first %g", i/4, w, v[1].X-v[0].X)
		}
	}
}

// A title that the legend leaves no room for is not drawn over it.
func TestGraphTitleGivesWayToTheLegend(t *testing.T) {
	letters := func(width float32) int {
		o, _ := newOverlay(1)
		g := NewGraph("speed", "", 0, 4, Series{Name: "one"}, Series{Name: "another"})
		o.Graph(Rect{0, 0, width, 60}, g)
		with := len(o.Vertices())
		g.Title = ""
		o, _ = newOverlay(1)
		o.Graph(Rect{0, 0, width, 60}, g)
		return (with - len(o.Vertices())) / 4
	}
	o, _ := newOverlay(1)
	room := 2*7 + o.Width(TextSmall, "speed") + o.Width(TextSmall, "one") + o.Width(TextSmall, "another") + 2*17
	if got := letters(room + 1); got != len("speed") {
		t.Errorf("%d letters of the title where it has room, want %d", got, len("speed"))
	}
	if got := letters(room - 1); got != 0 {
		t.Errorf("%d letters of the title over the legend", got)
	}
}
