package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// plot is a scene in the form that the page shows.
type plot struct {
	Title, Text, Condition string
	Legend                 []key
	Charts                 []chart
}

// key is an entry of a plot's legend.
type key struct {
	Name string
	Ink  int // number of the colour; 0 is the truth's
}

// chart is one diagram. All of its numbers are in the picture's units, from the top left.
type chart struct {
	Name                     string
	Left, Right, Top, Bottom float64
	Width, Height            float64
	XTicks, YTicks           []mark
	Curves                   []curve
	Last                     bool // carries the labels of the time axis
}

// mark is a tick of an axis.
type mark struct {
	At   float64
	Text string
}

type curve struct {
	Path string
	Ink  int
}

const (
	chartWidth  = 1000
	chartHeight = 164
	chartLeft   = 58
	chartRight  = chartWidth - 24
	chartTop    = 26
	timeAxis    = 22 // height of the labels below the last chart
)

// newPlot runs a scene and draws it.
func newPlot(s *scene) plot {
	tracks, from, to := s.record()
	p := plot{Title: s.title, Text: s.text, Condition: s.network.line()}
	for i, t := range tracks[:len(tracks)-1] {
		p.Legend = append(p.Legend, key{t.name, i + 1})
	}
	for i, kind := range s.charts {
		if kind == positionChart || kind == speedChart {
			if p.Legend[len(p.Legend)-1].Ink != 0 {
				p.Legend = append(p.Legend, key{"truth, now", 0})
			}
		}
		p.Charts = append(p.Charts, newChart(kind, tracks, from.Seconds(), to.Seconds(), i == len(s.charts)-1))
	}
	return p
}

func newChart(kind chartKind, tracks []track, from, to float64, last bool) chart {
	c := chart{
		Name: chartNames[kind].name + ", " + chartNames[kind].unit,
		Left: chartLeft, Right: chartRight, Top: chartTop, Bottom: chartHeight - 6, Width: chartWidth, Height: chartHeight, Last: last,
	}
	if last {
		c.Height += timeAxis
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, t := range tracks {
		for _, v := range t.values[kind] {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if kind != positionChart {
		lo = 0
	}
	if kind == errorChart {
		hi = max(hi, 0.05)
	}
	if hi-lo < 1e-6 {
		hi = lo + 1
	}
	hi += 0.04 * (hi - lo)
	y := func(v float64) float64 { return c.Bottom - (v-lo)/(hi-lo)*(c.Bottom-c.Top) }
	x := func(t float64) float64 { return c.Left + (t-from)/(to-from)*(c.Right-c.Left) }
	for _, v := range ticks(lo, hi, 4) {
		c.YTicks = append(c.YTicks, mark{y(v), number(v)})
	}
	for _, v := range ticks(from, to, 10) {
		c.XTicks = append(c.XTicks, mark{x(v), number(v) + " s"})
	}
	// The truth is drawn first, below the others. The first lane is drawn last, above them.
	for i := len(tracks) - 1; i >= 0; i-- {
		t := &tracks[i]
		if len(t.values[kind]) == 0 {
			continue
		}
		ink := i + 1
		if i == len(tracks)-1 {
			ink = 0
		}
		c.Curves = append(c.Curves, curve{path(t.at, t.values[kind], x, y), ink})
	}
	return c
}

// path returns an SVG path through the points. It leaves out points on a straight line between
// their neighbours.
func path(at, values []float64, x, y func(float64) float64) string {
	var b strings.Builder
	px := func(i int) float64 { return math.Round(10*x(at[i])) / 10 }
	py := func(i int) float64 { return math.Round(10*y(values[i])) / 10 }
	command := byte('M')
	lastKept := 0
	for i := range at {
		if i > 0 && i < len(at)-1 {
			// This is the position of the point on the line from the last kept point to the next
			// one.
			f := (px(i) - px(lastKept)) / (px(i+1) - px(lastKept))
			if math.Abs(py(lastKept)+f*(py(i+1)-py(lastKept))-py(i)) < 0.06 && i-lastKept < 40 {
				continue
			}
		}
		b.WriteByte(command)
		b.WriteString(strconv.FormatFloat(px(i), 'f', -1, 64))
		b.WriteByte(' ')
		b.WriteString(strconv.FormatFloat(py(i), 'f', -1, 64))
		command = 'L'
		lastKept = i
	}
	return b.String()
}

// ticks returns round values between lo and hi, about n of them.
func ticks(lo, hi float64, n int) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, k := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(k*step) <= float64(n) {
			step *= k
			break
		}
	}
	var all []float64
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		all = append(all, i*step)
	}
	return all
}

// number formats the label of a tick.
func number(v float64) string {
	if math.Abs(v) < 1e-9 {
		return "0"
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", v), "0"), ".")
}

func TestTicksAreRound(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		n      int
		want   string
	}{
		{0, 1, 4, "0 0.5 1"}, {0, 0.26, 4, "0 0.1 0.2"}, {10, 12.5, 10, "10 10.5 11 11.5 12 12.5"}, {-3, 21, 4, "0 10 20"}, {0, 60, 4, "0 20 40 60"},
	} {
		var got []string
		for _, v := range ticks(tt.lo, tt.hi, tt.n) {
			got = append(got, number(v))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("ticks of %v to %v: %s, want %s", tt.lo, tt.hi, s, tt.want)
		}
	}
}

// A path leaves out points on a straight line, and no others.
func TestPathKeepsCorners(t *testing.T) {
	identity := func(v float64) float64 { return v }
	got := path([]float64{0, 10, 20, 30, 40}, []float64{0, 10, 20, 10, 0}, identity, identity)
	if got != "M0 0L20 20L40 0" {
		t.Errorf("path %q", got)
	}
}
