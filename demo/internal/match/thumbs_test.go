package match

import (
	"testing"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

func aClient(t *testing.T) *view.Client {
	t.Helper()
	l := loopback.Listen(loopback.Config{})
	c, err := view.New(view.Config{Dial: func() (transport.Conn, error) { return l.Dial(), nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// The left thumb runs, the right one aims and shoots, and both work at once.
func TestTwoThumbs(t *testing.T) {
	client := aClient(t)
	var c controls
	size := render.Size{Width: 1600, Height: 800, Scale: 2} // 800 by 400 points
	touch := func(kind render.EventKind, finger int, x, y float32) {
		c.event(render.Event{Kind: kind, Finger: finger, X: x, Y: y}, size)
	}
	input := func() arena.Input { in, _ := c.Input(client, 0); return in }

	touch(render.TouchPress, 1, 100, 300)
	if in := input(); in != (arena.Input{}) {
		t.Errorf("a finger that rests gives %+v", in)
	}
	touch(render.TouchMove, 1, 100+stickLength, 300)
	if in := input(); in.X != 7 || in.Z != 0 || in.Fire {
		t.Errorf("the stick to the right gives %+v", in)
	}
	touch(render.TouchMove, 1, 100, 300-10*stickLength) // further than it reaches
	if in := input(); in.X != 0 || in.Z != -7 {
		t.Errorf("the stick upwards gives %+v", in)
	}
	touch(render.TouchPress, 2, 600, 200)
	touch(render.TouchMove, 2, 600, 200+stickLength)
	yaw, _ := client.AimAlong(0, 1)
	if in := input(); in.Z != -7 || !in.Fire || in.Yaw != yaw {
		t.Errorf("both thumbs give %+v, want yaw %d", in, yaw)
	}
	touch(render.TouchRelease, 1, 0, 0)
	touch(render.TouchRelease, 2, 0, 0)
	if in := input(); in.X != 0 || in.Z != 0 || in.Fire || in.Yaw != yaw {
		t.Errorf("after the release: %+v", in)
	}
}

// Buttons act once for a short touch, and as long as they are held.
func TestTouchButtons(t *testing.T) {
	client := aClient(t)
	var c controls
	size := render.Size{Width: 800, Height: 400}
	c.thumbs.w, c.thumbs.h = size.Points()
	for n, name := range buttonNames {
		x, y, _ := c.thumbs.button(n)
		c.event(render.Event{Kind: render.TouchPress, Finger: 1, X: x, Y: y}, size)
		c.event(render.Event{Kind: render.TouchRelease, Finger: 1}, size)
		in, push := c.Input(client, 0)
		if in.Jump != (n == jumpButton) || in.Rocket != (n == rocketButton) || push != (n == pushButton) || in.Fire {
			t.Errorf("%s: %+v, push %v", name, in, push)
		}
		if in, push := c.Input(client, 0); in.Jump || in.Rocket || push {
			t.Errorf("%s acts again: %+v, %v", name, in, push)
		}
	}
	x, y, _ := c.thumbs.button(jumpButton)
	c.event(render.Event{Kind: render.TouchPress, Finger: 1, X: x, Y: y}, size)
	c.Input(client, 0)
	if in, _ := c.Input(client, 0); !in.Jump {
		t.Error("a button that is held stops")
	}
	c.event(render.Event{Kind: render.Focus}, size)
	if in, _ := c.Input(client, 0); in.Jump {
		t.Error("a button is held without the focus")
	}
}

// The mouse events that are made from touches do not shoot.
func TestTouchesAreNoClicks(t *testing.T) {
	client := aClient(t)
	var c controls
	c.event(render.Event{Kind: render.MousePress, Finger: 1, X: 1, Y: 1}, render.Size{Width: 100, Height: 100})
	if in, _ := c.Input(client, 0); in.Fire {
		t.Error("a touch of the picture shoots")
	}
	c.event(render.Event{Kind: render.MousePress, X: 1, Y: 1}, render.Size{Width: 100, Height: 100})
	if in, _ := c.Input(client, 0); !in.Fire {
		t.Error("a click does not shoot")
	}
}
