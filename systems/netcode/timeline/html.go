package timeline

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/plot"
)

// WriteHTML writes the log as a page with plots, under a title. The page needs no other file, no
// script and no network. It lists the faults that the log explains, and then plots ten seconds at a
// time, but not those without an event. The ten seconds of the longest fault are unfolded. A minute
// of a client takes about 0.3 MB, and each watched entity 0.25 MB more. After an hour, or 32 MB,
// the page ends and says so: clip a longer log first. It returns the writer's error.
func (l *Log) WriteHTML(w io.Writer, title string) error {
	size := counter{w: w}
	p := page{Writer: bufio.NewWriter(&size)}
	from, to := l.Span()
	tracks := l.Tracks()
	p.printf("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%[1]s</title>\n<style>\n%[2]s%[3]s</style>\n</head>\n<body>\n<main>\n<h1>%[1]s</h1>\n"+
		"<p class=\"lead\">%.1[4]f s of a client, from %[5]s to %[6]s on its engine's clock.</p>\n",
		html.EscapeString(title), plot.Style, style, (to - from).Seconds(), stamp(from), stamp(to))
	p.faults(tracks)
	var rows [][]string
	for i := range tracks {
		rows = append(rows, tracks[i].Rows())
	}
	begin, worst, opened := from, longestFault(tracks), false
	for n := 0; len(tracks) > 0; n++ {
		if n == mostSections || size.bytes >= mostBytes {
			p.printf("<p>All from %s on is left out: clip the log to the time that matters.</p>\n", stamp(begin))
			break
		}
		end := begin + section
		last := to <= end+section/5 // no rest on its own
		if last {
			end = max(to, begin+section/100)
		}
		open := !opened && (worst < end || last)
		opened = opened || open
		p.section(tracks, rows, begin, end, open)
		if last {
			break
		}
		begin = end + (l.at(l.search(end)).At-end)/section*section
	}
	p.printf("</main>\n</body>\n</html>\n")
	return p.Flush()
}

const (
	section      = 10 * time.Second // the time that one set of plots shows
	mostSections = 360
	mostBytes    = 32e6 // after which no more plots begin: browsers do not show more in useful time
)

// counter counts what is written.
type counter struct {
	w     io.Writer
	bytes int
}

// Write implements [io.Writer].
func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.bytes += n
	return n, err
}

// style adds to the style of package plot. Bad things are orange and have their own form, so that
// colour is not all that tells them apart.
const style = `main { max-width: 1160px }
section { margin: 24px 0 } section h3 { margin: 26px 0 6px }
svg text.end { text-anchor: end } svg .zero { stroke: var(--line); stroke-width: 1.6 }
svg .ok { fill: var(--ink1); opacity: 0.75 } svg .bad { fill: var(--ink2) } svg .tick { stroke: var(--ink1); stroke-width: 1.4 }
svg .way { stroke: var(--ink1); stroke-width: 1.2; opacity: 0.7 } svg .lane { fill: var(--grid) }
svg path.dots { stroke-width: 3.6; opacity: 0.75 } svg path.k2 { stroke-dasharray: 7 4 } svg path.k3 { stroke-dasharray: none }
svg text.k1 { fill: var(--ink1); stroke: none } svg text.k2 { fill: var(--ink2); stroke: none } svg text.k3 { fill: var(--text); stroke: none }
td:nth-child(2), th:nth-child(2), .each td:nth-child(3), .each th:nth-child(3), .each td:last-child { text-align: left; white-space: normal }
`

// Measures of a plot, in units of the picture.
const (
	plotWidth = 1100.0
	plotLeft  = 132.0
	plotRight = plotWidth - 14
	laneStep  = 22.0
	chartHigh = 112.0
	axisHigh  = 22.0
)

type page struct{ *bufio.Writer }

