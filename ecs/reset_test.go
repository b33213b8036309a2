package ecs_test

import (
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

// A world that is reset under its engine has lost what the engine and its plugins keep in it. The
// next Update says so, and the engine can be closed.
func TestResetUnderTheEngine(t *testing.T) {
	w := arche.NewWorld()
	e := newEngine(t, ecs.Config{World: &w})
	e.Update(0)
	w.Reset()
	for range 2 {
		mustPanic(t, func() { e.Update(0) }, "ecs:", "World.Reset", "close the engine before", "RemoveEntities")
	}
	if now := e.Time(); now.Frame != 1 {
		t.Errorf("frame %d was begun", now.Frame)
	}
	e.Close()
	next := newEngine(t, ecs.Config{World: &w})
	next.Update(0)
	next.Close()
}

// The panic of a system whose resource is gone says why.
func TestResetInAStage(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) { w.Reset() }))
	e.Add(ecs.FixedUpdate, &probe{name: "reader", do: func(w *arche.World) { _ = arche.GetResource[ecs.Time](w).Tick }})
	mustPanic(t, func() { e.Update(0) }, "reader", "FixedUpdate", "World.Reset")
	e.Close()
}

// An engine whose world was reset does not touch the resources of the next one.
func TestClosedAfterItsWorldWasGivenAway(t *testing.T) {
	w := arche.NewWorld()
	first := newEngine(t, ecs.Config{World: &w})
	first.Update(0)
	w.Reset()
	second := newEngine(t, ecs.Config{World: &w})
	second.Update(0)
	mustPanic(t, func() { first.Update(0) }, "World.Reset")
	first.Close()
	second.Update(0)
	if arche.GetResource[ecs.Time](&w).Frame != 2 || arche.GetResource[ecs.Commands](&w) != second.Commands() {
		t.Error("the world's resources are not the second engine's")
	}
}
