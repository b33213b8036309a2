package ecs

import (
	"reflect"

	arche "github.com/mlange-42/arche/ecs"
)

// adviser may be implemented by the type of a component that needs a plugin. Advise returns the
// remedy if entities need the plugin and it is not installed, and "" otherwise.
type adviser interface {
	Advise(w *arche.World) string
}

var adviserType = reflect.TypeFor[adviser]()

// advise asks the component types of the world for advice, at the ends of frames 0, 8 and 64: most
// games have their entities by then. It logs each answer once.
func (e *Engine) advise() {
	if frame := e.clock.time.Frame; frame != 0 && frame != 8 && frame != 64 {
		return
	}
	for _, id := range arche.ComponentIDs(e.world) {
		info, ok := arche.ComponentInfo(e.world, id)
		if !ok || e.advised[id] || !reflect.PointerTo(info.Type).Implements(adviserType) {
			continue
		}
		advice := reflect.New(info.Type).Interface().(adviser).Advise(e.world)
		if advice == "" {
			continue
		}
		e.advised[id] = true
		e.log.Warn("tandem: " + advice)
	}
}
