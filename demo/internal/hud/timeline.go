package hud

import (
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
)

// Widths of the names and of the faults beside a timeline, in points.
const (
	timelineLabel  = 88
	timelineFaults = 92
)

// band is what a timeline shows of a track: a strip of what happened, and one chart.
type band struct {
	track *timeline.Track
	chart *timeline.Chart
}

// charts are the charts that a timeline shows, the best first.
var charts = [...]string{"delay beyond the fastest packets", "drawn speed", "steps per frame"}

// bands chooses them.
func bands(tracks []timeline.Track) (all []band) {
	for i := range tracks {
		b := band{track: &tracks[i]}
		for _, name := range charts {
			for k := range b.track.Charts {
				if c := &b.track.Charts[k]; c.Name == name && b.chart == nil {
					b.chart = c
				}
			}
		}
		all = append(all, b)
	}
	return all
}

// Timeline draws the tracks of a log from one time to another, over the full width of a rectangle
// and down to its lower edge. It returns the upper edge. Tracks that have no room are left out.
//
// Each track has a strip, and a chart below it. Snapshots fall from their departure to their
// arrival, samples are strokes, and what explains a fault is orange: bars for what lasts, triangles
// for what happens at once. A wide timeline counts these.
func Timeline(o *render.Overlay, r render.Rect, tracks []timeline.Track, from, to time.Duration) (top float32) {
	small := o.LineHeight(render.TextSmall)
	strip, chart := small+3, float32(34)
	if r.H < 260 {
		chart = 22
	}
	high := strip + chart + 7
	all := bands(tracks)
	for len(all) > 0 && high*float32(len(all))+small+14 > r.H {
		all = all[:len(all)-1]
	}
	if len(all) == 0 || r.W < timelineLabel+120 || to <= from {
		return r.Y + r.H
	}
	label := float32(timelineLabel)
	if r.W > 560 {
		label += timelineFaults
	}
	h := high*float32(len(all)) + small + 12
	r.Y, r.H = r.Y+r.H-h, h
	o.Panel(r)
	t := timePlot{o: o, from: from, to: to, room: render.Rect{X: r.X + label, Y: r.Y + 6, W: r.W - label - 10, H: h - small - 12}}
	t.seconds()
	for _, b := range all {
		o.Text(r.X+8, t.room.Y+1, render.TextSmall, o.Theme().Text, fit(o, strings.TrimPrefix(b.track.Name, "own player, "), timelineLabel-12))
		if label > timelineLabel {
			t.faults(b.track, r.X+timelineLabel, int(high/small))
		}
		t.room.H = strip
		t.strip(b.track)
		if b.chart != nil {
			t.room.Y += strip + 2
			t.room.H = chart
			t.chart(b.chart, r.X+8)
			t.room.Y -= strip + 2
		}
		t.room.Y += high
	}
	return r.Y
}

// fit shortens a text to a width, in points.
func fit(o *render.Overlay, text string, width float32) string {
	for len(text) > 1 && o.Width(render.TextSmall, text) > width {
		letters := []rune(text)
		text = string(letters[:len(letters)-1])
	}
	return text
}

// timePlot draws things at their times.
type timePlot struct {
	o        *render.Overlay
	from, to time.Duration
	room     render.Rect
}

// x returns the place of a time, within the room.
func (t *timePlot) x(at time.Duration) float32 {
	share := float64(at-t.from) / float64(t.to-t.from)
	return t.room.X + t.room.W*float32(min(max(share, 0), 1))
}

// seconds draws a line for each second, and writes its time before the end below the room.
func (t *timePlot) seconds() {
	theme := t.o.Theme()
	y := t.room.Y + t.room.H
	for back := time.Duration(0); t.to-back >= t.from; back += time.Second {
		x := t.x(t.to - back)
		t.o.Rect(render.Rect{X: x, Y: t.room.Y, W: 1, H: t.room.H}, theme.PanelLine.Alpha(0.6))
		switch {
		case back == 0:
			t.o.TextAligned(x, y+1, render.AlignRight, render.TextSmall, theme.TextDim, "now")
		case t.room.W*float32(time.Second)/float32(t.to-t.from) > 34:
			w := t.o.At(x-12, y+1, render.TextSmall, theme.TextDim)
			w.Str("−").Int(int64(back / time.Second)).Str(" s")
		}
	}
}

// inner are the names of faults within others: of a starved body that stands, and of a view that
// waits for lost snapshots. Their bars are white, and half as high.
func inner(name string) bool { return name == "held" || name == "view waits" }

// bad returns the colour of a fault.
func (t *timePlot) bad(name string) render.Color {
	if inner(name) {
		return t.o.Theme().Text
	}
	return t.o.Theme().Bad
}

