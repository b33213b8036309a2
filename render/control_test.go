package render

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

func TestOrbitControl(t *testing.T) {
	viewport := Rect{0, 0, 400, 200}
	start := Orbit{Distance: 10, Pitch: 0.3, Target: mgl32.Vec3{1, 2, 3}}
	press := func(b MouseButton, x, y float32) Event { return Event{Kind: MousePress, Button: b, X: x, Y: y} }
	release := func(b MouseButton) Event { return Event{Kind: MouseRelease, Button: b} }
	move := func(x, y float32) Event { return Event{Kind: MouseMove, X: x, Y: y} }
	for name, test := range map[string]struct {
		events  []Event
		want    func(o *Orbit) // what becomes of start
		changes int
	}{
		"moving alone does nothing":   {[]Event{move(10, 10), move(50, 60)}, func(*Orbit) {}, 0},
		"dragging to the right turns": {[]Event{move(90, 90), press(MouseLeft, 100, 100), move(200, 100), release(MouseLeft), move(300, 0)}, func(o *Orbit) { o.Yaw = -math.Pi / 2 }, 1},
		"dragging down rises":         {[]Event{press(MouseLeft, 100, 100), move(100, 120)}, func(o *Orbit) { o.Pitch += 0.075 * math.Pi }, 1},
		"the right button pans":       {[]Event{press(MouseRight, 100, 100), move(120, 100), release(MouseRight), move(0, 0)}, func(o *Orbit) { o.Pan(-0.1, 0) }, 1},
		"the wheel zooms":             {[]Event{move(10, 10), {Kind: Scroll, Y: 2}}, func(o *Orbit) { o.Distance = 10 / 1.15 / 1.15 }, 1},
		"other parts of the window":   {[]Event{press(MouseLeft, 500, 100), move(300, 100), release(MouseLeft), move(500, 100), {Kind: Scroll, Y: 1}}, func(*Orbit) {}, 0},
		"a drag goes on outside":      {[]Event{press(MouseLeft, 390, 100), move(490, 100)}, func(o *Orbit) { o.Yaw = -math.Pi / 2 }, 1},
		"a lost focus ends the drag":  {[]Event{press(MouseLeft, 100, 100), {Kind: Focus}, move(200, 100)}, func(*Orbit) {}, 0},
	} {
		var c OrbitControl
		got, want := start, start
		changes := 0
		for _, e := range test.events {
			if c.Handle(&got, e, viewport) {
				changes++
			}
		}
		test.want(&want)
		if !near(got.Yaw, want.Yaw, 1e-5) || !near(got.Pitch, want.Pitch, 1e-5) || !near(got.Distance, want.Distance, 1e-4) || !near3(got.Target, want.Target, 1e-4) || changes != test.changes {
			t.Errorf("%s: %+v after %d changes, want %+v after %d", name, got, changes, want, test.changes)
		}
	}
}

// The point under the cursor at the start of a pan stays under it.
func TestOrbitControlPansWithTheCursor(t *testing.T) {
	viewport := Rect{0, 0, 400, 200}
	o := Orbit{Distance: 10, Pitch: 0.3, Yaw: 1}
	under := o.Target // in the middle of the picture
	var c OrbitControl
	c.Handle(&o, Event{Kind: MousePress, Button: MouseRight, X: 200, Y: 100}, viewport)
	c.Handle(&o, Event{Kind: MouseMove, X: 260, Y: 70}, viewport)
	x, y, _, _ := o.Camera().Project(under, viewport)
	if !near(x, 260, 0.1) || !near(y, 70, 0.1) {
		t.Errorf("the point is seen at %g, %g, want it under the cursor at 260, 70", x, y)
	}
}
