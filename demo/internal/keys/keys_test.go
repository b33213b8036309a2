package keys_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
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
		{key: 'P', want: func(s *settings.Settings) { s.Paused = true }},
		{key: render.KeyPause, want: func(s *settings.Settings) { s.Paused = true }},
		{key: render.KeyPeriod, want: func(s *settings.Settings) { s.Paused = true }, action: keys.Step},
		{key: render.KeyLeft, want: func(s *settings.Settings) { s.Speed = 0.5 }},
		{key: render.KeyRight, want: func(s *settings.Settings) { s.Speed = 2 }},
		{key: render.KeyDown, want: func(s *settings.Settings) { s.Rate = 30 }},
		{key: render.KeyUp, want: func(s *settings.Settings) { s.Rate = 120 }},
		{key: 'I', want: func(s *settings.Settings) { s.Interpolate = false }},
		{key: 'G', want: func(s *settings.Settings) { s.Ghosts = true }},
		{key: 'T', want: func(s *settings.Settings) { s.Split = true }},
		{key: 'T', from: func(s *settings.Settings) { s.Scene = settings.Arena }, want: func(s *settings.Settings) { s.Timeline = true }},
		{key: 'C', want: func(s *settings.Settings) { s.Cap = 144 }},
		{key: 'C', mods: render.ModShift, want: func(s *settings.Settings) { s.Cap = 30 }},
		{key: 'J', want: func(s *settings.Settings) { s.FrameJitter = 0.25 }},
		{key: 'X', want: func(s *settings.Settings) { s.StepCost = 5 * ms }},
		{key: 'X', mods: render.ModShift, want: func(s *settings.Settings) { s.StepCost = 40 * ms }},
		{key: 'U', want: func(s *settings.Settings) { s.GPU = true }},
		{key: 'Z', want: func(s *settings.Settings) { s.Adaptive = true }},
		{key: 'V', want: func(s *settings.Settings) { s.VSync = false }},
		{key: 'O', want: func(s *settings.Settings) { s.Overlay = settings.OverlayCaptions }},
		{key: 'O', mods: render.ModShift, want: func(s *settings.Settings) { s.Overlay = settings.OverlayNone }},
		{key: 'O', from: func(s *settings.Settings) { s.Overlay = settings.OverlayCaptions }, want: func(s *settings.Settings) { s.Overlay = settings.OverlayNone }},
		{key: 'O', from: func(s *settings.Settings) { s.Overlay = settings.OverlayNone }, want: func(s *settings.Settings) { s.Overlay = settings.OverlayAll }},
		{key: 'N', want: func(s *settings.Settings) { s.Graphs = false }},
		{key: render.KeyF2, want: func(s *settings.Settings) { s.Predict = false }},
		{key: render.KeyF3, want: func(s *settings.Settings) { s.Reconcile = false }},
		{key: render.KeyF4, want: func(s *settings.Settings) { s.Interpolation = articles.Kinds()[1] }},
		{key: render.KeyF4, mods: render.ModShift, want: func(s *settings.Settings) { s.Interpolation = articles.Kinds()[len(articles.Kinds())-1] }},
		{key: render.KeyF5, want: func(s *settings.Settings) { s.Still = true }},
		{key: 'E', want: func(*settings.Settings) {}, action: keys.Push},
		{key: 'H', want: func(s *settings.Settings) { s.Keys = true }},
		{key: render.KeyF1, want: func(s *settings.Settings) { s.Keys = true }},
		{key: '1', want: func(*settings.Settings) {}},
		{key: '3', want: func(s *settings.Settings) { s.Scene = "teleports" }},
		{key: '5', want: func(s *settings.Settings) { s.Scene = "stress" }},
		{key: render.KeyTab, want: func(s *settings.Settings) { s.Scene = "lanes" }},
		{key: '6', want: func(s *settings.Settings) { s.Scene = "lab" }},
		{key: 'L', want: func(s *settings.Settings) { s.Link.Latency = 300 * ms }},
		{key: 'L', mods: render.ModShift, want: func(s *settings.Settings) { s.Link.Latency = 100 * ms }},
		{key: 'K', want: func(s *settings.Settings) { s.Link.Jitter = 50 * ms }},
		{key: 'M', want: func(s *settings.Settings) { s.Link.Loss = 0.3 }},
		{key: 'B', want: func(s *settings.Settings) { s.Link.Burst = 0.01 }},
		{key: 'B', from: func(s *settings.Settings) { s.Link = settings.Link{} }, want: func(s *settings.Settings) { s.Link.Bursts = true }},
		{key: 'Y', want: func(s *settings.Settings) { s.Link.Duplicate = 0.1 }},
		{key: 'Q', mods: render.ModShift, want: func(s *settings.Settings) { s.Link.Reorder = 0.3 }},
		{key: render.KeySlash, want: func(s *settings.Settings) { s.Link.SendRate = 60 }},
		{key: render.KeyTab, mods: render.ModShift, want: func(s *settings.Settings) { s.Scene = "lab" }},
		{key: render.KeyTab, from: func(s *settings.Settings) { s.Scene = "lab" }, want: func(s *settings.Settings) { s.Scene = "orbits" }},
		{key: render.KeyBackspace, want: func(*settings.Settings) {}, action: keys.Restart},
		{key: render.KeyF12, want: func(*settings.Settings) {}, action: keys.Screenshot},
		{key: 'R', want: func(*settings.Settings) {}, action: keys.Record},
		{key: render.KeyF10, want: func(*settings.Settings) {}, action: keys.Record},
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
		key, known := keys.Apply(groups, &got, test.key, test.mods)
		if action := key.Action; !known || got != want || action != test.action {
			t.Errorf("%v with modifiers %d: known %v, action %d, want %d, settings\n got %+v\nwant %+v", test.key, test.mods, known, key.Action, test.action, got, want)
		}
	}
	s := settings.Default()
	if _, known := keys.Apply(groups, &s, render.KeyEnd, 0); known || s != settings.Default() {
		t.Errorf("End is bound to something, or changes the settings: %+v", s)
	}
}