// faults writes how often something happened that explains a fault, in at most some lines.
func (t *timePlot) faults(track *timeline.Track, x float32, lines int) {
	y := t.room.Y + 1
	for _, name := range track.Rows() {
		n := 0
		for i := range track.Slices {
			if s := &track.Slices[i]; s.Name == name && s.Bad && s.To >= t.from && s.From <= t.to {
				n++
			}
		}
		for i := range track.Marks {
			if m := &track.Marks[i]; m.Name == name && m.Bad && m.At >= t.from && m.At <= t.to {
				n++
			}
		}
		if n > 0 && lines > 0 {
			t.o.At(x, y, render.TextSmall, t.bad(name)).Int(int64(n)).Str("× ").Str(name)
			y += t.o.LineHeight(render.TextSmall)
			lines--
		}
	}
}

// strip draws what happened on a track.
func (t *timePlot) strip(track *timeline.Track) {
	theme, r := t.o.Theme(), t.room
	for i := range track.Slices {
		s := &track.Slices[i]
		if s.To < t.from || s.From > t.to || s.Bad {
			continue
		}
		t.o.Line(t.x(s.From), r.Y+2, t.x(s.To), r.Y+r.H-2, 1, theme.Good.Alpha(0.8))
	}
	for i := range track.Marks {
		if m := &track.Marks[i]; m.At >= t.from && m.At <= t.to && !m.Bad {
			high := float32(3)
			if m.Name != "sample" && m.Name != "stands" {
				high = 0
			}
			t.o.Rect(render.Rect{X: t.x(m.At), Y: r.Y + 2 + high, W: 1.2, H: r.H - 4 - 2*high}, theme.Good.Alpha(0.9))
		}
	}
	for i := range track.Slices {
		s := &track.Slices[i]
		if s.To < t.from || s.From > t.to || !s.Bad {
			continue
		}
		x := t.x(s.From)
		bar := render.Rect{X: x, Y: r.Y + 2, W: max(t.x(s.To)-x, 2), H: r.H - 4}
		if inner(s.Name) {
			bar.Y, bar.H = bar.Y+bar.H/2, bar.H/2
		}
		t.o.Rect(bar, t.bad(s.Name))
	}
	next := r.X + r.W // the names of marks end before the mark or stroke behind them
	for i := len(track.Marks) - 1; i >= 0; i-- {
		m := &track.Marks[i]
		if m.At < t.from || m.At > t.to {
			continue
		}
		x := t.x(m.At)
		if !m.Bad {
			next = x
			continue
		}
		for k := range 5 { // a triangle that points up
			half := float32(k)
			t.o.Rect(render.Rect{X: x - half/2 - 0.5, Y: r.Y + 2 + 2*half, W: half + 1, H: 2}, theme.Bad)
		}
		if len(track.Slices) == 0 && x+6+t.o.Width(render.TextSmall, m.Name) < next-6 {
			t.o.Text(x+6, r.Y+1, render.TextSmall, theme.Bad, m.Name)
		}
		next = x
	}
}

// chart draws lines, and at a place beside them the name and the end of the axis.
func (t *timePlot) chart(c *timeline.Chart, left float32) {
	theme, r := t.o.Theme(), t.room
	_, top := c.Range(t.from, t.to)
	t.o.Rect(render.Rect{X: r.X, Y: r.Y + r.H, W: r.W, H: 1}, theme.PanelLine)
	digits := 0
	if top < 10 && c.Unit != "" {
		digits = 1
	}
	name := map[string]string{charts[0]: "delay", charts[1]: "speed", charts[2]: "steps"}[c.Name]
	t.o.Text(left, r.Y+r.H-t.o.LineHeight(render.TextSmall)+2, render.TextSmall, theme.TextDim, name)
	t.o.At(left, r.Y-2, render.TextSmall, theme.TextDim).Float(top, digits).Str(" ").Str(unit(c.Unit))
	y := func(v float64) float32 { return r.Y + r.H*float32(1-min(max(v/top, 0), 1)) }
	for i := len(c.Lines) - 1; i >= 0; i-- {
		line := &c.Lines[i]
		color := [...]render.Color{theme.Good, theme.TextDim, theme.Text}[min(i, 2)]
		if len(c.Lines) == 1 {
			color = theme.Text
		}
		for k, p := range line.Points {
			if p.At < t.from || p.At > t.to || p.Value != p.Value {
				continue
			}
			switch {
			case line.Dots:
				t.o.Dot(t.x(p.At), y(p.Value), 1.5, color)
			case k > 0 && line.Points[k-1].Value == line.Points[k-1].Value:
				t.o.Line(t.x(max(line.Points[k-1].At, t.from)), y(line.Points[k-1].Value), t.x(p.At), y(p.Value), 1.3, color)
			}
		}
	}
}

// unit shortens the name of a unit.
func unit(name string) string {
	if name == "units/s" {
		return "m/s"
	}
	return name
}
