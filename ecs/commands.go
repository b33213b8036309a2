package ecs

import arche "github.com/mlange-42/arche/ecs"

// Commands collects edits of the world's structure while queries are open, and carries them out in
// the order in which they were given when the system that gave them has returned. An open query
// locks the world's structure; spawning, despawning, adding and removing components must wait.
//
// It is a resource of the world: generic.NewResource[ecs.Commands], or [Engine.Commands].
//
// An edit of an entity that is dead by then, because an earlier command or system despawned it, is
// skipped. Commands given between Updates run after the next system. When a system panics, the
// commands that are left are dropped.
type Commands struct {
	list    []command
	running bool // a flush is under way
}

type command struct {
	entity arche.Entity
	do     func(w *arche.World) // nil: despawn the entity
	guard  bool                 // skip if the entity is dead
}

// Defer runs f after the current system. It is the way to spawn. It panics for nil.
func (c *Commands) Defer(f func(w *arche.World)) {
	mustDo(f)
	c.list = append(c.list, command{do: f})
}

// DeferFor runs f after the current system, if the entity is alive then. It panics for nil.
func (c *Commands) DeferFor(e arche.Entity, f func(w *arche.World)) {
	mustDo(f)
	c.list = append(c.list, command{entity: e, do: f, guard: true})
}

func mustDo(f func(w *arche.World)) {
	if f == nil {
		panic("ecs: a command without a function; pass one, or use Despawn")
	}
}

// Despawn removes the entity. Despawning one twice is harmless.
func (c *Commands) Despawn(e arche.Entity) {
	c.list = append(c.list, command{entity: e, guard: true})
}

// Insert gives the entity a component, or replaces the one it has.
func Insert[T any](c *Commands, e arche.Entity, value T) {
	c.DeferFor(e, func(w *arche.World) {
		id := arche.ComponentID[T](w)
		if !w.Has(e, id) {
			w.Add(e, id)
		}
		*(*T)(w.Get(e, id)) = value
	})
}

// Remove removes a component from the entity. An entity without it is left alone.
func Remove[T any](c *Commands, e arche.Entity) {
	c.DeferFor(e, func(w *arche.World) {
		if id := arche.ComponentID[T](w); w.Has(e, id) {
			w.Remove(e, id)
		}
	})
}

// flush carries out all commands, including those that commands add. A command may add or remove a
// system. The flush of that system then leaves the rest to this one.
func (c *Commands) flush(w *arche.World) {
	if c.running {
		return
	}
	c.running = true
	for i := 0; i < len(c.list); i++ {
		cmd := c.list[i]
		if cmd.guard && !w.Alive(cmd.entity) {
			continue
		}
		if cmd.do == nil {
			w.RemoveEntity(cmd.entity)
			continue
		}
		cmd.do(w)
	}
	clear(c.list) // releases the closures
	c.list = c.list[:0]
	c.running = false
}
