// Package timebar draws the bar of a replay: the moment, marks and gaps of a recording, a button
// that pauses, and a line on which the mouse or a finger chooses the moment.
package timebar

import (
	"math"
	"time"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// Mark is a moment with a text.
type Mark struct {
	At   time.Duration
	Text string
}

// Bar is the bar of a recording. The zero value has neither marks nor gaps.
type Bar struct {
	Marks []Mark       // in the order of time
	Gaps  []replay.Gap // likewise

	shown    layout // in the last picture; empty: the bar was not drawn
	held     bool   // the line is being dragged
	hovering bool
	x        float32 // of the mouse on the line
}

// State is what the bar shows.
type State struct {
	At, Length time.Duration
	Paused     bool
	Speed      float64
	Leaves     bool // a button ends the replay
}

// Press is what an event wants.
type Press uint8

// The presses.
const (
	None Press = iota
	Seek
	Pause // or resume
	Leave
)

// Event handles an event of the window for a recording of a length. taken reports whether the event
// was the bar's; then nothing else takes it. at is the moment of a Seek.
func (b *Bar) Event(e render.Event, length time.Duration) (p Press, at time.Duration, taken bool) {
	l := &b.shown
	switch e.Kind {
	case render.MousePress:
		if !l.frame.Contains(e.X, e.Y) {
			return None, 0, false
		}
		switch {
		case e.Button != render.MouseLeft:
		case l.play.Contains(e.X, e.Y):
			return Pause, 0, true
		case l.leave.Contains(e.X, e.Y):
			return Leave, 0, true
		case l.grip().Contains(e.X, e.Y):
			b.held, b.x = true, e.X
			return Seek, l.moment(e.X, length), true
		}
		return None, 0, true
	case render.MouseMove:
		b.hovering, b.x = b.held || e.Finger == 0 && l.grip().Contains(e.X, e.Y), e.X
		if b.held {
			return Seek, l.moment(e.X, length), true
		}
	case render.MouseRelease:
		if b.held && e.Button == render.MouseLeft {
			b.held, b.hovering = false, b.hovering && e.Finger == 0
			return None, 0, true
		}
	case render.Focus:
		b.held, b.hovering = false, false
	}
	return None, 0, false
}

// Held reports whether the line is being dragged.
func (b *Bar) Held() bool { return b.held }

// Height returns the height of the bar in the picture, in points, zero if it is hidden.
func (b *Bar) Height() float32 { return b.shown.frame.H }

// Label returns the height of the room above the bar that the text of a mark takes, in points.
func Label(o *render.Overlay) float32 { return o.LineHeight(render.TextSmall) + pad + labelGap }

// Hide takes the bar out of the picture: events pass it.
func (b *Bar) Hide() { b.shown, b.held, b.hovering = layout{}, false, false }

// Measures in points.
const (
	button   = 32 // the sides of buttons, for a finger
	pad      = 8
	labelGap = 4 // between the bar and the text of a mark
	timeText = 108
	speed    = 44
	leave    = 92
	wideBar  = 560 // from here on everything is in one row
)

// layout says where everything is.
type layout struct {
	frame, play, leave render.Rect
	text, speed, line  render.Rect
}

// place lays the bar at the lower edge of a picture.
func place(all render.Rect, leaves bool) (l layout) {
	height := float32(button + 2*pad)
	narrow := all.W < wideBar
	if narrow {
		height += button
	}
	l.frame = render.Rect{X: all.X, Y: all.Y + all.H - height, W: all.W, H: height}
	y := l.frame.Y + pad
	left, right := l.frame.X+pad, l.frame.X+l.frame.W-pad
	take := func(w float32) render.Rect {
		r := render.Rect{X: left, Y: y, W: w, H: button}
		left += w + pad
		return r
	}
	l.play, l.text = take(button), take(timeText)
	if leaves {
		w := min(leave, right-left-speed-pad)
		l.leave = render.Rect{X: right - w, Y: y, W: w, H: button}
		right -= w + pad
	}
	l.speed = render.Rect{X: right - speed, Y: y, W: speed, H: button}
	right -= speed + pad
	if narrow {
		left, right, y = l.frame.X+2*pad, l.frame.X+l.frame.W-2*pad, y+button
	}
	l.line = render.Rect{X: left, Y: y + button/2 - 3, W: max(right-left, 1), H: 6}
	return l
}

// grip returns where a press takes the line: a finger needs more than its height.
func (l *layout) grip() render.Rect {
	return render.Rect{X: l.line.X - pad, Y: l.line.Y - button/2 + 3, W: l.line.W + 2*pad, H: button}
}

// moment returns the moment at a place of the line.
func (l *layout) moment(x float32, length time.Duration) time.Duration {
	share := min(max(float64(x-l.line.X)/float64(l.line.W), 0), 1)
	return time.Duration(math.Round(share * float64(length)))
}

// place returns the place of a moment on the line.
func (l *layout) place(at, length time.Duration) float32 {
	if length <= 0 {
		return l.line.X
	}
	return l.line.X + l.line.W*float32(min(max(float64(at)/float64(length), 0), 1))
}
