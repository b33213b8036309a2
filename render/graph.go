package render

import "math"

// Graph is a strip chart of the last values of one or more series. It is plain data, and
// [Overlay.Graph] draws it. The demo draws its graphs with it.
type Graph struct {
	Title  string
	Unit   string // written after the newest value
	Digits int    // decimals of the numbers

	// Min and Max fix the range of the vertical axis. If both are zero, the range fits the values,
	// includes zero, and ends at round numbers.
	Min, Max float32

	// Bars draws the first series as one bar per value instead of a line, for counts.
	Bars bool

	series []series
	size   int // values per series
	next   int // index of the next values
	count  int // number of values, up to size
}

// Series names one line of a graph.
type Series struct {
	Name  string // shown in the legend of a graph of several series
	Color Color
}

type series struct {
	Series
	values []float32
}

// NewGraph returns a graph that keeps the last size values of each series. A size below two counts
// as two.
func NewGraph(title, unit string, digits, size int, lines ...Series) *Graph {
	g := &Graph{Title: title, Unit: unit, Digits: digits, size: max(size, 2)}
	for _, s := range lines {
		g.series = append(g.series, series{s, make([]float32, g.size)})
	}
	return g
}

// Push appends one value to each series, in the order of NewGraph, and drops the oldest. A series
// without a value gets a gap, and so does a value that is NaN.
func (g *Graph) Push(values ...float32) {
	for i := range g.series {
		v := float32(math.NaN())
		if i < len(values) {
			v = values[i]
		}
		g.series[i].values[g.next] = v
	}
	g.next = (g.next + 1) % g.size
	g.count = min(g.count+1, g.size)
}

// Clear removes all values.
func (g *Graph) Clear() { g.next, g.count = 0, 0 }

// Len returns the number of values of each series.
func (g *Graph) Len() int { return g.count }

// At returns the i-th value of a series, counted from the oldest.
func (g *Graph) At(series, i int) float32 {
	return g.series[series].values[(g.next-g.count+i+g.size)%g.size]
}

// Newest returns the newest value of a series, NaN if there is none.
func (g *Graph) Newest(series int) float32 {
	if g.count == 0 {
		return float32(math.NaN())
	}
	return g.At(series, g.count-1)
}

// Range returns the ends of the vertical axis.
func (g *Graph) Range() (lo, hi float32) {
	if g.Min != 0 || g.Max != 0 {
		return g.Min, g.Max
	}
	for s := range g.series {
		for i := 0; i < g.count; i++ {
			// Comparisons with NaN are false.
			if v := g.At(s, i); v < lo && !math.IsInf(float64(v), 0) {
				lo = v
			} else if v > hi && !math.IsInf(float64(v), 0) {
				hi = v
			}
		}
	}
	if lo == 0 && hi == 0 {
		return 0, 1
	}
	if lo < 0 {
		lo = -roundUp(-lo)
	}
	return lo, roundUp(hi)
}

// roundUp returns the smallest of 1, 2, 2.5, 5, 10 times a power of ten that is not below v, and
// zero for v <= 0.
func roundUp(v float32) float32 {
	if v <= 0 {
		return 0
	}
	p := math.Pow(10, math.Floor(math.Log10(float64(v))))
	for _, f := range [...]float64{1, 2, 2.5, 5, 10} {
		// The tolerance keeps 0.1 from becoming 0.2 because it is not exact in binary.
		if f*p >= float64(v)*(1-1e-6) {
			return float32(f * p)
		}
	}
	return float32(10 * p)
}

