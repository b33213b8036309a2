// Package keys is the single table of the demo's keys, used by the key handling and by help texts.
package keys

import (
	"slices"
	"strings"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
)

// Action is a key's effect beyond a change of the settings.
type Action uint8

// The actions. Most keys only change settings; their action is None.
const (
	None Action = iota
	Step
	Restart
	Screenshot
	Record
	ResetCamera
	Fullscreen
	Push
	Quit
)

// Place is where a key has an effect.
type Place uint8

// The places.
const (
	Everywhere Place = iota
	Scenes           // all but matches of the arena
	Leavable         // scenes, and matches of this process alone
	Linked           // with a simulated line: in scene lab, and in a match
	Lab              // in scene lab
	Match            // in a match of the arena
)

// Binding is a key, or a pair of keys, with its effect.
type Binding struct {
	Keys []render.Key // none: the game reads held keys by itself
	Cap  string       // as the keyboard shows it, for help texts
	Text string       // the effect
	Flag string       // the flag with the same effect, without its dash; "": none
	In   Place        // elsewhere it has no effect

	Change func(s *settings.Settings, p Press) // changes the settings; may be nil
	Action Action                              // the effect beyond that
}

// Press is how a binding was used.
type Press struct {
	Index int  // of the key in Binding.Keys
	Shift bool // whether Shift was held, which steps through values backwards
}

// Group is a section of the help.
type Group struct {
	Title    string
	Bindings []Binding
}

// Groups returns all bindings in the order of the help texts. No key has two meanings. scenes are
// the names of the scenes chosen by the digits.
func Groups(scenes []string) []Group {
	var digits []render.Key
	for i := range scenes {
		digits = append(digits, render.Key('1'+i))
	}
	return []Group{
		{"Play", []Binding{
			{Cap: "W A S D", Text: "run", In: Match},
			{Cap: "Mouse", Text: "aim; shoot with the left button; the wheel zooms", In: Match},
			{Cap: "Space", Text: "jump", In: Match},
			{Keys: []render.Key{'E'}, Cap: "E", Text: "push nearby things away; also the right button", In: Match, Action: Push},
		}},
		{"Time", []Binding{
			{Keys: []render.Key{'P', render.KeyPause}, Cap: "P", Text: "pause, resume", Flag: "paused", In: Scenes,
				Change: func(s *settings.Settings, _ Press) { s.Paused = !s.Paused }},
			{Keys: []render.Key{render.KeyPeriod}, Cap: ".", Text: "one fixed step, and pause", In: Scenes, Action: Step,
				Change: func(s *settings.Settings, _ Press) { s.Paused = true }},
			{Keys: []render.Key{render.KeyLeft, render.KeyRight}, Cap: "← →", Text: "slower, faster: 1/10, 1/4, 1/2, 1, 2", Flag: "speed", In: Scenes,
				Change: func(s *settings.Settings, p Press) {
					if p.Index == 0 {
						s.Slower()
					} else {
						s.Faster()
					}
				}},
			{Keys: []render.Key{render.KeyDown, render.KeyUp}, Cap: "↓ ↑", Text: "fixed rate: 5, 10, 15, 20, 30, 60, 120 Hz", Flag: "hz", In: Scenes,
				Change: func(s *settings.Settings, p Press) {
					if p.Index == 0 {
						s.LowerRate()
					} else {
						s.RaiseRate()
					}
				}},
			{Keys: []render.Key{render.KeyBackspace}, Cap: "Backspace", Text: "restart the scene", In: Scenes, Action: Restart},
			{Keys: []render.Key{'X'}, Cap: "X", Text: "cost of a step: 0, 5, 10, 20, 40 ms", Flag: "step-cost", In: Scenes,
				Change: func(s *settings.Settings, p Press) { s.NextStepCost(p.Shift) }},
			{Keys: []render.Key{'Z'}, Cap: "Z", Text: "adaptive rate on, off (restarts)", Flag: "adaptive", In: Scenes,
				Change: func(s *settings.Settings, _ Press) { s.Adaptive = !s.Adaptive }},
		}},
		{"Picture", []Binding{
			{Keys: []render.Key{'I'}, Cap: "I", Text: "interpolation on, off", Flag: "interpolate", In: Scenes,
				Change: func(s *settings.Settings, _ Press) { s.Interpolate = !s.Interpolate }},
			{Keys: []render.Key{'G'}, Cap: "G", Text: "ghosts: logical poses, or the server's newest", Flag: "ghosts",
				Change: func(s *settings.Settings, _ Press) { s.Ghosts = !s.Ghosts }},
			{Keys: []render.Key{'T'}, Cap: "T", Text: "raw beside interpolated, in orbits, stress", Flag: "split", In: Scenes,
				Change: func(s *settings.Settings, _ Press) { s.Split = !s.Split }},
			{Keys: []render.Key{'C'}, Cap: "C", Text: "frame-rate cap: 20, 30, 60, 144, none", Flag: "fps",
				Change: func(s *settings.Settings, p Press) { s.NextCap(p.Shift) }},
			{Keys: []render.Key{'J'}, Cap: "J", Text: "frame jitter: 0, 25, 50, 90 %", Flag: "frame-jitter",
				Change: func(s *settings.Settings, p Press) { s.NextFrameJitter(p.Shift) }},
			{Keys: []render.Key{'U'}, Cap: "U", Text: "blend on the GPU, in scene stress (restarts)", Flag: "gpu", In: Scenes,
				Change: func(s *settings.Settings, _ Press) { s.GPU = !s.GPU }},
			{Keys: []render.Key{'V'}, Cap: "V", Text: "wait for the display (vsync)", Flag: "vsync",
				Change: func(s *settings.Settings, _ Press) { s.VSync = !s.VSync }},
			{Keys: []render.Key{'O'}, Cap: "O", Text: "overlay: all, captions only, none", Flag: "overlay",
				Change: func(s *settings.Settings, p Press) { s.NextOverlay(p.Shift) }},
			{Keys: []render.Key{'N'}, Cap: "N", Text: "graphs on, off", Flag: "graphs",
				Change: func(s *settings.Settings, _ Press) { s.Graphs = !s.Graphs }},
		}},
		{"Simulated line", []Binding{
			link('L', Linked, "round trip: 0, 50, 100, 200, 300, 400 ms", "latency", (*settings.Link).NextLatency),
			link('K', Linked, "its jitter: 0, 10, 20, 50, 100, 200 ms", "jitter", (*settings.Link).NextJitter),
			link('M', Linked, "loss: 0, 2, 5, 15, 30, 50 %", "loss", (*settings.Link).NextLoss),
			link('B', Linked, "losses in bursts (in lab 0, 1, 2, 5 %)", "burst", (*settings.Link).NextBurst),
			link('Y', Linked, "duplicates: 0, 10, 30 %", "duplicate", (*settings.Link).NextDuplicate),
			link('Q', Linked, "overtaken on the way: 0, 10, 30 %", "reorder", (*settings.Link).NextReorder),
			link(render.KeySlash, Lab, "snapshots: 5, 10, 20, 30, 60 a second", "send-hz", (*settings.Link).NextSendRate),
		}},
		{"Netcode", []Binding{
			{Keys: []render.Key{render.KeyF2}, Cap: "F2", Text: "prediction of the own player on, off", Flag: "predict", In: Match,
				Change: func(s *settings.Settings, _ Press) { s.Predict = !s.Predict }},
			{Keys: []render.Key{render.KeyF3}, Cap: "F3", Text: "reconciliation on, off", Flag: "reconcile", In: Match,
				Change: func(s *settings.Settings, _ Press) { s.Reconcile = !s.Reconcile }},
			{Keys: []render.Key{render.KeyF4}, Cap: "F4", Text: "the next interpolation of others", Flag: "kind", In: Match,
				Change: func(s *settings.Settings, p Press) {
					s.Interpolation = neighbour(articles.Kinds(), s.Interpolation, p.Shift)
				}},
			{Keys: []render.Key{render.KeyF5}, Cap: "F5", Text: "the camera follows, stands still", Flag: "still", In: Match,
				Change: func(s *settings.Settings, _ Press) { s.Still = !s.Still }},
		}},
		{"Scene", []Binding{
			{Keys: digits, Cap: "1–" + string(rune('0'+len(scenes))), Text: strings.Join(scenes, " "), Flag: "scene", In: Leavable,
				Change: func(s *settings.Settings, p Press) { s.Scene = scenes[p.Index] }},
			{Keys: []render.Key{render.KeyTab}, Cap: "Tab", Text: "the next scene, with Shift the previous one", In: Leavable,
				Change: func(s *settings.Settings, p Press) { s.Scene = neighbour(scenes, s.Scene, p.Shift) }},
			{Keys: []render.Key{render.KeyHome, '0'}, Cap: "Home 0", Text: "the scene's own camera", Action: ResetCamera},
		}},
		{"Files and window", []Binding{
			{Keys: []render.Key{render.KeyF12}, Cap: "F12", Text: "save a picture", Flag: "screenshot", Action: Screenshot},
			{Keys: []render.Key{'R', render.KeyF10}, Cap: "R F10", Text: "record a clip, and stop", Flag: "record", Action: Record},
			{Keys: []render.Key{render.KeyF11, 'F'}, Cap: "F F11", Text: "full screen", Action: Fullscreen},
			{Keys: []render.Key{'H', render.KeyF1}, Cap: "H F1", Text: "this panel", Flag: "keys",
				Change: func(s *settings.Settings, _ Press) { s.Keys = !s.Keys }},
			{Keys: []render.Key{render.KeyEscape}, Cap: "Esc", Text: "close this panel, leave the demo", Action: Quit},
		}},
	}
}

