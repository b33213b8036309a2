package app

import (
	"testing"

	"github.com/tandem-ecs/tandem/render"
)

func TestCamera(t *testing.T) {
	base := render.Orbit{Distance: 10, MinDistance: 2, MaxDistance: 50}
	c := newCamera()
	wideLook := c.look(base, wide)
	if d := wideLook.Distance(); d < 9.99 || d > 10.01 {
		t.Errorf("in a wide picture the distance is %v, want the scene's", d)
	}
	if d := c.look(base, wide/2).Distance(); d < 19.9 || d > 20.1 {
		t.Errorf("in a picture half as wide the distance is %v, want twice the scene's", d)
	}
	c.look(base, wide)
	c.move(0.1, 0)
	if moved := c.look(base, wide).Target; moved[0] >= 0 {
		t.Errorf("dragging to the right moves the picture with the mouse, so the target to the left; it is %v", moved)
	}
	c.approach(3)
	if d := c.look(base, wide).Distance(); d >= 10 {
		t.Errorf("the wheel does not bring it nearer: %v", d)
	}
	for range 100 {
		c.approach(1)
		c.turn(50, 50)
	}
	if d := c.look(base, wide).Distance(); d < 1.99 {
		t.Errorf("nearer than the scene allows: %v", d)
	}
}
