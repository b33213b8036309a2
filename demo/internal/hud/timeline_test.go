package hud

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
)

// The timeline stays within its rectangle, in pictures of any size, and shows as many tracks as
// have room there.
func TestTimeline(t *testing.T) {
	log := timeline.New(0)
	log.Names[7] = "a rather long name of a player"
	for n := range 600 {
		at := time.Duration(n) * time.Second / 60
		log.Add(timeline.Event{Kind: timeline.View, At: at, A: 0.1, B: 0.12, C: float32(n/100%2) + 0.001})
		log.Add(timeline.Event{Kind: timeline.Frame, At: at, A: 0.016 + float32(n/50%2)*0.1, N: uint32(n % 3), D: 1})
		flags := timeline.Flags(0)
		if n%100 < 30 {
			flags = timeline.Starved | timeline.Held
		}
		speed := float32(6)
		if n == 300 {
			speed = 1800
		}
		log.Add(timeline.Event{Kind: timeline.Drawn, Body: 7, At: at, C: speed, Flags: flags})
		log.Add(timeline.Event{Kind: timeline.Drawn, Body: 9, At: at, C: speed, Flags: timeline.Own})
		if n%3 == 0 && n%7 != 0 {
			log.Add(timeline.Event{Kind: timeline.Snapshot, At: at, N: uint32(n / 3), A: 0.01, B: 0.1})
			log.Add(timeline.Event{Kind: timeline.Sample, Body: 7, At: at})
		}
		if n%40 == 0 {
			log.Add(timeline.Event{Kind: timeline.State, At: at, Flags: timeline.Corrected, A: 1})
			log.Add(timeline.Event{Kind: timeline.Teleported, Body: 7, At: at})
		}
	}
	tracks := log.Tracks()
	theme := render.Dusk()
	frame := render.NewFrame(theme)
	for _, size := range []render.Size{{Width: 64, Height: 64}, {Width: 320, Height: 180}, {Width: 640, Height: 360}, {Width: 1280, Height: 720}, {Width: 3840, Height: 2160, Scale: 2}, {Width: 200, Height: 2000}} {
		frame.Begin(size)
		o := &frame.Overlay
		w, h := size.Points()
		r := render.Rect{X: 10, Y: h * 0.4, W: w - 20, H: h*0.6 - 10}
		top := Timeline(o, r, tracks, 2*time.Second, 10*time.Second)
		if top < r.Y || top > r.Y+r.H {
			t.Errorf("%v: it begins at %v, in a rectangle from %v to %v", size, top, r.Y, r.Y+r.H)
		}
		if high := r.Y + r.H - top; w > 400 && high < 60 || w > 1000 && high < 240 {
			t.Errorf("%v: it is %v high", size, high)
		}
		scale := float32(size.Width) / w
		for _, v := range o.Vertices() {
			if x, y := v.X/scale, v.Y/scale; x < r.X-2 || x > r.X+r.W+2 || y < top-2 || y > r.Y+r.H+2 {
				t.Errorf("%v: something is drawn at %v, %v", size, x, y)
				break
			}
		}
	}
}

// The name of a mark gives way to the strokes of samples behind it.
func TestNamesInATimeline(t *testing.T) {
	frame := render.NewFrame(render.Dusk())
	drawn := func(samples, mark bool) int {
		log := timeline.New(0)
		for n := range 600 {
			at := time.Duration(n) * time.Second / 60
			log.Add(timeline.Event{Kind: timeline.Drawn, Body: 7, At: at, C: 6})
			if samples && n%3 == 0 {
				log.Add(timeline.Event{Kind: timeline.Sample, Body: 7, At: at})
			}
			if mark && n == 300 {
				log.Add(timeline.Event{Kind: timeline.Teleported, Body: 7, At: at})
			}
		}
		frame.Begin(render.Size{Width: 560, Height: 400})
		Timeline(&frame.Overlay, render.Rect{W: 500, H: 300}, log.Tracks(), 2*time.Second, 10*time.Second)
		return len(frame.Overlay.Vertices()) / 4
	}
	const triangle = 5
	if n := drawn(false, true) - drawn(false, false); n < triangle+len("teleported") {
		t.Errorf("a mark alone takes %d quadrilaterals: it has no name", n)
	}
	if n := drawn(true, true) - drawn(true, false); n != triangle {
		t.Errorf("a mark among samples takes %d quadrilaterals, want %d", n, triangle)
	}
}
