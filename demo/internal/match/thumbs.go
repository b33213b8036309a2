package match

import (
	"math"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/render"
)

// thumbs are the controls of a touch screen. The left thumb pulls a stick that runs. The right
// thumb pulls a stick that aims, and shoots while it is pulled. Each stick is where its thumb
// touched. At the right edge there are buttons. They are drawn once a finger has touched.
type thumbs struct {
	used bool
	w, h float32 // of the picture in points

	run, aim stick
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

var buttonNames = [buttonCount]string{"jump", "rocket", "push"}

const (
	stickLength = 44   // points
	stickRest   = 0.25 // of its length, within which a stick means nothing
)

// button returns the middle and the radius of a button.
func (t *thumbs) button(n int) (x, y, radius float32) {
	const figures = 44 // points, of the line of figures at the lower edge
	radius = min(34, t.h/11, t.w/12)
	return t.w - 16 - radius, t.h - figures - radius - float32(n)*(2*radius+12), radius
}

// event follows the touches.
func (t *thumbs) event(c *controls, e render.Event, size render.Size) {
	switch e.Kind {
	case render.TouchPress:
		t.used = true
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

// draw draws the buttons, and the sticks that are held.
func (t *thumbs) draw(o *render.Overlay) {
	if !t.used {
		return
	}
	theme := o.Theme()
	glass := theme.Panel.Alpha(0.5) // the match goes on below them
	for n, name := range buttonNames {
		x, y, radius := t.button(n)
		color := glass
		if t.buttons[n] != 0 {
			color = theme.Accent(1)
		}
		o.Dot(x, y, radius, color)
		o.TextAligned(x, y-o.LineHeight(render.TextSmall)/2, render.AlignCenter, render.TextSmall, theme.Text, name)
	}
	for _, s := range [...]*stick{&t.run, &t.aim} {
		if s.finger != 0 {
			o.Dot(s.x, s.y, stickLength+12, glass)
			o.Dot(s.x+s.dx*stickLength, s.y+s.dy*stickLength, 20, theme.Accent(1))
		}
	}
}
