package hud

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
)

func TestMeter(t *testing.T) {
	var m meter
	if _, _, ok := m.rates(); ok {
		t.Error("there are rates before there was a frame")
	}
	now := ecs.Time{}
	run := func(frames int, delta time.Duration, stepsPerFrame uint64) {
		for range frames {
			now.Real += delta
			now.Tick += stepsPerFrame
			m.add(now)
		}
	}
	check := func(what string, wantFrames, wantSteps float64) {
		t.Helper()
		frames, steps, ok := m.rates()
		if !ok || math.Abs(frames-wantFrames) > 0.01*wantFrames || math.Abs(steps-wantSteps) > 0.01*wantSteps+1e-9 {
			t.Errorf("%s: %v frames and %v steps per second, want %v and %v", what, frames, steps, wantFrames, wantSteps)
		}
	}
	run(100, 20*time.Millisecond, 2)
	check("50 fps, two steps each", 50, 100)
	run(300, time.Second/144, 0)
	check("144 fps, paused", 144, 0)
	for range 6 { // two steps a second: three of them are within some seconds
		run(71, time.Second/144, 0)
		run(1, time.Second/144, 1)
		if _, steps, _ := m.rates(); math.Abs(steps-2) > 0.02 && now.Tick > 201 {
			t.Errorf("two steps a second read %v", steps)
		}
	}
	run(20, time.Second/144, 0)
	check("in between", 144, 2)
	run(3, 2*time.Second, 1)
	check("a frame every two seconds", 0.5, 0.5)
	run(3000, 100*time.Microsecond, 0)
	check("more frames in a second than are kept", 10000, 0)
}

func TestSpeedometer(t *testing.T) {
	place, jumps := mgl32.Vec3{}, uint(0)
	s := speedometer{followed: scene.Followed{Position: func() mgl32.Vec3 { return place }, Jump: func() uint { return jumps }}}
	measure := func(dx float32, delta time.Duration) float32 {
		place[0] += dx
		return s.measure(delta)
	}
	if v := measure(5, time.Second); v == v {
		t.Errorf("the first frame has a speed: %v", v)
	}
	// Frames of any length show the same speed of an even motion.
	for _, d := range []time.Duration{5 * time.Millisecond, 40 * time.Millisecond, time.Second} {
		if v := measure(float32(3*d.Seconds()), d); math.Abs(float64(v)-3) > 1e-3 {
			t.Errorf("a frame of %v: %v units/s, want 3", d, v)
		}
	}
	if v := measure(0, 10*time.Millisecond); v != 0 {
		t.Errorf("standing still: %v", v)
	}
	jumps++
	if v := measure(100, 10*time.Millisecond); v == v {
		t.Errorf("a jump has a speed: %v", v)
	}
	if v := measure(0.03, 10*time.Millisecond); math.Abs(float64(v)-3) > 1e-3 {
		t.Errorf("after the jump: %v", v)
	}
	for _, d := range []time.Duration{0, time.Microsecond} {
		if v := measure(0, d); v == v {
			t.Errorf("a frame of %v has a speed: %v", d, v)
		}
	}
}

// The overlay stays within the picture and its panels apart from each other, in pictures of any
// size. In steady state it allocates nothing.
func TestDraw(t *testing.T) {
	theme := render.Daylight()
	place := mgl32.Vec3{}
	h := New(&theme, []scene.Followed{{Name: "a rather long name of a body", Position: func() mgl32.Vec3 { return place }}, {Name: "another", Position: func() mgl32.Vec3 { return place }}})
	now := ecs.Time{Rate: 30, Fixed: time.Second, FixedDelta: time.Second / 30}
	for range 300 {
		place[0] += 0.1
		now.Real += time.Second / 60
		now.NormalDelta = time.Second / 60
		h.Measure(now)
	}
	set := settings.Default()
	set.Rate, set.Cap, set.FrameJitter, set.StepCost, set.Adaptive = 60, 144, 0.5, 40*time.Millisecond, true
	names := []string{"a", "b", "c", "d", "e"}
	for _, help := range []bool{false, true} {
		for _, live := range []bool{false, true} {
			for _, size := range []render.Size{{Width: 64, Height: 64}, {Width: 320, Height: 180}, {Width: 640, Height: 360}, {Width: 1280, Height: 720}, {Width: 3840, Height: 2160, Scale: 2}, {Width: 360, Height: 640}, {Width: 640, Height: 300}, {Width: 200, Height: 2000}} {
				frame := render.NewFrame(theme)
				state := State{
					Info: scene.Info{Title: "A title", Caption: "A caption that is long enough to be broken into lines, because it says twice what it says, because it says twice what it says."},
					Set:  set, Now: now, Moment: Moment{Room: render.Whole(), Live: live, Update: 3 * time.Millisecond},
				}
				over := Over{Keys: keys.Groups(names), Help: help, Recording: true, Room: render.Whole()}
				draw := func() {
					frame.Begin(size)
					h.Draw(&frame.Overlay, &state)
					over.Draw(&frame.Overlay)
				}
				draw()
				for _, v := range frame.Overlay.Vertices() {
					if size.Width >= 320 && size.Height >= 180 && (v.X < 0 || v.Y < 0 || v.X > float32(size.Width) || v.Y > float32(size.Height)) {
						t.Errorf("size %v, live %v: something is drawn at %v, %v", size, live, v.X, v.Y)
						break
					}
				}
				if size.Width >= 320 && len(frame.Overlay.Vertices()) == 0 {
					t.Errorf("size %v: nothing is drawn", size)
				}
				if n := testing.AllocsPerRun(20, draw); n > 0 && !help {
					t.Errorf("size %v, live %v: %v allocations per frame", size, live, n)
				}
			}
		}
	}
}

