package keys_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

func TestKeys(t *testing.T) {
	groups := keys.Groups(scenes.Names())
	ms := time.Millisecond
	for _, test := range []struct {
		key    render.Key
		mods   render.Mods
		from   func(s *settings.Settings)
		want   func(s *settings.Settings)
		action keys.Action
	}{
		{key: render.KeySpace, want: func(s *settings.Settings) { s.Paused = true }},
		{key: render.KeyPeriod, want: func(s *settings.Settings) { s.Paused = true }, action: keys.Step},
		{key: render.KeyLeft, want: func(s *settings.Settings) { s.Speed = 0.5 }},
		{key: render.KeyRight, want: func(s *settings.Settings) { s.Speed = 2 }},
		{key: render.KeyDown, want: func(s *settings.Settings) { s.Rate = 30 }},
		{key: render.KeyUp, want: func(s *settings.Settings) { s.Rate = 120 }},
		{key: 'I', want: func(s *settings.Settings) { s.Interpolate = false }},
		{key: 'G', want: func(s *settings.Settings) { s.Ghosts = true }},
		{key: 'T', want: func(s *settings.Settings) { s.Split = true }},
		{key: 'C', want: func(s *settings.Settings) { s.Cap = 144 }},
		{key: 'C', mods: render.ModShift, want: func(s *settings.Settings) { s.Cap = 30 }},
		{key: 'J', want: func(s *settings.Settings) { s.Jitter = 0.25 }},
		{key: 'X', want: func(s *settings.Settings) { s.StepCost = 5 * ms }},
		{key: 'X', mods: render.ModShift, want: func(s *settings.Settings) { s.StepCost = 40 * ms }},
		{key: 'U', want: func(s *settings.Settings) { s.GPU = true }},
		{key: 'A', want: func(s *settings.Settings) { s.Adaptive = true }},
		{key: 'V', want: func(s *settings.Settings) { s.VSync = false }},
		{key: 'O', want: func(s *settings.Settings) { s.Overlay = false }},
		{key: 'H', want: func(s *settings.Settings) { s.Keys = true }},
		{key: render.KeyF1, want: func(s *settings.Settings) { s.Keys = true }},
		{key: '1', want: func(*settings.Settings) {}},
		{key: '3', want: func(s *settings.Settings) { s.Scene = "teleports" }},
		{key: '5', want: func(s *settings.Settings) { s.Scene = "stress" }},
		{key: render.KeyTab, want: func(s *settings.Settings) { s.Scene = "orbits" }},
		{key: '6', want: func(s *settings.Settings) { s.Scene = "lab" }},
		{key: 'L', want: func(s *settings.Settings) { s.Link.Latency = 300 * ms }},
		{key: 'L', mods: render.ModShift, want: func(s *settings.Settings) { s.Link.Latency = 100 * ms }},
		{key: 'K', want: func(s *settings.Settings) { s.Link.Jitter = 0.25 }},
		{key: 'M', want: func(s *settings.Settings) { s.Link.Loss = 0.3 }},
		{key: 'B', want: func(s *settings.Settings) { s.Link.Burst = 0.01 }},
		{key: 'D', want: func(s *settings.Settings) { s.Link.Duplicate = 0.1 }},
		{key: 'E', mods: render.ModShift, want: func(s *settings.Settings) { s.Link.Reorder = 0.3 }},
		{key: 'S', want: func(s *settings.Settings) { s.Link.SendRate = 60 }},
		{key: render.KeyTab, mods: render.ModShift, want: func(s *settings.Settings) { s.Scene = "lab" }},
		{key: render.KeyTab, from: func(s *settings.Settings) { s.Scene = "lab" }, want: func(s *settings.Settings) { s.Scene = "lanes" }},
		{key: render.KeyBackspace, want: func(*settings.Settings) {}, action: keys.Restart},
		{key: 'P', want: func(*settings.Settings) {}, action: keys.Screenshot},
		{key: 'R', want: func(*settings.Settings) {}, action: keys.Record},
		{key: 'F', want: func(*settings.Settings) {}, action: keys.Fullscreen},
		{key: render.KeyHome, want: func(*settings.Settings) {}, action: keys.ResetCamera},
		{key: render.KeyEscape, want: func(*settings.Settings) {}, action: keys.Quit},
		{key: render.KeyEscape, from: func(s *settings.Settings) { s.Keys = true }, want: func(s *settings.Settings) { s.Keys = false }},
	} {
		got := settings.Default()
		got.Rate, got.Cap = 60, 60
		if test.from != nil {
			test.from(&got)
		}
		want := got
		test.want(&want)
		action, known := keys.Apply(groups, &got, test.key, test.mods)
		if !known || got != want || action != test.action {
			t.Errorf("%v with modifiers %d: known %v, action %d, want %d, settings\n got %+v\nwant %+v", test.key, test.mods, known, action, test.action, got, want)
		}
	}
	s := settings.Default()
	if _, known := keys.Apply(groups, &s, 'Z', 0); known || s != settings.Default() {
		t.Errorf("Z is bound to something, or changes the settings: %+v", s)
	}
}

// A key that is bound twice would do whatever stands first.
func TestNoKeyIsBoundTwice(t *testing.T) {
	seen := map[render.Key]string{}
	for _, g := range keys.Groups(scenes.Names()) {
		for _, b := range g.Bindings {
			if b.Text == "" || b.Cap == "" || b.Change == nil && b.Action == keys.None {
				t.Errorf("%+v does nothing or is not explained", b)
			}
			for _, k := range b.Keys {
				if other, ok := seen[k]; ok {
					t.Errorf("%v is bound to %q and to %q", k, other, b.Text)
				}
				seen[k] = b.Text
			}
		}
	}
}
