package bench

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

// The chart lies on a card of its own, so it is readable on light and on dark pages.
const (
	chartWidth = 880
	plotLeft   = 236
	plotWidth  = 560
	barHeight  = 15
	barStep    = 19

	ink, faint, grid, card, border = "#1f2733", "#5b6675", "#dfe4ea", "#fcfcfd", "#d5dae1"
)

// series are the bars and their figures: the beginning of a name in the results, with the
// percentage in place of %s. The first three are measured at all percentages.
var series = []struct{ figure, label, color string }{
	{"arche.slerp.%s", "arche + mgl32.QuatSlerp", "#b3541e"},
	{"seed.chase.%s", "the devlog's chase, C++", "#e69f00"},
	{"tandem.frame.%s", "Tandem", "#0072b2"},
	{"tandem.frame.%s.2threads", "Tandem, two threads", "#56b4e9"},
	{"cpp.blend", "the same blend by hand, C++", "#5f5a8c"},
	{"floor", "memory floor", "#8b93a1"},
}

// drawing is an SVG that grows downwards.
type drawing struct {
	strings.Builder
	y float64
}

func (d *drawing) text(x, y float64, size int, color, extra, text string) {
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" font-size="%d" fill="%s"%s>%s</text>`+"\n", x, y, size, color, extra, text)
}