func (p *page) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// stamp writes a time in seconds.
func stamp(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

// listed is how many faults a page lists.
const listed = 400

// faults writes what explains a fault of the picture: how often, and each.
func (p *page) faults(tracks []Track) {
	type fault struct {
		track, name, text string
		at, lasts         time.Duration
	}
	type sum struct {
		track, name    string
		times          int
		whole, longest time.Duration
	}
	var all []fault
	for i := range tracks {
		t := &tracks[i]
		for _, s := range t.Slices {
			if s.Bad {
				all = append(all, fault{t.Name, s.Name, s.Text, s.From, s.To - s.From})
			}
		}
		for _, m := range t.Marks {
			if m.Bad {
				all = append(all, fault{t.Name, m.Name, m.Text, m.At, 0})
			}
		}
	}
	if len(all) == 0 {
		p.printf("<p>Nothing in this time explains a fault of the picture.</p>\n")
		return
	}
	var sums []sum
	for _, f := range all {
		i := slices.IndexFunc(sums, func(s sum) bool { return s.track == f.track && s.name == f.name })
		if i < 0 {
			i = len(sums)
			sums = append(sums, sum{track: f.track, name: f.name})
		}
		s := &sums[i]
		s.times, s.whole, s.longest = s.times+1, s.whole+f.lasts, max(s.longest, f.lasts)
	}
	lasts := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	p.printf("<h2>What happened</h2>\n<div class=\"wide\"><table><tr><th>track</th><th>fault</th><th>times</th><th>together</th><th>longest</th></tr>\n")
	for _, s := range sums {
		p.printf("<tr><td>%s</td><td>%s</td><td>%d</td><td>%s</td><td>%s</td></tr>\n", html.EscapeString(s.track), s.name, s.times, lasts(s.whole), lasts(s.longest))
	}
	slices.SortStableFunc(all, func(a, b fault) int { return cmp.Compare(a.at, b.at) })
	p.printf("</table></div>\n<details><summary><b>Each of them</b> <small>in the order of time</small></summary>\n" +
		"<div class=\"wide\"><table class=\"each\"><tr><th>at</th><th>track</th><th>fault</th><th>for</th><th></th></tr>\n")
	for _, f := range all[:min(len(all), listed)] {
		p.printf("<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", stamp(f.at), html.EscapeString(f.track), f.name, lasts(f.lasts), html.EscapeString(f.text))
	}
	p.printf("</table></div>\n")
	if more := len(all) - listed; more > 0 {
		p.printf("<p>and %d more</p>\n", more)
	}
	p.printf("</details>\n")
}

// longestFault returns when the longest fault begins. Without one it is before all time.
func longestFault(tracks []Track) time.Duration {
	longest := Slice{From: math.MinInt64, To: math.MinInt64}
	for i := range tracks {
		for _, s := range tracks[i].Slices {
			if s.Bad && s.To-s.From > longest.To-longest.From {
				longest = s
			}
		}
	}
	return longest.From
}

// section writes the plots of a part of the time. rows are those of each track.
func (p *page) section(tracks []Track, rows [][]string, from, to time.Duration, open bool) {
	attribute := ""
	if open {
		attribute = " open"
	}
	p.printf("<details%s><summary><b>%s to %s</b></summary>\n", attribute, stamp(from), stamp(to))
	for i := range tracks {
		t := &tracks[i]
		p.printf("<section class=\"card\"><h3>%s</h3>\n", html.EscapeString(t.Name))
		var charts []*Chart // but those that are zero all the time
		for k := range t.Charts {
			if c := &t.Charts[k]; c.any(from, to) {
				charts = append(charts, c)
			}
		}
		if rows := rows[i]; len(rows) > 0 {
			p.rows(t, rows, from, to, len(charts) == 0)
		}
		for k, c := range charts {
			p.chart(c, from, to, k == len(charts)-1)
		}
		p.printf("</section>\n")
	}
	p.printf("</details>\n")
}

// scale returns the function that places times.
func scale(from, to time.Duration) func(t float64) float64 {
	return func(t float64) float64 {
		return plotLeft + (t-from.Seconds())/(to-from).Seconds()*(plotRight-plotLeft)
	}
}

// axis writes the lines of the time axis, and its labels if there is room below the bottom.
func (p *page) axis(from, to time.Duration, top, bottom float64, labels bool) {
	x := scale(from, to)
	for _, v := range plot.Ticks(from.Seconds(), to.Seconds(), 10) {
		p.printf(`<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, x(v), x(v), top, bottom)
		if labels {
			p.printf(`<text x="%.1f" y="%.1f" text-anchor="middle">%s s</text>`, x(v), bottom+16, plot.Number(v))
		}
		p.printf("\n")
	}
}

// begin begins a diagram.
func (p *page) begin(height float64, axis bool, label string) {
	if axis {
		height += axisHigh
	}
	p.printf("<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\">\n", plotWidth, height, html.EscapeString(label))
}

// rows writes a row for each name of slices and marks. Snapshots are lines that fall from their
// departure to their arrival, other slices are bars, and marks are strokes, or triangles if they
// explain a fault.
func (p *page) rows(t *Track, rows []string, from, to time.Duration, last bool) {
	high := laneStep*float64(len(rows)) + 4
	p.begin(high, last, t.Name+": "+strings.Join(rows, ", "))
	x := scale(from, to)
	at := func(d time.Duration) float64 { return x(min(max(d, from), to).Seconds()) }
	for i, name := range rows {
		y := laneStep * float64(i)
		p.printf("<rect class=\"lane\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" opacity=\"0.5\"/><text class=\"end\" x=\"%.0f\" y=\"%.0f\">%s</text>\n",
			plotLeft, y+2, plotRight-plotLeft, laneStep-4, plotLeft-8, y+laneStep/2+4, html.EscapeString(name))
	}
	p.axis(from, to, 2, high-2, last)
	begin := sort.Search(len(t.Marks), func(i int) bool { return t.Marks[i].At >= from })
	marks := t.Marks[begin:]
	marks = marks[:sort.Search(len(marks), func(i int) bool { return marks[i].At > to })]
	for i, name := range rows {
		y := laneStep * float64(i)
		for _, s := range t.Slices {
			if s.Name != name || s.To < from || s.From > to {
				continue
			}
			tip := tip(fmt.Sprintf("%s, %s for %.0f ms", stamp(s.From), s.Name, 1000*(s.To-s.From).Seconds()), s.Text)
			if name == snapshotName {
				p.printf("<line class=\"way\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\">%s</line>\n", at(s.From), y+3, at(s.To), y+laneStep-3, tip)
				continue
			}
			p.printf("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">%s</rect>\n", class(s.Bad), at(s.From), y+5, max(at(s.To)-at(s.From), 1.5), laneStep-10, tip)
		}
		for _, m := range marks {
			if m.Name != name {
				continue
			}
			tip := tip(stamp(m.At)+", "+m.Name, m.Text)
			if m.Bad {
				p.printf("<path style=\"stroke: none\" class=\"bad\" d=\"M%.1f %.1fl5 12h-10z\">%s</path>\n", at(m.At), y+5, tip)
			} else {
				p.printf("<line class=\"tick\" x1=\"%[1]f\" x2=\"%[1]f\" y1=\"%.1[2]f\" y2=\"%.1[3]f\">%[4]s</line>\n", math.Round(10*at(m.At))/10, y+5, y+laneStep-5, tip)
			}
		}
	}
	p.printf("</svg>\n")
}

func class(bad bool) string {
	if bad {
		return "bad"
	}
	return "ok"
}

// tip returns the text that shows while the pointer is over something.
func tip(text, more string) string {
	if more != "" {
		text += ": " + more
	}
	return "<title>" + html.EscapeString(text) + "</title>"
}

// any reports whether a chart has a value other than zero in a part of the time.
func (c *Chart) any(from, to time.Duration) bool {
	return slices.ContainsFunc(c.Lines, func(l Line) bool {
		return slices.ContainsFunc(l.within(from, to), func(p Point) bool { return p.Value == p.Value && p.Value != 0 })
	})
}

// chart writes the lines of a chart.
func (p *page) chart(c *Chart, from, to time.Duration, last bool) {
	const top, bottom = 22.0, chartHigh - 6
	title := c.Name
	if c.Unit != "" {
		title += ", " + c.Unit
	}
	p.begin(chartHigh, last, title)
	lo, hi := c.Range(from, to)
	hi += 0.04 * (hi - lo)
	y := func(v float64) float64 { return bottom - (min(max(v, lo), hi)-lo)/(hi-lo)*(bottom-top) }
	for _, v := range plot.Ticks(lo, hi, 4) {
		class := "grid"
		if math.Abs(v) < 1e-9 {
			class = "zero"
		}
		p.printf("<line class=\"%s\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"end\" x=\"%.0f\" y=\"%.1f\">%s</text>\n",
			class, plotLeft, plotRight, y(v), y(v), plotLeft-8, y(v)+4, plot.Number(v))
	}
	p.axis(from, to, top, bottom, last)
	p.printf("<text class=\"name\" x=\"%.0f\" y=\"14\">%s</text>\n", plotLeft, html.EscapeString(title))
	x, legend := scale(from, to), plotRight
	for i := range c.Lines {
		line := &c.Lines[i]
		ink := i + 1
		if part := line.within(from, to); line.Dots {
			var b strings.Builder
			for _, q := range part {
				if q.Value == q.Value {
					plot.Point(&b, 'M', x(q.At.Seconds()), y(q.Value))
					b.WriteString("h0")
				}
			}
			p.printf("<path class=\"k%d dots\" style=\"stroke-dasharray: none\" d=\"%s\"/>\n", ink, b.String())
		} else {
			at, values := make([]float64, len(part)), make([]float64, len(part))
			for k, q := range part {
				at[k], values[k] = q.At.Seconds(), q.Value
			}
			p.printf("<path class=\"k%d\" d=\"%s\"/>\n", ink, plot.Path(at, values, x, y))
		}
		if line.Name != "" {
			form := "─ "
			switch {
			case line.Dots:
				form = "• "
			case ink == 2:
				form = "╌ "
			}
			p.printf("<text class=\"end k%d\" x=\"%.0f\" y=\"14\">%s%s</text>\n", ink, legend, form, html.EscapeString(line.Name))
			legend -= 7*float64(len(line.Name)) + 34
		}
	}
	p.printf("</svg>\n")
}