// Graph draws g on a panel, with the newest value or the legend at the upper right, the title at
// the upper left if there is room for it, and the ends of the axis at the left.
func (o *Overlay) Graph(r Rect, g *Graph) {
	t := o.theme
	o.Panel(r)
	small := o.LineHeight(TextSmall)
	if r.X+7+o.Width(TextSmall, g.Title) <= o.legend(r, g) {
		o.Text(r.X+7, r.Y+4, TextSmall, t.TextDim, g.Title)
	}

	lo, hi := g.Range()
	labels := max(o.numberWidth(TextSmall, float64(lo), g.Digits), o.numberWidth(TextSmall, float64(hi), g.Digits))
	plot := Rect{r.X + 7 + labels + 5, r.Y + small + 11, 0, 0}
	plot.W = r.X + r.W - 7 - plot.X
	plot.H = r.Y + r.H - 7 - plot.Y
	if plot.W < 8 || plot.H < 8 {
		return
	}
	o.axis(plot, lo, hi, g)
	for s := range g.series {
		if g.Bars && s == 0 {
			o.bars(plot, lo, hi, g)
		} else {
			o.curve(plot, lo, hi, g, s)
		}
	}
}

// legend returns where it begins.
func (o *Overlay) legend(r Rect, g *Graph) float32 {
	t := o.theme
	x := r.X + r.W - 7
	if len(g.series) == 1 {
		x -= o.Width(TextSmall, g.Unit)
		o.Text(x, r.Y+4, TextSmall, t.TextDim, g.Unit)
		if v := g.Newest(0); v == v {
			if g.Unit != "" {
				x -= 4
			}
			x -= o.numberWidth(TextSmall, float64(v), g.Digits)
			o.At(x, r.Y+4, TextSmall, t.Text).Float(float64(v), g.Digits)
		}
		return x
	}
	for i := len(g.series) - 1; i >= 0; i-- {
		s := &g.series[i]
		x -= o.Width(TextSmall, s.Name)
		o.Text(x, r.Y+4, TextSmall, t.Text, s.Name)
		x -= 9
		o.Dot(x+3, r.Y+4+o.LineHeight(TextSmall)/2, 3, s.Color)
		x -= 8
	}
	return x
}

// axis draws three horizontal lines and the numbers at the ends.
func (o *Overlay) axis(plot Rect, lo, hi float32, g *Graph) {
	t := o.theme
	half := o.LineHeight(TextSmall) / 2
	for i := 0; i <= 2; i++ {
		y := plot.Y + plot.H*float32(i)/2
		o.Rect(Rect{plot.X, y, plot.W, 1 / o.scale}, t.PanelLine)
	}
	for i, v := range [2]float32{hi, lo} {
		y := plot.Y + plot.H*float32(i) - half
		o.At(plot.X-5-o.numberWidth(TextSmall, float64(v), g.Digits), y, TextSmall, t.TextDim).Float(float64(v), g.Digits)
	}
}

func (o *Overlay) curve(plot Rect, lo, hi float32, g *Graph, s int) {
	step := plot.W / float32(g.size-1)
	x := plot.X + plot.W - step*float32(g.count-1)
	var px, py float32
	drawing := false
	for i := 0; i < g.count; i++ {
		v := g.At(s, i)
		y := plot.Y + plot.H*(1-unit(v, lo, hi))
		if v != v {
			drawing = false
		} else {
			if drawing {
				o.Line(px, py, x, y, 1.5, g.series[s].Color)
			}
			px, py = x, y
			drawing = true
		}
		x += step
	}
}

func (o *Overlay) bars(plot Rect, lo, hi float32, g *Graph) {
	step := plot.W / float32(g.size)
	if pixels := step * o.scale; pixels >= 2 {
		// whole pixels, so that all bars are equally wide
		step = float32(int(pixels)) / o.scale
	}
	base := plot.Y + plot.H*(1-unit(0, lo, hi))
	x := plot.X + plot.W - step*float32(g.count)
	for i := 0; i < g.count; i++ {
		if v := g.At(0, i); v == v {
			y := plot.Y + plot.H*(1-unit(v, lo, hi))
			o.Rect(Rect{x, min(y, base), max(step-1/o.scale, 1/o.scale), max(y, base) - min(y, base)}, g.series[0].Color)
		}
		x += step
	}
}

// unit returns the place of v between lo and hi, as 0..1. Values outside stay at the edge.
func unit(v, lo, hi float32) float32 {
	if hi <= lo {
		return 0
	}
	return min(max((v-lo)/(hi-lo), 0), 1)
}
