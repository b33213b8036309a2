package app

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

func TestDescribe(t *testing.T) {
	base := settings.Default()
	base.Rate = 60
	for want, change := range map[string]func(*settings.Settings){
		"scene orbits":                      func(s *settings.Settings) { s.Scene, s.Rate = "orbits", 10 },
		"fixed rate 5 Hz":                   func(s *settings.Settings) { s.Rate = 5 },
		"blending on the GPU on, restarted": func(s *settings.Settings) { s.GPU = true },
		"adaptive rate on, restarted":       func(s *settings.Settings) { s.Adaptive = true },
		"paused":                            func(s *settings.Settings) { s.Paused = true },
		"speed 0.25":                        func(s *settings.Settings) { s.Speed = 0.25 },
		"interpolation off":                 func(s *settings.Settings) { s.Interpolate = false },
		"raw beside interpolated":           func(s *settings.Settings) { s.Split = true },
		"ghosts on":                         func(s *settings.Settings) { s.Ghosts = true },
		"at most 30 frames per second":      func(s *settings.Settings) { s.Cap = 30 },
		"frame jitter 25 %":                 func(s *settings.Settings) { s.FrameJitter = 0.25 },
		"every step takes 20 ms":            func(s *settings.Settings) { s.StepCost = 20 * time.Millisecond },
		"vsync off":                         func(s *settings.Settings) { s.VSync = false },
		"network: round trip 400ms":         func(s *settings.Settings) { s.Link.Latency = 400 * time.Millisecond },
		"network: round trip ± 50ms":        func(s *settings.Settings) { s.Link.Jitter = 50 * time.Millisecond },
		"network: 30 % lost":                func(s *settings.Settings) { s.Link.Loss = 0.3 },
		"network: bursts of losses 2 %":     func(s *settings.Settings) { s.Link.Burst = 0.02 },
		"network: 10 % twice":               func(s *settings.Settings) { s.Link.Duplicate = 0.1 },
		"network: 10 % overtaken":           func(s *settings.Settings) { s.Link.Reorder = 0.1 },
		"network: 10 snapshots a second":    func(s *settings.Settings) { s.Link.SendRate = 10 },
		"network: losses in bursts on":      func(s *settings.Settings) { s.Link.Bursts = true },
		"captions only":                     func(s *settings.Settings) { s.Overlay = settings.OverlayCaptions },
		"overlay off":                       func(s *settings.Settings) { s.Overlay = settings.OverlayNone },
		"graphs off":                        func(s *settings.Settings) { s.Graphs = false },
		"prediction off":                    func(s *settings.Settings) { s.Predict = false },
		"reconciliation off":                func(s *settings.Settings) { s.Reconcile = false },
		"others: Chase":                     func(s *settings.Settings) { s.Interpolation = interp.Chase },
		"the camera stands still":           func(s *settings.Settings) { s.Still = true },
		// seen without words
		"": func(s *settings.Settings) { s.Keys = true },
	} {
		after := base
		change(&after)
		if got := describe(base, after); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := describe(settings.Settings{Cap: 60}, settings.Settings{}); got != "no frame-rate cap" {
		t.Errorf("got %q", got)
	}
}

// Keys without an effect here say so.
func TestIdleKeys(t *testing.T) {
	groups := keys.Groups(scenes.WithArena())
	for _, test := range []struct {
		scene string
		key   render.Key
		want  string
	}{
		{"lanes", 'M', "the network link belongs to scene lab: key 6"},
		{"lab", 'M', ""},
		{"lab", render.KeySlash, ""},
		{"lab", 'U', "the GPU blends only in scene stress: key 5"},
		{"stress", 'U', ""},
		{"orbits", 'G', ""},
		{"orbits", 'T', ""},
		{"physics", 'T', "this scene compares by itself; T is for orbits and stress"},
		{"lanes", render.KeyF2, "this key is for the arena: go run ./demo duel"},
		{"lanes", 'E', "this key is for the arena: go run ./demo duel"},
		{settings.Arena, render.KeyF2, ""},
		{settings.Arena, 'M', ""},
		{settings.Arena, 'O', ""},
		{settings.Arena, 'P', "this key is for scenes: the server sets the time of a match"},
		{settings.Arena, '1', "other players are here: Esc leaves the match"},
		{"alone", '1', ""},
		{"lanes", '7', ""},
		{settings.Arena, render.KeySlash, "the server sets the snapshot rate"},
	} {
		before := settings.Default()
		before.Scene = test.scene
		info := scene.Info{Match: true, Linked: true, Alone: test.scene == "alone"}
		if entry, ok := scenes.Find(test.scene); ok {
			info = entry.Info
		}
		after := before
		key, known := keys.Apply(groups, &after, test.key, 0)
		if got := unavailable(key, info, before, after); !known || got != test.want {
			t.Errorf("%s, key %q: %q, want %q", test.scene, test.key, got, test.want)
		}
	}
}
