package match

import (
	"math"
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

// The picture says what each thumb does until it has done it, at a place that covers no button.
func TestThumbsAreExplained(t *testing.T) {
	for _, size := range []render.Size{{Width: 390, Height: 844}, {Width: 844, Height: 390}, {Width: 640, Height: 300}, {Width: 1024, Height: 768}} {
		var c controls
		f := render.NewFrame(render.Dusk())
		vertices := func() int {
			f.Begin(size)
			c.thumbs.draw(&f.Overlay)
			return len(f.Overlay.Vertices())
		}
		all := vertices()
		for n := range stickNames {
			x, y := c.thumbs.place(n)
			if x < stickRadius || y < stickRadius || y+stickRadius > c.thumbs.h || n == 0 && x > c.thumbs.w/2 || n == 1 && x < c.thumbs.w/2 {
				t.Errorf("%v: %s is explained at %.0f, %.0f", size, stickNames[n], x, y)
			}
			for b := range buttonNames {
				if bx, by, radius := c.thumbs.button(b); math.Hypot(float64(x-bx), float64(y-by)) < float64(radius+stickRadius) {
					t.Errorf("%v: %s covers %s", size, stickNames[n], buttonNames[b])
				}
			}
		}
		c.event(render.Event{Kind: render.TouchPress, Finger: 1, X: 60, Y: 200}, size)
		vertices()
		c.event(render.Event{Kind: render.TouchRelease, Finger: 1}, size)
		if got := vertices(); got != all {
			t.Errorf("%v: %d vertices after a touch that pulled nothing, want %d", size, got, all)
		}
		c.event(render.Event{Kind: render.TouchPress, Finger: 1, X: 60, Y: 200}, size)
		c.event(render.Event{Kind: render.TouchMove, Finger: 1, X: 90, Y: 200}, size)
		vertices()
		c.event(render.Event{Kind: render.Focus}, size)
		if got := vertices(); got >= all {
			t.Errorf("%v: %d vertices after a pull, want fewer than %d", size, got, all)
		}
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
