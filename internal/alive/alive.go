// Package alive tells living entities from dead ones, also entities of another world.
package alive

import arche "github.com/mlange-42/arche/ecs"

// Set answers whether entities are alive in a world, wherever they come from. Arche (0.15) answers
// so only for entities that its world has made. For an id that it has never given out, World.Alive
// panics. For the generation that an id gets next, it returns true, and a look at the components
// panics.
//
// It remembers the entities that it has found alive, so all but the first question about an entity
// cost hardly more than World.Alive.
type Set struct {
	world *arche.World
	any   arche.ID // of any component
	// found holds, by id, one more than the newest generation that was found alive. It is never
	// longer than the world's own list.
	found []uint32
}

// In returns the set of a world's living entities. The component may be any of the world's.
func In(w *arche.World, component arche.ID) Set { return Set{world: w, any: component} }

// Alive reports whether an entity is alive in the world. The zero entity is not.
func (s *Set) Alive(e arche.Entity) bool { return (s.Known(e) || s.Find(e)) && s.world.Alive(e) }

// Known reports whether an entity was found alive, so that World.Alive may be asked. It and
// [Set.Find] are the two halves of [Set.Alive], for loops that a call would slow down.
func (s *Set) Known(e arche.Entity) bool {
	return int(e.ID()) < len(s.found) && s.found[e.ID()] == e.Generation()+1
}

// Find looks for an entity that is not known, and reports whether it is alive.
func (s *Set) Find(e arche.Entity) bool {
	if !s.exists(e) {
		return false
	}
	for int(e.ID()) >= len(s.found) {
		s.found = append(s.found, 0)
	}
	s.found[e.ID()] = e.Generation() + 1
	return true
}

// exists asks arche, which may panic. Nothing is written in that case.
func (s *Set) exists(e arche.Entity) (alive bool) {
	defer func() {
		if recover() != nil {
			alive = false
		}
	}()
	if e.IsZero() || !s.world.Alive(e) {
		return false
	}
	s.world.HasUnchecked(e, s.any) // panics for an entity that is still to be made: it has no table
	return true
}
