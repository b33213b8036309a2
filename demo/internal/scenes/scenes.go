// Package scenes lists the scenes of the demo.
package scenes

import (
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes/lab"
	"github.com/tandem-ecs/tandem/demo/internal/scenes/lanes"
	"github.com/tandem-ecs/tandem/demo/internal/scenes/orbits"
	"github.com/tandem-ecs/tandem/demo/internal/scenes/physics"
	"github.com/tandem-ecs/tandem/demo/internal/scenes/stress"
	"github.com/tandem-ecs/tandem/demo/internal/scenes/teleports"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// Entry is a scene that can be shown.
type Entry struct {
	scene.Info
	New func() scene.Scene
}

// All returns the scenes in the demo's order.
func All() []Entry {
	return []Entry{
		{orbits.Info(), orbits.New},
		{lanes.Info(), lanes.New},
		{teleports.Info(), teleports.New},
		{physics.Info(), physics.New},
		{stress.Info(), stress.New},
		{lab.Info(), lab.New},
	}
}

// Find returns the scene of a name.
func Find(name string) (Entry, bool) {
	for _, e := range All() {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// WithArena returns the names of all scenes and of the arena, which is not an Entry.
func WithArena() []string { return append(Names(), settings.Arena) }

// Names returns the names of all scenes.
func Names() []string {
	var names []string
	for _, e := range All() {
		names = append(names, e.Name)
	}
	return names
}
