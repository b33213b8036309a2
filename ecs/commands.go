package ecs

import (
	"math"
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

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

	engine   *Engine
	waiting  []waiting      // of DespawnAfter
	earliest time.Duration  // among those, or earlier
	leaving  []arche.Entity // scratch
}

// waiting is an entity to despawn at a normal time.
type waiting struct {
	entity arche.Entity
	at     time.Duration
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

// DespawnAfter despawns the entity before the first frame that shows d or more past the start of
// this step. So a rocket leaves the picture when it has arrived, and not in the step that computes
// the hit:
//
//	logical.SetOver(impact, left); commands.DespawnAfter(rocket, left) // in the step of the hit
//
// In a normal stage, and between Updates, d counts from the normal time. With d <= 0 it is
// [Commands.Despawn]. Of several calls for one entity the earliest time counts, so a call in the
// step that makes a bullet bounds its life.
//
// Until then the entity stays in the world: [Remove] its collider in the same step. It takes part
// in every fixed step that begins before that time, at any frame rate. Its children are removed
// with it by their hierarchy. While the engine is paused the time does not pass. Entities that
// still wait when the engine is closed stay.
func (c *Commands) DespawnAfter(e arche.Entity, d time.Duration) {
	if d <= 0 {
		c.Despawn(e)
		return
	}
	if len(c.waiting) == cap(c.waiting) { // those that were despawned by other means need no room
		c.waiting = slices.DeleteFunc(c.waiting, func(l waiting) bool { return !c.engine.world.Alive(l.entity) })
	}
	l := waiting{e, addTotal(c.engine.clock.present(), d)}
	if len(c.waiting) == 0 || l.at < c.earliest {
		c.earliest = l.at
	}
	c.waiting = append(c.waiting, l)
}

// due reports whether it is time to look for entities that have waited long enough.
func (c *Commands) due() bool {
	return len(c.waiting) > 0 && c.earliest <= c.engine.clock.present()
}

// despawnDue despawns the entities that have waited long enough.
func (c *Commands) despawnDue(w *arche.World) {
	now := c.engine.clock.present()
	c.earliest, c.leaving = math.MaxInt64, c.leaving[:0]
	c.waiting = slices.DeleteFunc(c.waiting, func(l waiting) bool {
		if l.at <= now {
			c.leaving = append(c.leaving, l.entity)
			return true
		}
		c.earliest = min(c.earliest, l.at)
		return !w.Alive(l.entity)
	})
	for _, e := range c.leaving {
		if w.Alive(e) {
			w.RemoveEntity(e)
		}
	}
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
