package ecs_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

func TestPanicNamesSystemAndStage(t *testing.T) {
	e := newEngine(t, ecs.Config{FixedRate: 10})
	cause := errors.New("the cat is on the keyboard")
	bad := &probe{name: "cat"}
	e.Add(ecs.FixedEnd, bad)
	e.Update(100 * time.Millisecond)
	bad.do = func(*arche.World) { panic(cause) }
	value := mustPanic(t, func() { e.Update(100 * time.Millisecond) }, "cat", "FixedEnd", "Update", "tick 2", "the cat is on the keyboard", "panic_test.go")
	p, ok := value.(*ecs.SystemPanic)
	if !ok {
		t.Fatalf("the panic is a %T", value)
	}
	if p.System != "cat" || p.Stage != ecs.FixedEnd || p.Method != "Update" || p.Tick != 2 || p.Value != any(cause) || !errors.Is(p, cause) {
		t.Errorf("%+v", p)
	}
	if errors.Is(&ecs.SystemPanic{Value: "no error"}, cause) {
		t.Error("a panic with a string is an error")
	}
	// The engine is closed to further Updates, with the panic's text, and can be closed.
	bad.do = nil
	before := e.Time()
	for range 2 {
		mustPanic(t, func() { e.Update(0) }, "Update", "close the engine", "ecs.New", "cat", "FixedEnd", "tick 2", "the cat is on the keyboard")
	}
	if e.Time() != before {
		t.Errorf("the clock has gone on: %+v", e.Time())
	}
	e.Close()
}

// A system that panics in the midst of a query leaves the world locked. The engine can be closed
// all the same.
func TestCloseAfterAPanicInAQuery(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	e.World().NewEntity()
	e.Add(ecs.Render, &probe{name: "other", log: &log}, &probe{name: "bad", log: &log, do: func(w *arche.World) {
		e.Commands().Defer(func(*arche.World) { t.Error("a command of a broken system was carried out") })
		for q := w.Query(arche.All()); q.Next(); {
			panic("in the midst of it")
		}
	}})
	mustPanic(t, func() { e.Update(0) }, "bad", "Render", "in the midst of it")
	e.Close()
	checkLog(t, log, "init other", "init bad", "update other", "update bad", "fin bad", "fin other")
}

func TestPanicsOfOtherMethods(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	e.Add(ecs.Render, &probe{name: "starter", init: func(*arche.World) { panic("no") }})
	mustPanic(t, func() { e.Update(0) }, "starter", "Initialize", "Render")

	e = newEngine(t, ecs.Config{})
	bad := &probe{name: "ender", fin: func(*arche.World) { panic("no") }}
	e.Add(ecs.Render, bad)
	e.Update(0)
	mustPanic(t, func() { e.Remove(bad) }, "ender", "Finalize", "Render")

	// Without a name of its own it is called by its type, and by its function where it is one.
	e = newEngine(t, ecs.Config{})
	e.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) { panic("no") }))
	mustPanic(t, func() { e.Update(0) }, "system ecs.SystemFunc ", "ecs_test.TestPanicsOfOtherMethods.func")
	e = newEngine(t, ecs.Config{})
	e.Add(ecs.Render, ecs.SystemFunc(method{}.fail))
	mustPanic(t, func() { e.Update(0) }, "system ecs.SystemFunc ", "ecs_test.method.fail panicked")
}

type method struct{}

func (method) fail(*arche.World) { panic("no") }

// An edit of the world's structure while a query is open is arche's panic, which does not say what
// to do about it.
func TestPanicOfALockedWorldNamesTheRemedy(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	e.World().NewEntity()
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		for q := w.Query(arche.All()); q.Next(); {
			w.RemoveEntity(q.Entity())
		}
	}))
	mustPanic(t, func() { e.Update(0) }, "attempt to modify a locked world; a query is open: give the edit to ecs.Commands")
}

// The panic of a system that another one adds is reported once, with the name of the inner one.
func TestNestedPanicKeepsTheInnermostName(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	e.Add(ecs.Render, &probe{name: "outer", do: func(*arche.World) {
		e.Add(ecs.FixedEnd, &probe{name: "inner", init: func(*arche.World) { panic("no") }})
	}})
	value := mustPanic(t, func() { e.Update(0) }, "inner", "Initialize of FixedEnd")
	if text := value.(*ecs.SystemPanic).Error(); strings.Contains(text, "system outer") {
		t.Errorf("the outer system is blamed: %s", text)
	}
}

func TestQueryLeftOpen(t *testing.T) {
	open := func(w *arche.World) { q := w.Query(arche.All()); q.Next() }
	e := newEngine(t, ecs.Config{})
	e.World().NewEntity()
	e.Add(ecs.NormalUpdate, &probe{name: "reader", do: open})
	mustPanic(t, func() { e.Update(0) }, "reader", "NormalUpdate", "query open", "Close")

	// The host's own.
	e = newEngine(t, ecs.Config{})
	e.World().NewEntity()
	open(e.World())
	mustPanic(t, func() { e.Update(0) }, "query is open", "Close")

	// While its query is open a system may add and remove others, and is not mistaken for having
	// forgotten it; the new one may not forget its own.
	for _, forgets := range []bool{false, true} {
		e = newEngine(t, ecs.Config{})
		e.World().NewEntity()
		other := &probe{name: "other"}
		e.Add(ecs.Render, other)
		e.Add(ecs.NormalUpdate, &probe{name: "adder", do: func(w *arche.World) {
			q := w.Query(arche.All())
			for q.Next() {
				e.Commands().Defer(func(w *arche.World) { w.NewEntity() })
				e.Add(ecs.Render, &probe{name: "added"})
				e.Remove(other)
			}
			if forgets {
				e.Add(ecs.Render, &probe{name: "forgetful", init: open})
			}
		}})
		if forgets {
			mustPanic(t, func() { e.Update(0) }, "forgetful", "query open")
			continue
		}
		e.Update(0)
	}
}