// Here returns the groups of the bindings that work in the given scene or match. Keys of a single
// scene are listed in all scenes.
func Here(groups []Group, info scene.Info) (here []Group) {
	for _, g := range groups {
		var works []Binding
		for _, b := range g.Bindings {
			if info.Match && (b.In == Scenes || b.In == Lab || b.In == Leavable && !info.Alone) || !info.Match && b.In == Match {
				continue
			}
			works = append(works, b)
		}
		if len(works) > 0 {
			here = append(here, Group{g.Title, works})
		}
	}
	return here
}

// link returns a binding that steps through values of the simulated line.
func link(key render.Key, in Place, text, flag string, next func(*settings.Link, bool)) Binding {
	return Binding{Keys: []render.Key{key}, Cap: string(rune(key)), Text: text, Flag: flag, In: in,
		Change: func(s *settings.Settings, p Press) { next(&s.Link, p.Shift) }}
}

func neighbour[T comparable](all []T, one T, back bool) T {
	i := max(slices.Index(all, one), 0)
	if back {
		i += len(all) - 2
	}
	return all[(i+1)%len(all)]
}

// Apply changes the settings by a key, and returns the key's binding. It returns false for a key
// without one.
func Apply(groups []Group, s *settings.Settings, key render.Key, mods render.Mods) (Binding, bool) {
	if key == render.KeyEscape && s.Keys {
		s.Keys = false
		return Binding{}, true
	}
	for _, g := range groups {
		for _, b := range g.Bindings {
			if i := slices.Index(b.Keys, key); i >= 0 {
				if b.Change != nil {
					b.Change(s, Press{i, mods&render.ModShift != 0})
				}
				return b, true
			}
		}
	}
	return Binding{}, false
}
