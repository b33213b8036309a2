package lab

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

const (
	margin = 12 // points, as in the rest of the overlay
	gap    = 8

	errorTop = 0.5 // units at the upper edge of the graphs of errors
	speedTop = 15  // units per second at that of speeds

	// in an upright picture: of all figures, below the lanes, and of a row of them
	footHeight, footPitch = 242, 16
)

// columnsOf holds the positions of the panel's columns, in points from its left edge.
type columnsOf struct {
	width, figure, lag, off, speed, graph float32
}

var (
	roomy   = columnsOf{width: 458, figure: 150, lag: 205, off: 264, speed: 363, graph: 88}
	compact = columnsOf{width: 232, figure: 118, off: 174, graph: 50}
)

// drawPanel writes name, figures and graphs of each lane, in a row beside the lane.
func (s *Lab) drawPanel(p *scene.Picture) {
	o, theme := p.Overlay, p.Theme
	all := p.View.Viewport.Inset(margin)
	cols := &roomy
	if all.W < 1080 || all.H < 520 {
		cols = &compact
	}
	foot := p.Foot.H > 0
	if all.W < 2*cols.width && !foot {
		return
	}
	if !p.Figures {
		names := columnsOf{width: cols.figure}
		cols = &names
	}
	if more := 0.358*p.View.Viewport.W - cols.width; cols == &roomy && more > 0 {
		// the graphs use the width that the camera leaves free
		wide := roomy
		wide.width, wide.graph, wide.speed = wide.width+more, wide.graph+more/2, wide.speed+more/2
		cols = &wide
	}
	line := o.LineHeight(render.TextSmall)
	top, pitch, ok := s.rows(p)
	if foot {
		all = render.Rect{X: p.Foot.X + margin, Y: p.Foot.Y, W: p.Foot.W - 2*margin, H: p.Foot.H - margin}
		whole := compact
		whole.width = all.W
		whole.graph = all.W - whole.off - gap
		cols = &whole
		pitch, ok = footPitch, true
		top = all.Y + all.H - 4 - pitch*(float32(len(s.lanes))-0.5)
	}
	if !ok || pitch < line {
		return
	}
	left := all.X + all.W - cols.width
	head := line + 4
	if !p.Figures {
		head = 0
	}
	o.Panel(render.Rect{X: left, Y: top - pitch/2 - head, W: cols.width, H: pitch*float32(len(s.lanes)) + head + 4})
	y := top - pitch/2 - head + 4
	dim := func(x float32, text string) { o.Text(left+x, y, render.TextSmall, theme.TextDim, text) }
	switch {
	case !p.Figures:
	case cols.lag > 0:
		dim(cols.figure, "error")
		dim(cols.lag, "behind")
		dim(cols.off, "error, to 50 cm")
		dim(cols.speed, "drawn speed")
	default:
		dim(cols.figure, "error")
		dim(cols.off, "speed")
	}

	height := pitch - 6
	if foot {
		height = pitch - 2
	}
	for i, l := range s.lanes {
		mid := top + pitch*float32(i)
		color := laneColor(theme, l.color)
		y = mid - line/2
		o.Dot(left+12, mid, 4, color)
		name := theme.Text
		if i == 0 {
			name = theme.TextDim
		}
		o.Text(left+22, y, render.TextSmall, name, l.title)
		if !p.Figures {
			continue
		}
		rms, lag, ok := l.figures()
		if !ok {
			o.Text(left+cols.figure, y, render.TextSmall, theme.TextDim, "–")
		} else {
			figure := theme.Good
			if rms > 0.05 {
				figure = theme.Text
			}
			if rms > 0.15 {
				figure = theme.Bad
			}
			o.At(left+cols.figure, y, render.TextSmall, figure).FloatRight(100*rms, 1, 28).Str(" cm")
			if cols.lag > 0 {
				o.At(left+cols.lag, y, render.TextSmall, theme.Text).FloatRight(1000*max(lag, 0), 0, 28).Str(" ms")
			}
		}
		if cols.lag > 0 {
			l.drawErrors(o, render.Rect{X: left + cols.off, Y: mid - height/2, W: cols.graph, H: height}, color)
			l.drawSpeeds(o, render.Rect{X: left + cols.speed, Y: mid - height/2, W: cols.graph, H: height}, color)
		} else {
			l.drawSpeeds(o, render.Rect{X: left + cols.off, Y: mid - height/2, W: cols.graph, H: height}, color)
		}
	}
	switch {
	case !p.Figures:
	case foot:
		s.drawLinkLine(p, all.X, all.Y)
	case all.W < 960 || all.H < 520:
		s.drawLinkLine(p, all.X, all.Y+line+8+gap) // below the title
	default:
		s.drawLink(p, all)
	}
}

