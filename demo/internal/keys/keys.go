// Package keys is the single table of what the user can do in the demo: its keys, and what the
// panel for the mouse shows. Key handling, help texts and the panel use it.
package keys

import (
	"runtime"
	"slices"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
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
	Panel // unfold or fold the panel for the mouse
	Again // in a match: show its last seconds again, or return from them
	Quit

	// In a replay, beside Step.
	StepBack
	Earlier // by SkipTime
	Later
	NextPlayer
	NextView
	NextMark
	Leave // one that was dropped on a page
)

// Repeats reports whether a held key repeats the action.
func (a Action) Repeats() bool {
	return a == Step || a == StepBack || a == Earlier || a == Later
}

// Place is where a key has an effect.
type Place uint8

// The places.
const (
	Everywhere Place = iota
	Scenes           // all but matches of the arena
	Leavable         // scenes, and matches of this process alone
	Linked           // with a simulated line: in scene lab, and in a match
	Lab              // in scene lab
	Splitting        // in scenes that can be drawn raw beside interpolated
	Blending         // in scenes that the GPU can blend
	Match            // in a match of the arena
	Program          // everywhere but in a page
	Live             // everywhere but in replays
	Replays          // in replays of a match
)

// InPage reports whether the program runs in a page of a browser.
const InPage = runtime.GOOS == "js"

// Works reports whether something of this place has an effect in a scene or match.
func (p Place) Works(info scene.Info) bool {
	switch p {
	case Scenes:
		return !info.Match
	case Leavable:
		return !info.Match || info.Alone
	case Linked:
		return info.Linked
	case Lab:
		return info.Linked && !info.Match
	case Splitting:
		return info.Splits
	case Blending:
		return info.Blends
	case Match:
		return info.Match
	case Program:
		return !InPage
	case Live:
		return !info.Replay
	case Replays:
		return info.Replay
	}
	return true
}

// Binding is a key, or a pair of keys, with its effect.
type Binding struct {
	Keys []render.Key // none: the game reads held keys by itself
	Cap  string       // as the keyboard shows it, for help texts
	Text string       // the effect
	Flag string       // the flag with the same effect, without its dash; "": none
	In   Place        // elsewhere it has no effect

	Change func(s *settings.Settings, p Press) // changes the settings; may be nil
	Remark func(s settings.Settings) string    // describes the change; may be nil
	Action Action                              // the effect beyond that

	Label  string   // on the panel for the mouse; "": not there
	Labels []string // likewise, of one button for each of Keys
	// it leads through the scenes: its button is at hand while the panel is folded
	Tour bool
	// whether a check box is ticked, or a button of Labels is the chosen one
	On     func(s *settings.Settings, key int) bool
	Slider *Slider
}

// Kind is how the panel for the mouse shows a binding.
type Kind uint8

// The kinds, in the panel's order.
const (
	Hidden Kind = iota // not at all
	Head               // a button at the head of the panel
	Choice             // a button for each key, of which one is chosen
	Slide
	Check
	Button
)

// Kind returns how the panel for the mouse shows the binding.
func (b *Binding) Kind() Kind {
	switch {
	case b.Tour || b.Action == Panel:
		return Head
	case len(b.Labels) > 0:
		return Choice
	case b.Label == "":
		return Hidden
	case b.Slider != nil:
		return Slide
	case b.On != nil:
		return Check
	}
	return Button
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

// Here returns the groups of the bindings that work in the given scene or match. Keys of a single
// scene are listed in all scenes.
func Here(groups []Group, info scene.Info) (here []Group) {
	for _, g := range groups {
		var works []Binding
		for _, b := range g.Bindings {
			if ofScenes := b.In == Lab || b.In == Splitting || b.In == Blending || b.In == Linked; b.In.Works(info) || ofScenes && !info.Match {
				works = append(works, b)
			}
		}
		if len(works) > 0 {
			here = append(here, Group{g.Title, works})
		}
	}
	return here
}

// Apply changes the settings by a key, and returns the key's binding. It returns false for a key
// without one.
func Apply(groups []Group, s *settings.Settings, key render.Key, mods render.Mods) (Binding, bool) {
	if key == render.KeyEscape && s.Keys {
		s.Keys = false
		return Binding{}, true
	}
	var found Binding
	index := -1
	for _, g := range groups {
		for _, b := range g.Bindings {
			// of a key with two meanings that of a match counts in a match
			if i := slices.Index(b.Keys, key); i >= 0 && (index < 0 || b.In == Match && s.Scene == settings.Arena) {
				found, index = b, i
			}
		}
	}
	if index >= 0 && found.Change != nil {
		found.Change(s, Press{index, mods&render.ModShift != 0})
	}
	return found, index >= 0
}
