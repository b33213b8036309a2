package ecs_test

import (
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/ecs"
)

type health struct{ points int }

func TestCommandsRunAfterTheirSystem(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	w := e.World()
	healths := generic.NewMap1[health](w)
	a, b := w.NewEntity(), w.NewEntity()
	var log []string
	e.Add(ecs.Render, &probe{name: "giver", log: &log, do: func(w *arche.World) {
		commands := arche.GetResource[ecs.Commands](w)
		q := w.Query(arche.All())
		for q.Next() {
			ecs.Insert(commands, q.Entity(), health{1})
		}
		ecs.Insert(commands, a, health{2}) // replaces
		ecs.Remove[health](commands, b)
		ecs.Remove[health](commands, b)
		commands.Defer(func(w *arche.World) {
			log = append(log, "deferred")
			commands.Defer(func(*arche.World) { log = append(log, "deferred by a command") })
		})
		if w.Has(a, arche.ComponentID[health](w)) {
			t.Error("a command did not wait")
		}
	}}, &probe{name: "next", log: &log})
	e.Update(0)
	checkLog(t, log, "init giver", "init next", "update giver", "deferred", "deferred by a command", "update next")
	if h := healths.Get(a); h.points != 2 {
		t.Errorf("a has %d points, want 2", h.points)
	}
	if w.Has(b, arche.ComponentID[health](w)) {
		t.Error("b has kept what was discarded")
	}
}

func TestCommandsForDeadEntitiesAreSkipped(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	w := e.World()
	victim, dead := w.NewEntity(), w.NewEntity()
	w.RemoveEntity(dead)
	ran := false
	c := e.Commands()
	c.Despawn(dead)
	ecs.Insert(c, dead, health{})
	c.Despawn(victim)
	c.Despawn(victim)
	ecs.Insert(c, victim, health{})
	ecs.Remove[health](c, victim)
	c.DeferFor(victim, func(*arche.World) { ran = true })
	var successor arche.Entity
	c.Defer(func(w *arche.World) { successor = w.NewEntity() }) // with the id of one of the dead
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {}))
	e.Update(0)
	if w.Alive(victim) || ran {
		t.Error("the dead were edited")
	}
	if !w.Alive(successor) || len(w.Ids(successor)) != 0 {
		t.Error("the successor was taken for its predecessor")
	}
}

// Commands may add and remove systems. Nothing is carried out twice.
func TestCommandsThatChangeSystems(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	old := &probe{name: "old", log: &log}
	say := func(what string) func(*arche.World) { return func(*arche.World) { log = append(log, what) } }
	giver := &probe{name: "giver", log: &log, do: func(*arche.World) {
		c := e.Commands()
		c.Defer(say("one"))
		c.Defer(func(*arche.World) {
			e.Remove(old)
			e.Add(ecs.Render, &probe{name: "new", log: &log, init: func(*arche.World) { c.Defer(say("three")) }})
		})
		c.Defer(say("two"))
	}}
	e.Add(ecs.FixedUpdate, giver)
	e.Add(ecs.Render, old)
	e.Update(0)
	checkLog(t, log, "init giver", "init old", "update giver", "one", "fin old", "init new", "two", "three", "update new")
}

func TestCommandsOfAPanickedSystemAreDropped(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	ran := 0
	bad := &probe{do: func(*arche.World) {
		e.Commands().Defer(func(*arche.World) { ran++ })
		panic("no")
	}}
	e.Add(ecs.Render, bad)
	mustPanic(t, func() { e.Update(0) }, "no")
	e.Close()
	if ran != 0 {
		t.Error("a command of a system that panicked was carried out")
	}

	e = newEngine(t, ecs.Config{})
	e.Add(ecs.Render, &probe{do: func(*arche.World) {
		e.Commands().Defer(func(*arche.World) { ran += 10 })
		e.Commands().Defer(func(*arche.World) { panic("a command's own") })
		e.Commands().Defer(func(*arche.World) { ran += 100 })
	}})
	mustPanic(t, func() { e.Update(0) }, "a command's own")
	e.Close()
	if ran != 10 {
		t.Errorf("ran %d, want 10: what came before the command that panicked, and nothing after it", ran)
	}
}

// Giving and carrying out commands allocates nothing but what the commands themselves do.
func TestCommandsDoNotAllocate(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	w := e.World()
	f := func(*arche.World) {}
	doomed := w.NewEntity()
	w.RemoveEntity(doomed)
	e.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) {
		for range 100 {
			e.Commands().Defer(f)
			e.Commands().Despawn(doomed)
		}
	}))
	e.Update(0)
	if n := testing.AllocsPerRun(100, func() { e.Update(1e6) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

// A host may add a system while a query of its own is open. No edits fail then: they wait until a
// system runs without an open query.
func TestCommandsWaitForTheHostsQuery(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var seen []bool
	e.Add(ecs.NormalUpdate, ecs.SystemFunc(func(w *arche.World) {}))
	e.Update(0)
	doomed := e.World().NewEntity()
	e.Commands().Despawn(doomed)
	query := e.World().Query(arche.All())
	e.Add(ecs.NormalUpdate, ecs.SystemFunc(func(w *arche.World) { seen = append(seen, w.Alive(doomed)) }))
	query.Close()
	if !e.World().Alive(doomed) {
		t.Error("despawned while a query was open")
	}
	e.Update(0)
	if e.World().Alive(doomed) || len(seen) != 1 || seen[0] {
		t.Errorf("alive %v; the second system saw %v", e.World().Alive(doomed), seen)
	}
}

// A command without a function is no despawn.
func TestCommandsWithoutAFunction(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	entity := e.World().NewEntity()
	mustPanic(t, func() { e.Commands().Defer(nil) }, "without a function", "Despawn")
	mustPanic(t, func() { e.Commands().DeferFor(entity, nil) }, "without a function", "Despawn")
	e.Add(ecs.Render, &probe{})
	e.Update(0)
	if !e.World().Alive(entity) {
		t.Error("the entity was despawned")
	}
}
