package timebar

import (
	"time"

	"github.com/tandem-ecs/tandem/render"
)

// Draw draws the bar at the lower edge of a part of the picture.
func (b *Bar) Draw(o *render.Overlay, all render.Rect, s State) {
	l := place(all, s.Leaves)
	b.shown = l
	theme := o.Theme()
	o.Panel(l.frame)
	drawPlay(o, l.play, s.Paused)
	small := o.LineHeight(render.TextSmall)
	y := l.text.Y + (l.text.H-small)/2
	w := clock(o.At(l.text.X, y, render.TextSmall, theme.Text), s.At)
	clock(w.Color(theme.TextDim).Str(" / "), s.Length)
	drawSpeed(o, l.speed, y, s)
	if s.Leaves {
		text := "to the match"
		if o.Width(render.TextSmall, text) > l.leave.W {
			text = "back"
		}
		o.RoundRect(l.leave, theme.Accent(1))
		o.TextAligned(l.leave.X+l.leave.W/2, y, render.AlignCenter, render.TextSmall, theme.Text, text)
	}
	now := l.place(s.At, s.Length)
	o.RoundRect(l.line, theme.PanelLine)
	o.RoundRect(render.Rect{X: l.line.X, Y: l.line.Y, W: now - l.line.X, H: l.line.H}, theme.Good)
	// A file may claim very many gaps and marks: what ends less than a point behind the one before
	// adds nothing to the picture.
	drawn := l.line.X - 1
	for _, g := range b.Gaps {
		x := l.place(g.From, s.Length)
		if end := max(l.place(g.To, s.Length), x+4); end >= drawn+1 {
			hatch(o, render.Rect{X: x, Y: l.line.Y - 3, W: end - x, H: l.line.H + 6})
			drawn = end
		}
	}
	drawn = l.line.X - 1
	for _, m := range b.Marks {
		if x := l.place(m.At, s.Length); x >= drawn+1 {
			o.Rect(render.Rect{X: x - 1, Y: l.line.Y - 5, W: 2, H: l.line.H + 10}, theme.Accent(2))
			drawn = x
		}
	}
	o.Dot(now, l.line.Y+l.line.H/2, 8, theme.Panel)
	o.Dot(now, l.line.Y+l.line.H/2, 7, theme.Text)
	b.drawLabel(o, &l, s)
}

// drawLabel writes the moment under the mouse or finger, and the mark there, above the bar. Without
// either it writes the mark that the replay has just passed.
func (b *Bar) drawLabel(o *render.Overlay, l *layout, s State) {
	x, at, text := b.x, time.Duration(0), ""
	switch {
	case b.hovering || b.held:
		x = min(max(x, l.line.X), l.line.X+l.line.W)
		at = l.moment(x, s.Length)
		best := float32(7) // points from the mouse to a mark
		for _, m := range b.Marks {
			if d := max(l.place(m.At, s.Length)-x, x-l.place(m.At, s.Length)); d < best {
				best, at, text = d, m.At, m.Text
			}
		}
	default:
		const after = 2500 * time.Millisecond
		for _, m := range b.Marks {
			if m.At <= s.At && s.At-m.At < after {
				x, at, text = l.place(m.At, s.Length), m.At, m.Text
			}
		}
		if text == "" {
			return
		}
	}
	const moment = 46
	r := render.Rect{W: moment + pad, H: Label(o) - labelGap}
	if text != "" {
		r.W += o.Width(render.TextSmall, text) + 2*pad
	}
	r.X = max(l.frame.X, min(x-r.W/2, l.frame.X+l.frame.W-r.W))
	r.Y = l.frame.Y - r.H - labelGap
	o.Panel(r)
	clock(o.At(r.X+pad, r.Y+4, render.TextSmall, o.Theme().TextDim), at)
	o.Text(r.X+2*pad+moment, r.Y+4, render.TextSmall, o.Theme().Text, text)
}

// clock writes a time as minutes, seconds and tenths.
func clock(w *render.Writer, at time.Duration) *render.Writer {
	tenths := uint64(max(at, 0) / (time.Second / 10))
	w.Uint(tenths / 600).Str(":")
	if tenths%600 < 100 {
		w.Str("0")
	}
	return w.Uint(tenths % 600 / 10).Str(".").Uint(tenths % 10)
}

// drawPlay draws the button that pauses: a triangle in a pause, else two bars.
func drawPlay(o *render.Overlay, r render.Rect, paused bool) {
	theme := o.Theme()
	o.RoundRect(r, theme.PanelLine)
	x, y := r.X+r.W/2, r.Y+r.H/2
	if !paused {
		o.Rect(render.Rect{X: x - 6, Y: y - 7, W: 4, H: 14}, theme.Text)
		o.Rect(render.Rect{X: x + 2, Y: y - 7, W: 4, H: 14}, theme.Text)
		return
	}
	for i := range 14 { // of rows
		w := 12 * (1 - max(float32(i)-6.5, 6.5-float32(i))/7)
		o.Rect(render.Rect{X: x - 5, Y: y - 7 + float32(i), W: w, H: 1}, theme.Text)
	}
}

// drawSpeed writes the speed. In a pause it is dim.
func drawSpeed(o *render.Overlay, r render.Rect, y float32, s State) {
	theme := o.Theme()
	color := theme.Text
	if s.Paused {
		color = theme.TextDim
	}
	digits := 0
	for v := s.Speed; digits < 2 && v != float64(int(v)); v *= 10 {
		digits++
	}
	o.At(r.X, y, render.TextSmall, color).Str("× ").Float(s.Speed, digits)
}

// hatch marks a part of the line as missing.
func hatch(o *render.Overlay, r render.Rect) {
	theme := o.Theme()
	o.Rect(r, theme.Panel.Alpha(1))
	const step = 5
	for x := r.X - r.H; x < r.X+r.W; x += step {
		x0, x1 := max(x, r.X), min(x+r.H, r.X+r.W)
		if x1 > x0 {
			o.Line(x0, r.Y+r.H-(x0-x), x1, r.Y+r.H-(x1-x), 1.5, theme.Bad)
		}
	}
	o.Border(r, theme.Bad)
}
