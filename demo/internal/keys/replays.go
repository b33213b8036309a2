package keys

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

// SkipTime is the way of the keys that go back and forth in a replay.
const SkipTime = 5 * time.Second

// speeds are the speeds of a replay, by the digits.
var speeds = []float64{0.1, 0.25, 0.5, 1, 2}

// replays returns the bindings of a replay: its own, and those of matches that need no keys of
// these. No player runs here, so the keys of a match are free for it.
func replays(info scene.Info) []Group {
	own := []Binding{
		toggle(Binding{Keys: []render.Key{render.KeySpace, 'P', render.KeyPause}, Cap: "Space P", Text: "pause, resume", Label: "pause", Flag: "paused", In: Replays},
			func(s *set) *bool { return &s.Paused }, "paused", "resumed"),
		{Keys: []render.Key{render.KeyComma}, Cap: ",", Text: "a tick back, and pause", In: Replays, Action: StepBack, Change: pauses},
		{Keys: []render.Key{render.KeyPeriod}, Cap: ".", Text: "a tick on, and pause", In: Replays, Action: Step, Change: pauses},
		{Keys: []render.Key{render.KeyLeft}, Cap: "←", Text: "5 seconds back", In: Replays, Action: Earlier},
		{Keys: []render.Key{render.KeyRight}, Cap: "→", Text: "5 seconds on", In: Replays, Action: Later},
		{Keys: []render.Key{'1', '2', '3', '4', '5'}, Cap: "1–5", Text: "speed: 1/10, 1/4, 1/2, 1, 2", Flag: "speed", In: Replays,
			Labels: []string{"× 1/10", "× 1/4", "× 1/2", "× 1", "× 2"},
			On:     func(s *set, key int) bool { return s.Speed == speeds[key] },
			Change: func(s *set, p Press) { s.Speed = speeds[p.Index] }},
		{Keys: []render.Key{'M'}, Cap: "M", Text: "the next mark", Label: "next mark", In: Replays, Action: NextMark},
		{Keys: []render.Key{render.KeyTab}, Cap: "Tab", Text: "follow the next player", Label: "next player", Flag: "follow", In: Replays, Action: NextPlayer},
		{Keys: []render.Key{'V'}, Cap: "V", Text: "the view: above, by the eyes, free", Label: "view", In: Replays, Action: NextView},
		toggle(Binding{Keys: []render.Key{'T'}, Cap: "T", Text: "the timeline: why bodies moved so", Label: "timeline", Flag: "timeline", In: Replays},
			func(s *set) *bool { return &s.Timeline }, "the timeline of the last seconds", "no timeline"),
		{Keys: []render.Key{render.KeyEnter}, Cap: "Enter", Text: "the last ten seconds again", Label: "last 10 s", In: Replays, Action: Again},
	}
	if info.Again {
		last := &own[len(own)-1]
		last.Keys, last.Cap = append(last.Keys, render.KeyEscape), "Enter Esc"
		last.Text, last.Label = "back to the match", "to the match"
	}
	if info.Dropped {
		own = append(own, Binding{Keys: []render.Key{render.KeyEscape}, Cap: "Esc", Text: "back to what was here before", Label: "back", In: Replays, Action: Leave})
	}
	all := []Group{{"Replay", own}}
	for _, g := range Groups(nil) {
		g.Bindings = slices.DeleteFunc(g.Bindings, func(b Binding) bool {
			return b.In != Everywhere && b.In != Program || slices.ContainsFunc(b.Keys, func(k render.Key) bool {
				return slices.ContainsFunc(own, func(o Binding) bool { return slices.Contains(o.Keys, k) })
			})
		})
		if len(g.Bindings) > 0 {
			all = append(all, g)
		}
	}
	return all
}

// pauses is the change of keys that show a single tick.
func pauses(s *set, _ Press) { s.Paused = true }