// rows returns the places of the rows, in points: the middle of the first lane and the distance
// between lanes; false where rows would not fit.
func (s *Lab) rows(p *scene.Picture) (top, pitch float32, ok bool) {
	n := len(s.lanes)
	_, first, ok1 := p.View.Project(mgl32.Vec3{0, 0, s.lanes[0].z})
	_, last, ok2 := p.View.Project(mgl32.Vec3{0, 0, s.lanes[n-1].z})
	pitch = (last - first) / float32(n-1)
	all := p.View.Viewport
	if ok1 && ok2 && pitch > 16 && first > 60 && last < all.H-margin-pitch/2 {
		return first, pitch, true
	}
	// The user has moved the camera: the rows get places of their own.
	top = 190
	if all.H < 544 {
		top = 66
	}
	pitch = (all.H - 50 - top) / float32(n)
	return top + pitch/2, min(pitch, 44), pitch > 10
}

// drawErrors draws the largest error of every column as a bar.
func (m *measure) drawErrors(o *render.Overlay, r render.Rect, color render.Color) {
	o.Rect(r, o.Theme().PanelLine.Alpha(0.35))
	step := r.W / columns
	m.each(func(i int, c column) {
		if c.off < 0 {
			return
		}
		h, ink := c.off/errorTop*r.H, color
		if h > r.H {
			h, ink = r.H, o.Theme().Text
		}
		o.Rect(render.Rect{X: r.X + float32(i)*step, Y: r.Y + r.H - h, W: step, H: h}, ink)
	})
}

// drawSpeeds draws the range of speeds of every column: a thin line for an even motion, a broad one
// for a stuttering motion.
func (m *measure) drawSpeeds(o *render.Overlay, r render.Rect, color render.Color) {
	theme := o.Theme()
	o.Rect(r, theme.PanelLine.Alpha(0.35))
	level := func(speed float32) float32 { return r.Y + r.H - 1 - min(speed/speedTop, 1)*(r.H-2) }
	o.Rect(render.Rect{X: r.X, Y: level(runSpeed) - 0.5, W: r.W, H: 1}, theme.PanelLine)
	step := r.W / columns
	before := column{-1, -1, -1}
	m.each(func(i int, c column) {
		if c.high >= 0 {
			low, high := c.low, c.high
			if before.high >= 0 { // joined to the column before
				low, high = min(low, before.high), max(high, before.low)
			}
			y := level(high)
			o.Rect(render.Rect{X: r.X + float32(i)*step, Y: y - 0.6, W: step, H: level(low) - y + 1.2}, color)
		}
		before = c
	})
}

// drawLink writes the network's conditions and their keys, left of the status.
func (s *Lab) drawLink(p *scene.Picture, all render.Rect) {
	const width, status, key, value = 212, 252, 12, 36
	o, theme, l := p.Overlay, p.Theme, s.net.link
	line := o.LineHeight(render.TextSmall) + 2
	r := render.Rect{X: all.X + all.W - status - gap - width, Y: all.Y, W: width, H: 7*line + 16}
	if r.X < all.X+470+gap {
		return
	}
	o.Panel(r)
	y := r.Y + 8
	row := func(letter string) *render.Writer {
		o.Text(r.X+key, y, render.TextSmall, theme.TextDim, letter)
		w := o.At(r.X+value, y, render.TextSmall, theme.Text)
		y += line
		return w
	}
	dim := theme.TextDim
	row("L").Millis(l.Latency, 0).Str(" ms").Color(dim).Str(" round trip")
	row("K").Str("± ").Millis(l.Jitter, 0).Str(" ms").Color(dim).Str(" jitter")
	row("M").Float(100*l.Loss, 0).Str(" %").Color(dim).Str(" lost")
	row("B").Float(100*l.Burst, 0).Str(" %").Color(dim).Str(" begin a burst of losses")
	row("Y").Float(100*l.Duplicate, 0).Str(" %").Color(dim).Str(" arrive twice")
	row("Q").Float(100*l.Reorder, 0).Str(" %").Color(dim).Str(" are overtaken")
	row("/").Int(int64(l.SendRate)).Str(" /s").Color(dim).Str(" snapshots")
}

// drawLinkLine writes the network's conditions in small pictures: a line at a place.
func (s *Lab) drawLinkLine(p *scene.Picture, x, y float32) {
	const width = 232
	o, theme, l := p.Overlay, p.Theme, s.net.link
	line := o.LineHeight(render.TextSmall)
	o.Panel(render.Rect{X: x, Y: y, W: width, H: line + 8})
	o.At(x+10, y+4, render.TextSmall, theme.TextDim).Millis(l.Latency, 0).Str(" ms ± ").Millis(l.Jitter, 0).Str(" ms").
		Tab(98).Float(100*(l.Loss+(1-l.Loss)*l.BurstLoss()), 0).Str(" % lost").Tab(170).Int(int64(l.SendRate)).Str(" /s")
}
