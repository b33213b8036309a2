package keys_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

const ms = time.Millisecond

// press returns the settings after a press of a key.
func press(t *testing.T, s settings.Settings, key render.Key, mods render.Mods) settings.Settings {
	t.Helper()
	if _, known := keys.Apply(keys.Groups(scenes.Names()), &s, key, mods); !known {
		t.Fatalf("%v has no binding", key)
	}
	return s
}

// values returns the values of a setting over presses of a key, until the key changes nothing or
// the first value comes again.
func values[T comparable](t *testing.T, s settings.Settings, key render.Key, of func(s *settings.Settings) *T) (all []T) {
	first := *of(&s)
	for {
		all = append(all, *of(&s))
		before := s
		if s = press(t, s, key, 0); s == before || *of(&s) == first {
			return all
		}
	}
}

func TestLadders(t *testing.T) {
	s := settings.Default()
	s.Speed, s.Rate, s.Cap = 2, 5, 20
	if got := values(t, s, render.KeyLeft, func(s *settings.Settings) *float64 { return &s.Speed }); !slices.Equal(got, []float64{settings.MaxKeySpeed, 1, 0.5, 0.25, 0.1}) {
		t.Errorf("speeds downwards: %v", got)
	}
	if got := values(t, s, render.KeyUp, func(s *settings.Settings) *int { return &s.Rate }); !slices.Equal(got, []int{5, 10, 15, 20, 30, 60, settings.MaxKeyRate}) {
		t.Errorf("rates upwards: %v", got)
	}
	if got := values(t, s, 'C', func(s *settings.Settings) *int { return &s.Cap }); !slices.Equal(got, []int{20, 30, 60, 144, 0}) {
		t.Errorf("caps: %v", got)
	}
	if got := press(t, s, 'C', render.ModShift); got.Cap != 0 {
		t.Errorf("backwards from a cap of 20: %d, want 0 (none)", got.Cap)
	}
	if got := values(t, s, 'X', func(s *settings.Settings) *time.Duration { return &s.StepCost }); !slices.Equal(got, []time.Duration{0, 5 * ms, 10 * ms, 20 * ms, 40 * ms}) {
		t.Errorf("step costs: %v", got)
	}
}

// The keys of the link reach 0 and 400 ms, and come back to where they were.
func TestLinkLadders(t *testing.T) {
	s := settings.Default()
	for _, key := range []render.Key{'L', 'K', 'M', 'B', 'Y', 'Q', render.KeySlash} {
		seen := map[settings.Link]bool{s.Link: true}
		m := s
		for m = press(t, m, key, 0); m.Link != s.Link; m = press(t, m, key, 0) {
			if l := m.Link; seen[l] || l.Latency < 0 || l.Latency > settings.MaxLatency || l.SendRate < 1 || l.SendRate > settings.MaxSendRate {
				t.Fatalf("%v: %+v comes twice, or is no link", key, l)
			}
			seen[m.Link] = true
		}
		if len(seen) < 3 {
			t.Errorf("%v has only %d values", key, len(seen))
		}
		if m = press(t, press(t, m, key, 0), key, render.ModShift); m != s {
			t.Errorf("%v: there and back is %+v", key, m)
		}
	}
	s.Link.Latency = 0
	if got := values(t, s, 'L', func(s *settings.Settings) *time.Duration { return &s.Link.Latency }); !slices.Equal(got, []time.Duration{0, 50 * ms, 100 * ms, 200 * ms, 300 * ms, 400 * ms}) {
		t.Errorf("latencies: %v", got)
	}
}

// A flag may set a value that is no rung: keys go on from there to the nearest one in their
// direction.
func TestLadderFromBetween(t *testing.T) {
	for _, test := range []struct {
		from, want int
		key        render.Key
	}{{13, 15, render.KeyUp}, {13, 10, render.KeyDown}, {1000, 1000, render.KeyUp}, {1000, 120, render.KeyDown}, {2, 2, render.KeyDown}} {
		if got := press(t, settings.Settings{Rate: test.from}, test.key, 0); got.Rate != test.want {
			t.Errorf("%v from %d Hz: %d, want %d", test.key, test.from, got.Rate, test.want)
		}
	}
	for _, test := range []struct {
		from, want int
		mods       render.Mods
	}{{75, 144, 0}, {75, 60, render.ModShift}, {500, 20, 0}, {500, 0, render.ModShift}} {
		if got := press(t, settings.Settings{Cap: test.from}, 'C', test.mods); got.Cap != test.want {
			t.Errorf("modifiers %d from a cap of %d: %d, want %d", test.mods, test.from, got.Cap, test.want)
		}
	}
}

