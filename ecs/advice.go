package ecs

import (
	"reflect"
	"slices"

	arche "github.com/mlange-42/arche/ecs"
)

// adviser may be implemented by the type of a component that needs a plugin. Advise returns the
// remedy if entities need the plugin and it is not installed, and "" otherwise. It is logged.
type adviser interface {
	Advise(w *arche.World) string
}

// checker may be implemented by the type of a component that most entities need a plugin for. Check
// returns the remedies if entities need one and it is not installed. They are not logged: a game
// may do the plugin's work itself.
type checker interface {
	Check(w *arche.World) []string
}

// Check looks for the mistakes that are silent: components of a world's entities that no plugin of
// its engine serves. It returns a sentence with a remedy for each, in alphabetical order, and none
// if all is well. Call it in tests, when the entities have been made and the engine is open:
//
//	for _, mistake := range ecs.Check(engine.World()) {
//		t.Error(mistake)
//	}
//
// It finds a Logical with a Visual and no interpolator, velocities without package motion, drawn
// entities with a Parent and no hierarchy, poses that are not finite, and replicated entities that
// are drawn at a wrong pose because of a Parent that only one end has. A component of a game takes
// part by a method Check on a pointer to it, with the world as the argument and sentences as the
// result.
func Check(w *arche.World) (mistakes []string) {
	for _, id := range arche.ComponentIDs(w) {
		if a, ok := kindOf[adviser](w, id); ok {
			if advice := a.Advise(w); advice != "" {
				mistakes = append(mistakes, advice)
			}
		}
		if c, ok := kindOf[checker](w, id); ok {
			mistakes = append(mistakes, c.Check(w)...)
		}
	}
	slices.Sort(mistakes)
	return mistakes
}

// kindOf returns a pointer to a new component of a type as a T. It reports false, and allocates
// nothing, for a type whose pointer is no T.
func kindOf[T any](w *arche.World, id arche.ID) (kind T, ok bool) {
	info, ok := arche.ComponentInfo(w, id)
	if !ok || !reflect.PointerTo(info.Type).Implements(reflect.TypeFor[T]()) {
		return kind, false
	}
	return reflect.New(info.Type).Interface().(T), true
}

// advise asks the component types of the world for advice, at the ends of frames 0, 8 and 64: most
// games have their entities by then. It logs each answer once.
func (e *Engine) advise() {
	if frame := e.clock.time.Frame; frame != 0 && frame != 8 && frame != 64 {
		return
	}
	for _, id := range arche.ComponentIDs(e.world) {
		kind, ok := kindOf[adviser](e.world, id)
		if !ok || e.advised[id] {
			continue
		}
		advice := kind.Advise(e.world)
		if advice == "" {
			continue
		}
		e.advised[id] = true
		e.log.Warn("tandem: " + advice)
	}
}
