package report

import (
	"math"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/plot"
)

// figure is a scene in the form that the page shows.
type figure struct {
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
func newPlot(s *scene) figure {
	tracks, from, to := s.record()
	p := figure{Title: s.title, Text: s.text, Condition: s.network.line()}
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
	for _, v := range plot.Ticks(lo, hi, 4) {
		c.YTicks = append(c.YTicks, mark{y(v), plot.Number(v)})
	}
	for _, v := range plot.Ticks(from, to, 10) {
		c.XTicks = append(c.XTicks, mark{x(v), plot.Number(v) + " s"})
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
		c.Curves = append(c.Curves, curve{plot.Path(t.at, t.values[kind], x, y), ink})
	}
	return c
}
