// Package census tells the living from the dead among entities that may be of another world.
package census

import arche "github.com/mlange-42/arche/ecs"

// Census tells whether entities are alive in a world, wherever they come from. Arche (0.15) does so only of entities that its world has made: of an id that it has never given
// out World.Alive panics, and of the generation that an id will have next time it says that it is alive, which a look at the components then pays for.
//
// It remembers whom it has found alive, so that all but the first question about an entity is hardly more than World.Alive.
type Census struct {
	world *arche.World
	any   arche.ID // of any component
	// found holds, by id, one more than the newest generation that was found alive. It is never longer than the world's own list.
	found []uint32
}

// Of returns the census of a world. The component may be any of the world's.
func Of(w *arche.World, component arche.ID) Census { return Census{world: w, any: component} }

// Alive reports whether an entity is alive in the world. The zero entity is not.
func (c *Census) Alive(e arche.Entity) bool { return (c.Known(e) || c.Find(e)) && c.world.Alive(e) }

// Known reports whether an entity was found alive, so that World.Alive may be asked. It and [Census.Find] are the two halves of [Census.Alive], for loops that would notice a call.
func (c *Census) Known(e arche.Entity) bool {
	return int(e.ID()) < len(c.found) && c.found[e.ID()] == e.Generation()+1
}

// Find looks for an entity that is not known, and reports whether it is alive.
func (c *Census) Find(e arche.Entity) bool {
	if !c.exists(e) {
		return false
	}
	for int(e.ID()) >= len(c.found) {
		c.found = append(c.found, 0)
	}
	c.found[e.ID()] = e.Generation() + 1
	return true
}

// exists lets arche panic. Nothing is written meanwhile.
func (c *Census) exists(e arche.Entity) (alive bool) {
	defer func() {
		if recover() != nil {
			alive = false
		}
	}()
	if e.IsZero() || !c.world.Alive(e) {
		return false
	}
	c.world.HasUnchecked(e, c.any) // of one who is still to be born there is no table
	return true
}