// A key says what it has changed.
func TestRemarks(t *testing.T) {
	for _, test := range []struct {
		key  render.Key
		want string
		from func(*settings.Settings)
	}{
		{key: '2', want: "scene lanes"},
		{key: render.KeyTab, want: "scene lanes"},
		{key: render.KeyDown, want: "fixed rate 5 Hz", from: func(s *settings.Settings) { s.Rate = 10 }},
		{key: render.KeyDown, want: "fixed rate at most 5 Hz, restarted", from: func(s *settings.Settings) { s.Rate, s.Adaptive = 10, true }},
		{key: 'U', want: "blending on the GPU on, restarted"},
		{key: 'Z', want: "adaptive rate on, restarted"},
		{key: 'P', want: "paused"},
		{key: 'P', want: "resumed", from: func(s *settings.Settings) { s.Paused = true }},
		{key: render.KeyPeriod, want: "paused"},
		{key: render.KeyLeft, want: "speed 0.25", from: func(s *settings.Settings) { s.Speed = 0.5 }},
		{key: 'I', want: "interpolation off"},
		{key: 'T', want: "raw beside interpolated"},
		{key: 'T', want: "one picture", from: func(s *settings.Settings) { s.Split = true }},
		{key: 'T', want: "the timeline of the last seconds", from: func(s *settings.Settings) { s.Scene = settings.Arena }},
		{key: 'G', want: "ghosts on"},
		{key: 'C', want: "at most 30 frames per second", from: func(s *settings.Settings) { s.Cap = 20 }},
		{key: 'C', want: "no frame-rate cap", from: func(s *settings.Settings) { s.Cap = 144 }},
		{key: 'J', want: "frame jitter 25 %"},
		{key: 'X', want: "every step takes 20 ms", from: func(s *settings.Settings) { s.StepCost = 10 * ms }},
		{key: 'V', want: "vsync off"},
		{key: 'L', want: "network: round trip 400ms", from: func(s *settings.Settings) { s.Link.Latency = 300 * ms }},
		{key: 'K', want: "network: round trip ± 50ms"},
		{key: 'M', want: "network: 30 % lost"},
		{key: 'B', want: "network: bursts of losses 2 %", from: func(s *settings.Settings) { s.Link.Burst = 0.01 }},
		{key: 'B', want: "network: losses in bursts on", from: func(s *settings.Settings) { s.Link.SendRate = 0 }},
		{key: 'Y', want: "network: 10 % twice"},
		{key: 'Q', want: "network: 10 % overtaken"},
		{key: render.KeySlash, want: "network: 10 snapshots a second", from: func(s *settings.Settings) { s.Link.SendRate = 5 }},
		{key: 'O', want: "captions only"},
		{key: 'O', want: "overlay off", from: func(s *settings.Settings) { s.Overlay = settings.OverlayCaptions }},
		{key: 'N', want: "graphs off"},
		{key: render.KeyF2, want: "prediction off"},
		{key: render.KeyF3, want: "reconciliation off"},
		{key: render.KeyF4, want: "others: Chase", from: func(s *settings.Settings) {
			s.Interpolation = articles.Kinds()[slices.Index(articles.Kinds(), interp.Chase)-1]
		}},
		{key: render.KeyF5, want: "the camera stands still"},
		{key: render.KeyF5, want: "the camera follows", from: func(s *settings.Settings) { s.Still = true }},
		{key: 'H', want: ""}, // seen without words
	} {
		s := settings.Default()
		s.Rate = 60
		if test.from != nil {
			test.from(&s)
		}
		key, _ := keys.Apply(keys.Groups(scenes.Names()), &s, test.key, 0)
		if key.Remark == nil || key.Remark(s) != test.want {
			t.Errorf("%v does not say %q", test.key, test.want)
		}
	}
}
