package browser

import (
	"math"
	"slices"

	"github.com/tandem-ecs/tandem/render"
)

// Touches turns the touches of a screen into touch events and the events of a mouse. One finger is
// the left button. Two fingers are the right button at the point between them, and the wheel as
// they spread. When one of two fingers leaves, the mouse rests until all have left, or the picture
// would jump. The zero value is ready for use.
type Touches struct {
	fingers []finger // in the order of their presses
	button  render.MouseButton
	pressed bool    // the button
	resting bool    // until no finger touches
	x, y    float32 // of the mouse
	spread  float32 // distance of two fingers
}

type finger struct {
	id     int // the browser's
	number int // from 1
	x, y   float32
}

// maxFingers bounds the fingers that are followed.
const maxFingers = 10

// Press begins a touch at a place in points. It appends the events to out, as the other methods do.
func (t *Touches) Press(out []render.Event, id int, x, y float32) []render.Event {
	if len(t.fingers) == maxFingers || t.index(id) >= 0 {
		return out
	}
	f := finger{id, t.free(), x, y}
	t.fingers = append(t.fingers, f)
	switch {
	case t.resting:
	case len(t.fingers) == 1:
		out = t.press(out, render.MouseLeft, x, y, f.number)
	case len(t.fingers) == 2:
		out = t.release(out, f.number)
		mx, my, spread := t.middle()
		t.spread = spread
		out = t.press(out, render.MouseRight, mx, my, f.number)
	}
	return append(out, render.Event{Kind: render.TouchPress, X: x, Y: y, Finger: f.number})
}

// Move moves a touch.
func (t *Touches) Move(out []render.Event, id int, x, y float32) []render.Event {
	i := t.index(id)
	if i < 0 {
		return out
	}
	f := &t.fingers[i]
	if f.x == x && f.y == y {
		return out // another finger has moved
	}
	f.x, f.y = x, y
	switch {
	case !t.pressed || i > 1:
	case t.button == render.MouseLeft:
		out = t.move(out, x, y, f.number)
	default:
		mx, my, spread := t.middle()
		out = t.move(out, mx, my, f.number)
		if steps := math.Log(float64(spread/t.spread)) / math.Log(ratioOfStep); steps != 0 {
			t.spread = spread
			out = append(out, render.Event{Kind: render.Scroll, Y: float32(steps), Finger: f.number})
		}
	}
	return append(out, render.Event{Kind: render.TouchMove, X: x, Y: y, Finger: f.number})
}

// ratioOfStep is the growth of the picture by a step of the wheel: [render.OrbitControl]'s.
const ratioOfStep = 1.15

// Release ends a touch.
func (t *Touches) Release(out []render.Event, id int) []render.Event {
	i := t.index(id)
	if i < 0 {
		return out
	}
	f := t.fingers[i]
	if t.pressed && i <= 1 {
		out = t.release(out, f.number)
		t.resting = true
	}
	t.fingers = slices.Delete(t.fingers, i, i+1)
	if len(t.fingers) == 0 {
		t.resting = false
	}
	return append(out, render.Event{Kind: render.TouchRelease, X: f.x, Y: f.y, Finger: f.number})
}

// ReleaseAll ends all touches.
func (t *Touches) ReleaseAll(out []render.Event) []render.Event {
	for len(t.fingers) > 0 {
		out = t.Release(out, t.fingers[0].id)
	}
	return out
}

func (t *Touches) index(id int) int {
	return slices.IndexFunc(t.fingers, func(f finger) bool { return f.id == id })
}

// free returns the smallest number that no finger has.
func (t *Touches) free() int {
	for n := 1; ; n++ {
		if !slices.ContainsFunc(t.fingers, func(f finger) bool { return f.number == n }) {
			return n
		}
	}
}

// middle returns the point between the first two fingers, and their distance, which is never zero.
func (t *Touches) middle() (x, y, spread float32) {
	a, b := t.fingers[0], t.fingers[1]
	d := float32(math.Hypot(float64(a.x-b.x), float64(a.y-b.y)))
	return (a.x + b.x) / 2, (a.y + b.y) / 2, max(d, 1)
}

// press moves the mouse to a place before it presses the button, as a mouse would.
func (t *Touches) press(out []render.Event, b render.MouseButton, x, y float32, number int) []render.Event {
	t.button, t.pressed = b, true
	return append(t.move(out, x, y, number), render.Event{Kind: render.MousePress, Button: b, X: x, Y: y, Finger: number})
}

func (t *Touches) move(out []render.Event, x, y float32, number int) []render.Event {
	t.x, t.y = x, y
	return append(out, render.Event{Kind: render.MouseMove, X: x, Y: y, Finger: number})
}

func (t *Touches) release(out []render.Event, number int) []render.Event {
	t.pressed = false
	return append(out, render.Event{Kind: render.MouseRelease, Button: t.button, X: t.x, Y: t.y, Finger: number})
}
