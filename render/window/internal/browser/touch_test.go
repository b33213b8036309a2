package browser

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/render"
)

// A finger is the left button, and its own event follows the mouse's.
func TestOneFinger(t *testing.T) {
	var f Touches
	var got []render.Event
	got = f.Press(got, 71, 10, 20)
	got = f.Move(got, 71, 13, 24)
	got = f.Move(got, 71, 13, 24) // no movement
	got = f.Release(got, 71)
	want := []render.Event{
		{Kind: render.MouseMove, X: 10, Y: 20, Finger: 1},
		{Kind: render.MousePress, X: 10, Y: 20, Finger: 1},
		{Kind: render.TouchPress, X: 10, Y: 20, Finger: 1},
		{Kind: render.MouseMove, X: 13, Y: 24, Finger: 1},
		{Kind: render.TouchMove, X: 13, Y: 24, Finger: 1},
		{Kind: render.MouseRelease, X: 13, Y: 24, Finger: 1},
		{Kind: render.TouchRelease, X: 13, Y: 24, Finger: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// A drag turns an orbit as the mouse does. A pinch to twice the distance halves that of the camera,
// and moves nothing while the middle stays.
func TestCamera(t *testing.T) {
	orbit, other := render.Orbit{Distance: 10}, render.Orbit{Distance: 10}
	var control, mouse render.OrbitControl
	view := render.Rect{W: 400, H: 200}
	var f Touches
	play := func(events []render.Event) {
		for _, e := range events {
			control.Handle(&orbit, e, view)
		}
	}
	play(f.Press(nil, 1, 100, 100))
	play(f.Move(nil, 1, 150, 120))
	for _, e := range []render.Event{{Kind: render.MousePress, X: 100, Y: 100}, {Kind: render.MouseMove, X: 150, Y: 120}} {
		mouse.Handle(&other, e, view)
	}
	if orbit.Yaw == 0 || orbit != other {
		t.Fatalf("the drag gives %v, that of a mouse %v", orbit, other)
	}
	before := orbit
	play(f.Press(nil, 2, 250, 120))
	for d := float32(1); d <= 50; d++ { // in turn, as a browser reports them
		play(f.Move(nil, 1, 150-d, 120))
		play(f.Move(nil, 2, 250+d, 120))
	}
	if math.Abs(float64(orbit.Distance-before.Distance/2)) > 1e-4 || orbit.Target.Sub(before.Target).Len() > 0.01*before.Distance || orbit.Yaw != before.Yaw {
		t.Fatalf("the pinch makes %v from %v", orbit, before)
	}
	// The remaining finger does nothing until all have left.
	before = orbit
	play(f.Release(nil, 1))
	play(f.Move(nil, 2, 10, 10))
	if orbit != before {
		t.Errorf("the finger that stays makes %v from %v", orbit, before)
	}
	play(f.Release(nil, 2))
	play(f.Press(nil, 3, 10, 10))
	play(f.Move(nil, 3, 20, 10))
	if orbit.Yaw == before.Yaw {
		t.Error("a new finger does not turn the camera")
	}
}

// Whatever fingers do: buttons and touches begin and end in turn, numbers are unique and small, and
// at the end nothing is held.
func TestTouchesInAnyOrder(t *testing.T) {
	pinched := false
	rapid.Check(t, func(t *rapid.T) {
		var f Touches
		held := map[int]bool{}
		var buttons [3]bool
		check := func(events []render.Event) {
			for _, e := range events {
				if e.Finger < 1 || e.Finger > maxFingers {
					t.Fatalf("finger %d", e.Finger)
				}
				switch e.Kind {
				case render.TouchPress, render.TouchRelease:
					if down := e.Kind == render.TouchPress; held[e.Finger] == down {
						t.Fatalf("finger %d twice", e.Finger)
					} else {
						held[e.Finger] = down
					}
				case render.MousePress, render.MouseRelease:
					if down := e.Kind == render.MousePress; buttons[e.Button] == down {
						t.Fatalf("button %d twice", e.Button)
					} else {
						buttons[e.Button] = down
					}
				case render.Scroll:
					pinched = true
					if math.IsNaN(float64(e.Y)) || math.IsInf(float64(e.Y), 0) {
						t.Fatalf("%v steps", e.Y)
					}
				}
			}
			if buttons[render.MouseLeft] && buttons[render.MouseRight] {
				t.Fatal("both buttons are held")
			}
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			id := rapid.IntRange(0, 12).Draw(t, "id")
			x, y := float32(rapid.IntRange(-5, 400).Draw(t, "x")), float32(rapid.IntRange(-5, 400).Draw(t, "y"))
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				check(f.Press(nil, id, x, y))
			case 1:
				check(f.Move(nil, id, x, y))
			default:
				check(f.Release(nil, id))
			}
		}
		check(f.ReleaseAll(nil))
		for n, down := range held {
			if down {
				t.Fatalf("finger %d is held", n)
			}
		}
		if buttons != [3]bool{} {
			t.Fatalf("buttons are held: %v", buttons)
		}
	})
	if !pinched && !testing.Short() {
		t.Error("no case had a pinch")
	}
}

// In steady state touches allocate nothing.
func TestTouchesDoNotAllocate(t *testing.T) {
	var f Touches
	out := make([]render.Event, 0, 64)
	x := float32(0)
	if n := testing.AllocsPerRun(100, func() {
		x++
		out = f.Press(out[:0], 1, x, 1)
		out = f.Press(out, 2, 200, 1)
		out = f.Move(out, 1, x+5, 2)
		out = f.Release(out, 1)
		out = f.Release(out, 2)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