func (d *drawing) bar(x, width float64, color string) {
	fmt.Fprintf(d, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" rx="2" fill="%s"/>`+"\n", x, d.y, math.Max(width, 1.5), barHeight, color)
}

// endBar writes the value of a bar behind its end, and moves on to the next bar. The text lies on
// the card's colour, so no line of the axis runs through it.
func (d *drawing) endBar(x float64, v float64, weight string) {
	label := short(v)
	fmt.Fprintf(d, `<rect x="%.1f" y="%.1f" width="%d" height="%d" fill="%s"/>`+"\n", x+2, d.y, 8*len(label), barHeight, card)
	d.text(x+6, d.y+12, 12, ink, weight, label)
	d.y += barStep
}

func (d *drawing) title(title, unit string) {
	d.text(24, d.y+16, 16, ink, ` font-weight="600"`, title)
	d.text(24, d.y+35, 12, faint, "", unit)
	d.y += 48
}

// scale is an axis.
type scale struct {
	at    func(v float64) float64
	ticks []float64
}

func logScale(least, most float64) scale {
	low, high := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	s := scale{at: func(v float64) float64 { return plotLeft + plotWidth*(math.Log10(v)-low)/(high-low) }}
	for e := low; e <= high; e++ {
		s.ticks = append(s.ticks, math.Pow(10, e))
	}
	return s
}

func linearScale(most float64) scale {
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for most/step < 4 {
		step /= 2
	}
	s := scale{at: func(v float64) float64 { return plotLeft + plotWidth*v/(step*math.Ceil(most/step)) }}
	for v := 0.0; v < most+step; v += step {
		s.ticks = append(s.ticks, v)
	}
	return s
}

// axis draws the lines and numbers of a plot that is height high and begins at the present y.
func (d *drawing) axis(s scale, height float64) {
	for _, v := range s.ticks {
		x := s.at(v)
		fmt.Fprintf(d, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`+"\n", x, d.y, x, d.y+height, grid)
		d.text(x, d.y+height+15, 11, faint, ` text-anchor="middle"`, fmt.Sprintf("%g", v))
	}
}

// group is some bars under a heading.
type group struct {
	heading string
	n       int
	pct     string
}

// bars draws groups of bars on one logarithmic axis.
func (r *results) bars(d *drawing, groups []group, shown int) {
	type row struct {
		label, color string
		value        float64
	}
	var all [][]row
	least, most, lines := math.Inf(1), 0.0, 0
	for _, g := range groups {
		var rows []row
		for _, s := range series[:shown] {
			name := strings.Replace(s.figure, "%s", g.pct, 1)
			if name == s.figure {
				name = r.find(name) // named after the processor's vectors
			}
			if v, ok := r.median(name, g.n); ok && v > 0 {
				rows = append(rows, row{s.label, s.color, v})
				least, most = min(least, v), max(most, v)
				lines++
			}
		}
		all = append(all, rows)
	}
	if lines == 0 {
		return
	}
	const headingHeight = 24.0
	s := logScale(least, most)
	height := float64(lines*barStep) + headingHeight*float64(len(groups))
	d.axis(s, height)
	for k, g := range groups {
		d.text(24, d.y+16, 13, ink, ` font-weight="600"`, g.heading)
		d.y += headingHeight
		for _, row := range all[k] {
			weight := ""
			if strings.HasPrefix(row.label, "Tandem") {
				weight = ` font-weight="600"`
			}
			d.text(plotLeft-10, d.y+12, 12, ink, ` text-anchor="end"`+weight, row.label)
			d.bar(plotLeft, s.at(row.value)-plotLeft, row.color)
			d.endBar(s.at(row.value), row.value, weight)
		}
	}
	d.y += 44
}

// chart draws the picture of the page.
func (r *results) chart() string {
	d := &drawing{y: 24}
	d.title("One frame with everything in motion", "nanoseconds per entity, logarithmic scale; shorter is faster")
	var bySize []group
	for _, n := range r.sizes {
		bySize = append(bySize, group{thousands(n) + " entities", n, "100pct"})
	}
	r.bars(d, bySize, len(series))

	if _, ok := r.median("tandem.frame.1pct", 100_000); ok {
		d.title("One frame of 100 000 entities, by how many of them move", "nanoseconds per entity of all, logarithmic scale; shorter is faster")
		var byShare []group
		for _, share := range []string{"100", "10", "1", "0"} {
			byShare = append(byShare, group{share + " % moving", 100_000, share + "pct"})
		}
		r.bars(d, byShare, 3)
	}
	r.sceneBars(d)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%d" height="%.0f" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif">`+
		"\n"+`<rect x="0.5" y="0.5" width="%d" height="%.0f" rx="10" fill="%s" stroke="%s"/>`+"\n", chartWidth, d.y, chartWidth, d.y, chartWidth-1, d.y-1, card, border) +
		d.String() + "</svg>\n"
}

// sceneBars stacks the parts of a frame of the stress scene.
func (r *results) sceneBars(d *drawing) {
	const n = 100_000
	parts := []struct{ key, label, color string }{
		{"sync", "synchroniser", "#0072b2"}, {"instances", "building instances", "#5f5a8c"}, {"upload", "upload", "#e69f00"},
	}
	most, ok := r.median("scene.cpu.total", n)
	if !ok {
		return
	}
	d.title("A frame of the demo's stress scene: 100 000 cubes, 240 frames and 20 steps a second", "processor time per cube and frame on average, nanoseconds, without drawing; shorter is faster")
	x := float64(plotLeft)
	for _, part := range parts {
		fmt.Fprintf(d, `<rect x="%.1f" y="%.1f" width="12" height="12" rx="2" fill="%s"/>`+"\n", x, d.y, part.color)
		d.text(x+18, d.y+11, 12, ink, "", part.label)
		x += 40 + 7.5*float64(len(part.label))
	}
	d.y += 26
	s := linearScale(most)
	d.axis(s, 2*barStep+6)
	d.y += 4
	for _, way := range []struct{ key, label string }{{"cpu", "blended by this processor"}, {"gpu", "by the graphics processor"}} {
		d.text(plotLeft-10, d.y+12, 12, ink, ` text-anchor="end"`, way.label)
		sum := 0.0
		for _, part := range parts {
			v, _ := r.median("scene."+way.key+"."+part.key, n)
			d.bar(s.at(sum), s.at(sum+v)-s.at(sum), part.color)
			sum += v
		}
		d.endBar(s.at(sum), sum, "")
	}
	d.y += 42
}

// The chart is well-formed, and nothing lies outside of it.
func TestChart(t *testing.T) {
	for _, r := range []*results{measured(2), measured(1e-4), newResults()} {
		chart := r.chart()
		if strings.Contains(chart, "NaN") || strings.Contains(chart, "Inf") || strings.Contains(chart, `="-`) || strings.Contains(chart, "%!") {
			t.Error("the chart has numbers that are none, or negative ones")
		}
		for d := xml.NewDecoder(strings.NewReader(chart)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}
