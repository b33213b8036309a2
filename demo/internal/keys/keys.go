// Package keys lists what the demo's keys do: once, for whoever obeys them and for whoever explains them.
package keys

import (
	"slices"
	"strings"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

// Action is what a key asks for beyond a change of the settings.
type Action uint8

// The actions. Most keys only change settings and ask for None.
const (
	None Action = iota
	Step
	Restart
	Screenshot
	Record
	ResetCamera
	Fullscreen
	Quit
)

// Binding is a key, or a pair of keys, with what it does.
type Binding struct {
	Keys []render.Key
	Cap  string // as the keyboard shows it, for help texts
	Text string // what it does
	Flag string // the flag that does the same, without its dash; "" where none does

	Change func(s *settings.Settings, p Press) // changes the settings; nil where nothing changes
	Action Action                              // what is to be done beyond that
}

// Press is how a binding was used.
type Press struct {
	Index int  // of the key in Binding.Keys
	Shift bool // whether Shift was held, which turns a round of values round
}

// Group is a part of the help.
type Group struct {
	Title    string
	Bindings []Binding
}

// Groups returns all bindings in the order in which help texts show them. scenes are the names of the scenes that the digits choose.
func Groups(scenes []string) []Group {
	var digits []render.Key
	for i := range scenes {
		digits = append(digits, render.Key('1'+i))
	}
	return []Group{
		{"Time", []Binding{
			{Keys: []render.Key{render.KeySpace}, Cap: "Space", Text: "pause, go on", Flag: "paused",
				Change: func(s *settings.Settings, _ Press) { s.Paused = !s.Paused }},
			{Keys: []render.Key{render.KeyPeriod}, Cap: ".", Text: "one fixed step, and pause", Action: Step,
				Change: func(s *settings.Settings, _ Press) { s.Paused = true }},
			{Keys: []render.Key{render.KeyLeft, render.KeyRight}, Cap: "← →", Text: "slower, faster: 1/10, 1/4, 1/2, 1, 2", Flag: "speed",
				Change: func(s *settings.Settings, p Press) {
					if p.Index == 0 {
						s.Slower()
					} else {
						s.Faster()
					}
				}},
			{Keys: []render.Key{render.KeyDown, render.KeyUp}, Cap: "↓ ↑", Text: "fixed rate: 5, 10, 15, 20, 30, 60, 120 Hz", Flag: "hz",
				Change: func(s *settings.Settings, p Press) {
					if p.Index == 0 {
						s.LowerRate()
					} else {
						s.RaiseRate()
					}
				}},
			{Keys: []render.Key{render.KeyBackspace}, Cap: "Backspace", Text: "begin the scene anew", Action: Restart},
		}},
		{"Picture", []Binding{
			{Keys: []render.Key{'I'}, Cap: "I", Text: "interpolation on, off", Flag: "interpolate",
				Change: func(s *settings.Settings, _ Press) { s.Interpolate = !s.Interpolate }},
			{Keys: []render.Key{'G'}, Cap: "G", Text: "logical ghosts on, off", Flag: "ghosts",
				Change: func(s *settings.Settings, _ Press) { s.Ghosts = !s.Ghosts }},
			{Keys: []render.Key{'T'}, Cap: "T", Text: "raw beside interpolated, in orbits, stress", Flag: "split",
				Change: func(s *settings.Settings, _ Press) { s.Split = !s.Split }},
			{Keys: []render.Key{'C'}, Cap: "C", Text: "frame-rate cap: 20, 30, 60, 144, none", Flag: "fps",
				Change: func(s *settings.Settings, p Press) { s.NextCap(p.Shift) }},
			{Keys: []render.Key{'J'}, Cap: "J", Text: "frame jitter: 0, 25, 50, 90 %", Flag: "jitter",
				Change: func(s *settings.Settings, p Press) { s.NextJitter(p.Shift) }},
			{Keys: []render.Key{'U'}, Cap: "U", Text: "blend on the GPU, in scene stress (starts anew)", Flag: "gpu",
				Change: func(s *settings.Settings, _ Press) { s.GPU = !s.GPU }},
			{Keys: []render.Key{'V'}, Cap: "V", Text: "wait for the display (vsync)", Flag: "vsync",
				Change: func(s *settings.Settings, _ Press) { s.VSync = !s.VSync }},
			{Keys: []render.Key{'O'}, Cap: "O", Text: "text and graphs on, off", Flag: "overlay",
				Change: func(s *settings.Settings, _ Press) { s.Overlay = !s.Overlay }},
		}},
		{"Death spiral", []Binding{
			{Keys: []render.Key{'X'}, Cap: "X", Text: "cost of a step: 0, 5, 10, 20, 40 ms", Flag: "step-cost",
				Change: func(s *settings.Settings, p Press) { s.NextStepCost(p.Shift) }},
			{Keys: []render.Key{'A'}, Cap: "A", Text: "adaptive rate on, off (starts anew)", Flag: "adaptive",
				Change: func(s *settings.Settings, _ Press) { s.Adaptive = !s.Adaptive }},
		}},
		{"Network link, in scene lab", []Binding{
			link("L", "round trip: 0, 50, 100, 200, 300, 400 ms", "latency", (*settings.Link).NextLatency),
			link("K", "its jitter: 0, 10, 25, 50, 100 %", "link-jitter", (*settings.Link).NextJitter),
			link("M", "loss: 0, 5, 15, 30, 50 %", "loss", (*settings.Link).NextLoss),
			link("B", "bursts of losses: 0, 1, 2, 5 %", "burst", (*settings.Link).NextBurst),
			link("D", "duplicates: 0, 10, 30 %", "duplicate", (*settings.Link).NextDuplicate),
			link("E", "overtaken on the way: 0, 10, 30 %", "reorder", (*settings.Link).NextReorder),
			link("S", "snapshots: 5, 10, 20, 30, 60 a second", "send-hz", (*settings.Link).NextSendRate),
		}},
		{"Scene", []Binding{
			{Keys: digits, Cap: "1–" + string(rune('0'+len(scenes))), Text: strings.Join(scenes, ", "), Flag: "scene",
				Change: func(s *settings.Settings, p Press) { s.Scene = scenes[p.Index] }},
			{Keys: []render.Key{render.KeyTab}, Cap: "Tab", Text: "the next scene, with Shift the one before",
				Change: func(s *settings.Settings, p Press) { s.Scene = neighbour(scenes, s.Scene, p.Shift) }},
			{Keys: []render.Key{render.KeyHome, '0'}, Cap: "Home 0", Text: "the scene's own camera", Action: ResetCamera},
		}},
		{"Files and window", []Binding{
			{Keys: []render.Key{'P', render.KeyF12}, Cap: "P F12", Text: "save a picture", Flag: "screenshot", Action: Screenshot},
			{Keys: []render.Key{'R'}, Cap: "R", Text: "record a clip, and stop", Flag: "record", Action: Record},
			{Keys: []render.Key{render.KeyF11, 'F'}, Cap: "F F11", Text: "full screen", Action: Fullscreen},
			{Keys: []render.Key{'H', render.KeyF1}, Cap: "H F1", Text: "this panel", Flag: "keys",
				Change: func(s *settings.Settings, _ Press) { s.Keys = !s.Keys }},
			{Keys: []render.Key{render.KeyEscape, 'Q'}, Cap: "Esc Q", Text: "leave this panel, leave the demo", Action: Quit},
		}},
	}
}

// link is the binding of a letter to a round of values of the network link.
func link(key, text, flag string, next func(*settings.Link, bool)) Binding {
	return Binding{Keys: []render.Key{render.Key(key[0])}, Cap: key, Text: text, Flag: flag,
		Change: func(s *settings.Settings, p Press) { next(&s.Link, p.Shift) }}
}

func neighbour(names []string, name string, back bool) string {
	i := max(slices.Index(names, name), 0)
	if back {
		i += len(names) - 2
	}
	return names[(i+1)%len(names)]
}

// Apply lets a key change the settings and returns what else it asks for. It reports false for a key that does nothing.
func Apply(groups []Group, s *settings.Settings, key render.Key, mods render.Mods) (Action, bool) {
	if key == render.KeyEscape && s.Keys {
		s.Keys = false
		return None, true
	}
	for _, g := range groups {
		for _, b := range g.Bindings {
			if i := slices.Index(b.Keys, key); i >= 0 {
				if b.Change != nil {
					b.Change(s, Press{i, mods&render.ModShift != 0})
				}
				return b.Action, true
			}
		}
	}
	return None, false
}