// However long a key's text is, it ends before the other column begins, and within the panel.
func TestKeysDoNotRunIntoEachOther(t *testing.T) {
	const long = "does something that takes more words to say than one would think at first, and then some"
	groups := []keys.Group{{Title: "One", Bindings: []keys.Binding{{Cap: "A", Text: long}}}, {Title: "Two", Bindings: []keys.Binding{{Cap: "Home", Text: "short"}}}}
	frame := render.NewFrame(render.Daylight())
	frame.Begin(render.Size{Width: 1280, Height: 720})
	o := &frame.Overlay
	drawKeys(o, groups, (&Over{}).hint())
	vertices := o.Vertices()
	most := float32(0)
	for _, v := range vertices { // the panel itself is drawn first, and nothing is wider
		most = max(most, v.X)
	}
	left := 1280 - most
	if most > 1280 || 2*(74+o.Width(render.TextSmall, long)) > most-left {
		t.Errorf("two columns of %.0f points in a panel from %.0f to %.0f", 74+o.Width(render.TextSmall, long), left, most)
	}
}

// A window of half the usual size still explains all keys. A smaller one explains as many as fit,
// and states that there are more.
func TestKeysFit(t *testing.T) {
	groups := keys.Groups([]string{"orbits", "lanes", "teleports", "physics", "stress", "lab", "arena"})
	for _, match := range []bool{false, true} {
		keysFit(t, keys.Here(groups, scene.Info{Match: match, Linked: match, Alone: match}), match)
	}
}

func keysFit(t *testing.T, groups []keys.Group, match bool) {
	t.Helper()
	for _, test := range []struct {
		size render.Size
		all  bool
	}{
		{render.Size{Width: 1280, Height: 720}, true}, {render.Size{Width: 2560, Height: 1440, Scale: 2}, true}, {render.Size{Width: 640, Height: 360}, true}, {render.Size{Width: 640, Height: 300}, true},
		{render.Size{Width: 350, Height: 640}, true}, {render.Size{Width: 400, Height: 300}, false}, {render.Size{Width: 64, Height: 64}, false},
	} {
		frame := render.NewFrame(render.Dusk())
		frame.Begin(test.size)
		o := &frame.Overlay
		if all := drawKeys(o, groups, (&Over{Match: match}).hint()); all != test.all {
			t.Errorf("%v: all keys are explained: %v, want %v", test.size, all, test.all)
		}
		n := len(o.Vertices())
		if n < 100 && test.size.Width > 64 {
			t.Errorf("%v: %d vertices: are there no keys?", test.size, n)
		}
	}
}

// Time that was dropped stands out for a while, not for ever.
func TestDroppedStandsOutAndPasses(t *testing.T) {
	theme := render.Daylight()
	h := New(&theme, nil)
	now := ecs.Time{Rate: 60, FixedDelta: time.Second / 60}
	bad := func() (n int) {
		frame := render.NewFrame(theme)
		frame.Begin(render.Size{Width: 1280, Height: 720})
		h.Draw(&frame.Overlay, &State{Set: settings.Settings{Interpolate: true, Rate: 60}, Now: now, Moment: Moment{Room: render.Whole()}})
		for _, v := range frame.Overlay.Vertices() {
			if v.Color == theme.Bad {
				n++
			}
		}
		return n
	}
	advance := func(real, dropped time.Duration) {
		now.Real += real
		now.Dropped += dropped
		h.Measure(now)
	}
	advance(time.Second, 0)
	if bad() != 0 {
		t.Error("nothing was dropped, and something stands out")
	}
	advance(time.Second, 40*time.Millisecond)
	advance(time.Second, 0)
	if bad() == 0 {
		t.Error("a second ago time was dropped, and nothing stands out")
	}
	advance(5*time.Second, 0)
	if bad() != 0 {
		t.Error("six seconds ago time was dropped, and it still stands out")
	}
}

func TestWrapping(t *testing.T) {
	frame := render.NewFrame(render.Daylight())
	frame.Begin(render.Size{Width: 500, Height: 500})
	var w wrapped
	const text = "one two three four five six seven eight nine ten"
	lines := w.lines(&frame.Overlay, render.TextSmall, text, 90)
	if len(lines) < 3 {
		t.Fatalf("%q", lines)
	}
	joined := ""
	for _, line := range lines {
		if frame.Overlay.Width(render.TextSmall, line) > 90 {
			t.Errorf("%q is too wide", line)
		}
		joined += " " + line
	}
	if joined[1:] != text {
		t.Errorf("%q has lost something", joined)
	}
	if lines := w.lines(&frame.Overlay, render.TextSmall, "unbreakable", 5); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
}

// With captions only there are the title and its text, and nothing more; without the overlay there
// is nothing.
func TestCaptions(t *testing.T) {
	theme := render.Daylight()
	h := New(&theme, nil)
	info := scene.Info{Title: "A title", Caption: "A caption"}
	written := func(set settings.Settings, info scene.Info) int {
		frame := render.NewFrame(theme)
		frame.Begin(render.Size{Width: 1280, Height: 720})
		h.Draw(&frame.Overlay, &State{Info: info, Set: set, Moment: Moment{Room: render.Whole(), Live: true}})
		return len(frame.Overlay.Vertices())
	}
	all, captions := written(settings.Settings{}, info), written(settings.Settings{Overlay: settings.OverlayCaptions}, info)
	other := written(settings.Settings{Overlay: settings.OverlayCaptions}, scene.Info{Title: "A title", Caption: "A caption that is longer"})
	if none := written(settings.Settings{Overlay: settings.OverlayNone}, info); none != 0 || captions < 50 || captions > all/2 || other <= captions {
		t.Errorf("%d vertices with all, %d with captions, %d with longer ones, %d with nothing", all, captions, other, none)
	}
}
