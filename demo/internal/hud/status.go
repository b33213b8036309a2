package hud

import (
	"math"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
)

// Columns of the status panel, in points from its left edge.
const (
	statusWidth  = 252
	statusValue  = 88 // position of the numbers
	statusNumber = 52 // and how wide they are
	statusNote   = 148

	droppedShown = 3 * time.Second // of real time, for which dropped time is highlighted
)

// drawStatus writes the panel at the upper right and returns its left edge.
func (h *HUD) drawStatus(o *render.Overlay, all render.Rect, s *State) float32 {
	if roomOf(all) != roomy {
		return h.drawSmallStatus(o, all, s)
	}
	theme := o.Theme()
	line := o.LineHeight(render.TextSmall) + 3
	rows := 6
	for _, more := range [...]bool{s.Info.MaxEntities > 0, s.Live, s.Set.FrameJitter > 0, s.Set.StepCost > 0 || s.Set.Adaptive} {
		if more {
			rows++
		}
	}
	r := render.Rect{X: all.X + all.W - statusWidth, Y: all.Y, W: statusWidth, H: line*float32(rows) + 2*pad - 4}
	o.Panel(r)
	x, y := r.X+pad, r.Y+pad-2
	row := func(label string) *render.Writer {
		o.Text(x, y, render.TextSmall, theme.TextDim, label)
		w := o.At(r.X, y, render.TextSmall, theme.Text).Tab(statusValue)
		y += line
		return w
	}
	frames, steps, ok := h.meter.rates()
	if !ok {
		frames, steps = math.NaN(), math.NaN()
	}

	number(row("frames"), frames, 1).Str("/s").Color(theme.TextDim).Tab(statusNote).Str(capText(s))
	if s.Set.Cap > 0 {
		o.At(r.X+statusNote+o.Width(render.TextSmall, capText(s)), y-line, render.TextSmall, theme.TextDim).Int(int64(s.Set.Cap)).Str(" /s")
	}
	w := number(row("fixed steps"), steps, 1).Str("/s").Color(theme.TextDim).Tab(statusNote)
	if s.Now.Rate != s.Set.Rate {
		w.Color(theme.Bad).Str("adapted: ").Int(int64(s.Now.Rate)).Str(" Hz")
	} else {
		w.Str("of ").Int(int64(s.Now.Rate)).Str(" Hz")
	}
	w = row("time")
	if s.Set.Paused {
		w.Color(theme.Bad).Str("paused").Color(theme.TextDim).Tab(statusNote).Str("speed ").Float(s.Set.Speed, decimals(s.Set.Speed))
	} else {
		number(w, s.Set.Speed, 2).Str("× real").Color(theme.TextDim)
	}
	w = row("picture")
	if s.Set.Interpolate {
		w.Color(theme.Good).Str("interpolated")
	} else {
		w.Color(theme.Bad).Str("raw: as simulated")
	}
	number(row("fixed ahead"), s.ahead(), 1).Str("ms")
	o.Meter(render.Rect{X: r.X + statusNote, Y: y - line + 5, W: statusWidth - statusNote - pad, H: 6}, aheadShare(s.Now), theme.Accent(1))
	w = row("dropped")
	if h.dropped > 0 && s.Now.Real-h.droppedAt < droppedShown {
		w.Color(theme.Bad)
	}
	number(w, float64(s.Now.Dropped)/1e6, 0).Str("ms")
	if s.Info.MaxEntities > 0 {
		w = row("bodies").Int(int64(s.Info.Clamp(s.Set.Entities)))
		if s.Set.GPU && s.Info.Blends {
			w.Color(theme.Good).Tab(statusNote).Str("blended by GPU")
		}
	}
	if s.Live {
		number(row("update, draw"), float64(s.Update)/1e6, 1).Str("ms").Tab(statusNote).Float(float64(s.Draw)/1e6, 1).Str(" ms")
	}
	if s.Set.FrameJitter > 0 {
		row("frame jitter").Str("± ").Float(100*s.Set.FrameJitter, 0).Str(" %")
	}
	if s.Set.StepCost > 0 || s.Set.Adaptive {
		w = row("step cost")
		number(w, float64(s.Set.StepCost)/1e6, 0).Str("ms").Color(theme.TextDim).Tab(statusNote)
		if s.Set.Adaptive {
			w.Str("adaptive rate on")
		} else {
			w.Str("adaptive rate off")
		}
	}
	return r.X
}

// drawSmallStatus writes the status of small pictures: one line.
func (h *HUD) drawSmallStatus(o *render.Overlay, all render.Rect, s *State) float32 {
	theme := o.Theme()
	width := float32(138)
	if roomOf(all) == compact {
		width = 262
	}
	r := render.Rect{X: all.X + all.W - width, Y: all.Y, W: width, H: o.LineHeight(render.TextSmall) + 8}
	o.Panel(r)
	w := o.At(r.X+pad, r.Y+4, render.TextSmall, theme.Text).Int(int64(s.Now.Rate)).Str(" Hz").Tab(46)
	if s.Set.Interpolate {
		w.Color(theme.Good).Str("interpolated")
	} else {
		w.Color(theme.Bad).Str("raw")
	}
	if roomOf(all) != compact {
		return r.X
	}
	w.Color(theme.TextDim).Tab(126)
	if s.Set.Paused {
		w.Str("paused")
	} else {
		w.Str("speed ").Float(s.Set.Speed, decimals(s.Set.Speed))
	}
	if frames, _, ok := h.meter.rates(); ok {
		w.Tab(196).Float(frames, 0).Str(" fps")
	}
	return r.X
}

// number writes a value right-aligned in its column; a dash stands for NaN.
func number(w *render.Writer, v float64, digits int) *render.Writer {
	if math.IsNaN(v) {
		return w.Str("–").Tab(statusValue + statusNumber - 12)
	}
	return w.FloatRight(v, digits, statusNumber-20).Str(" ")
}

func capText(s *State) string {
	switch {
	case s.Set.Cap > 0 && s.Live:
		return "at most "
	case s.Set.Cap > 0:
		return "of "
	default:
		return "no cap"
	}
}

func decimals(v float64) int {
	switch {
	case v == math.Trunc(v):
		return 0
	case v*10 == math.Trunc(v*10):
		return 1
	}
	return 2
}

// ahead returns how far the simulation is ahead of the picture, in milliseconds of simulated time.
func (s *State) ahead() float64 { return float64(s.Now.Fixed-s.Now.Normal) / 1e6 }

// aheadShare returns the same as a share of the newest step.
func aheadShare(now ecs.Time) float32 {
	if now.FixedDelta <= 0 {
		return 0
	}
	return float32(float64(now.Fixed-now.Normal) / float64(now.FixedDelta))
}
