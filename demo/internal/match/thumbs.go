package match

import (
	"math"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/render"
)

// thumbs are the controls of a touch screen. The left thumb pulls a stick that runs. The right
// thumb pulls a stick that aims, and shoots while it is pulled. Each stick is where its thumb
// touched. At the right edge there are buttons. They are drawn where fingers are used, and so is
// what a stick does until its thumb has pulled it.
type thumbs struct {
	w, h float32 // of the picture in points

	run, aim stick
	known    [2]bool          // the sticks that have been pulled: run, aim
	buttons  [buttonCount]int // the finger that holds each; 0: none
}

// stick is what a thumb has pulled.
type stick struct {
	finger int     // 0: none
	x, y   float32 // where it touched
	dx, dy float32 // from there, in lengths of the stick: at most 1
}

// The buttons, from the lower edge upwards.
const (
	jumpButton = iota
	rocketButton
	pushButton
	buttonCount
)

var (
	buttonNames = [buttonCount]string{"jump", "rocket", "push"}
	stickNames  = [2]string{"run", "aim, shoot"}
)

const (
	stickLength = 44   // points
	stickRest   = 0.25 // of its length, within which a stick means nothing
	stickRadius = stickLength + 12

	thumbsEdge = 16 // points from the edges of the picture
	figures    = 44 // points, of the line of figures at the lower edge
)

// button returns the middle and the radius of a button.
func (t *thumbs) button(n int) (x, y, radius float32) {
	radius = min(34, t.h/11, t.w/12)
	return t.w - thumbsEdge - radius, t.h - figures - radius - float32(n)*(2*radius+12), radius
}

// place returns where a stick that no thumb has pulled yet is explained.
func (t *thumbs) place(n int) (x, y float32) {
	x, y = thumbsEdge+stickRadius, t.h-figures-stickRadius
	if n == 1 { // beside the buttons
		jump, _, radius := t.button(jumpButton)
		x = jump - radius - thumbsEdge - stickRadius
	}
	return x, y
}

// event follows the touches.
func (t *thumbs) event(c *controls, e render.Event, size render.Size) {
	switch e.Kind {
	case render.TouchPress:
		t.w, t.h = size.Points()
		t.press(c, e)
	case render.TouchMove:
		for _, s := range [...]*stick{&t.run, &t.aim} {
			if s.finger == e.Finger {
				s.pull(e.X, e.Y)
			}
		}
	case render.TouchRelease:
		t.release(e.Finger)
	case render.Focus:
		if !e.Focus {
			t.run, t.aim, t.buttons = stick{}, stick{}, [buttonCount]int{}
		}
	case render.Resize:
		t.w, t.h = e.Size.Points()
	}
}

func (t *thumbs) press(c *controls, e render.Event) {
	for n := range t.buttons {
		x, y, radius := t.button(n)
		if math.Hypot(float64(e.X-x), float64(e.Y-y)) > float64(radius+6) {
			continue
		}
		t.buttons[n] = e.Finger
		switch n {
		case jumpButton:
			c.jumped = true
		case rocketButton:
			c.launched = true
		case pushButton:
			c.pushed = true
		}
		return
	}
	s := &t.run
	if e.X > t.w/2 {
		s = &t.aim
	}
	if s.finger == 0 {
		*s = stick{finger: e.Finger, x: e.X, y: e.Y}
	}
}

func (t *thumbs) release(finger int) {
	for _, s := range [...]*stick{&t.run, &t.aim} {
		if s.finger == finger {
			*s = stick{}
		}
	}
	for n := range t.buttons {
		if t.buttons[n] == finger {
			t.buttons[n] = 0
		}
	}
}

// pull moves the stick to a finger.
func (s *stick) pull(x, y float32) {
	s.dx, s.dy = (x-s.x)/stickLength, (y-s.y)/stickLength
	if l := s.pulled(); l > 1 {
		s.dx, s.dy = s.dx/l, s.dy/l
	}
}

// pulled returns how far the stick is from its rest: 0 to 1.
func (s *stick) pulled() float32 { return float32(math.Hypot(float64(s.dx), float64(s.dy))) }

// input adds the thumbs to a tick's input.
func (t *thumbs) input(c *view.Client, h *controls, in *arena.Input) {
	if t.run.pulled() > stickRest {
		in.X, in.Z = int8(math.Round(float64(7*t.run.dx))), int8(math.Round(float64(7*t.run.dy)))
	}
	if t.aim.pulled() > stickRest {
		h.yaw, h.pitch = c.AimAlong(t.aim.dx, t.aim.dy)
		h.aimed = false // by the mouse
		in.Yaw, in.Pitch, in.Fire = h.yaw, h.pitch, true
	}
	in.Jump = in.Jump || t.buttons[jumpButton] != 0
	in.Rocket = in.Rocket || t.buttons[rocketButton] != 0
}

// draw draws the buttons, the sticks that are held, and what the others do.
func (t *thumbs) draw(o *render.Overlay) {
	t.w, t.h = o.Bounds().W, o.Bounds().H
	theme, small := o.Theme(), o.LineHeight(render.TextSmall)
	glass := theme.Panel.Alpha(0.5) // the match goes on below them
	for n, name := range buttonNames {
		x, y, radius := t.button(n)
		color := glass
		if t.buttons[n] != 0 {
			color = theme.Accent(1)
		}
		o.Dot(x, y, radius, color)
		o.TextAligned(x, y-small/2, render.AlignCenter, render.TextSmall, theme.Text, name)
	}
	for n, s := range [...]*stick{&t.run, &t.aim} {
		t.known[n] = t.known[n] || s.pulled() > stickRest
		switch {
		case s.finger != 0:
			o.Dot(s.x, s.y, stickRadius, glass)
			o.Dot(s.x+s.dx*stickLength, s.y+s.dy*stickLength, 20, theme.Accent(1))
		case !t.known[n]:
			x, y := t.place(n)
			o.Dot(x, y, stickRadius, glass)
			o.TextAligned(x, y-small/2, render.AlignCenter, render.TextSmall, theme.Text, stickNames[n])
		}
	}
}