// A key that is bound twice would have the function of the first binding, but T: scenes can be
// split, and matches cannot.
func TestNoKeyIsBoundTwice(t *testing.T) {
	// Held keys that the game reads itself.
	seen := map[render.Key]string{'W': "run", 'A': "run", 'S': "run", 'D': "run", render.KeySpace: "jump"}
	bound(t, seen, keys.Groups(scenes.Names()))
	for _, again := range []bool{false, true} {
		bound(t, map[render.Key]string{}, keys.For(scenes.Names(), scene.Info{Match: true, Replay: true, Again: again}))
	}
}

func bound(t *testing.T, seen map[render.Key]string, groups []keys.Group) {
	t.Helper()
	for _, g := range groups {
		for _, b := range g.Bindings {
			if b.Text == "" || b.Cap == "" || b.Change == nil && b.Action == keys.None && len(b.Keys) > 0 {
				t.Errorf("%+v does nothing or is not explained", b)
			}
			for _, k := range b.Keys {
				if other, ok := seen[k]; ok && !(k == 'T' && b.In == keys.Match) {
					t.Errorf("%v is bound to %q and to %q", k, other, b.Text)
				}
				seen[k] = b.Text
			}
		}
	}
}

// In a match the help has the keys of the match and not those of scenes, and the other way round.
func TestKeysHere(t *testing.T) {
	groups := keys.Groups(scenes.Names())
	for _, info := range []scene.Info{{}, {Match: true, Linked: true}, {Match: true, Linked: true, Alone: true}} {
		match := info.Match
		caps := map[string]bool{}
		for _, g := range keys.Here(groups, info) {
			for _, b := range g.Bindings {
				caps[b.Cap] = true
			}
		}
		for cap, want := range map[string]bool{"W A S D": match, "E": match, "F2": match, "P": !match, "Tab": !match || info.Alone, "/": !match, "L": true, "O": true, "Esc": true} {
			if caps[cap] != want {
				t.Errorf("%+v: %s is explained: %v", info, cap, caps[cap])
			}
		}
	}
}

// In a replay the keys of time and view have a meaning of their own, and those of the window have
// the one that they have everywhere.
func TestKeysOfReplays(t *testing.T) {
	info := scene.Info{Match: true, Replay: true}
	again, dropped := info, info
	again.Again, dropped.Dropped = true, true
	for _, test := range []struct {
		info   scene.Info
		key    render.Key
		want   func(s *settings.Settings)
		action keys.Action
	}{
		{info, render.KeySpace, func(s *settings.Settings) { s.Paused = true }, keys.None},
		{info, render.KeyComma, func(s *settings.Settings) { s.Paused = true }, keys.StepBack},
		{info, render.KeyPeriod, func(s *settings.Settings) { s.Paused = true }, keys.Step},
		{info, render.KeyLeft, nil, keys.Earlier},
		{info, render.KeyRight, nil, keys.Later},
		{info, '2', func(s *settings.Settings) { s.Speed = 0.25 }, keys.None},
		{info, '5', func(s *settings.Settings) { s.Speed = 2 }, keys.None},
		{info, render.KeyTab, nil, keys.NextPlayer},
		{info, 'V', nil, keys.NextView},
		{info, 'M', nil, keys.NextMark},
		{info, render.KeyEnter, nil, keys.Again},
		{again, render.KeyEscape, nil, keys.Again},
		{info, render.KeyEscape, nil, keys.Quit},
		{dropped, render.KeyEscape, nil, keys.Leave},
		{info, 'O', func(s *settings.Settings) { s.Overlay = settings.OverlayCaptions }, keys.None},
		{info, render.KeyF12, nil, keys.Screenshot},
	} {
		got := settings.Default()
		want := got
		if test.want != nil {
			test.want(&want)
		}
		b, known := keys.Apply(keys.For(scenes.Names(), test.info), &got, test.key, 0)
		if !known || got != want || b.Action != test.action || !b.In.Works(test.info) {
			t.Errorf("%v: known %v, action %d, want %d, settings\n got %+v\nwant %+v", test.key, known, b.Action, test.action, got, want)
		}
	}
	for _, key := range []render.Key{'G', 'L', 'K', 'E', render.KeyF2} {
		s := settings.Default()
		if b, known := keys.Apply(keys.For(scenes.Names(), info), &s, key, 0); known {
			t.Errorf("%v in a replay: %s", key, b.Text)
		}
	}
}
