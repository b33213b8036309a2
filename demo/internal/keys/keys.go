// Package keys is the single table of the demo's keys, used by the key handling and by help texts.
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
	Program          // everywhere but in a page
)

// InPage reports whether the program runs in a page of a browser.
const InPage = runtime.GOOS == "js"

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
			if info.Match && (b.In == Scenes || b.In == Lab || b.In == Leavable && !info.Alone) || !info.Match && b.In == Match || b.In == Program && InPage {
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
