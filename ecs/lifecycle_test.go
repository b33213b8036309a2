package ecs_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

func TestRemove(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	a, b := &probe{name: "a", log: &log}, &probe{name: "b", log: &log}
	e.Add(ecs.Render, a, b)
	e.Add(ecs.FixedUpdate, a)
	e.Update(0)
	log = nil
	if !e.Remove(a) {
		t.Error("Remove did not find the system")
	}
	if e.Remove(a) || e.Remove(&probe{}) {
		t.Error("Remove found a system that is not there")
	}
	checkLog(t, log, "fin a", "fin a") // once for each stage
	log = nil
	e.Update(time.Second)
	checkLog(t, log, "update b")
}

func TestRemoveBeforeTheFirstUpdate(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	a := &probe{name: "a", log: &log}
	e.Add(ecs.Render, a)
	e.Remove(a)
	e.Update(0)
	e.Close()
	checkLog(t, log)
}

func TestRemoveDuringItsStage(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	a, b, c := &probe{name: "a", log: &log}, &probe{name: "b", log: &log}, &probe{name: "c", log: &log}
	e.Add(ecs.Render, a, b, c)
	e.Update(0)
	log = nil
	b.do = func(*arche.World) {
		e.Remove(b) // itself
		e.Remove(c) // one that is yet to come
		e.Remove(a) // one that has been
	}
	e.Update(0)
	checkLog(t, log, "update a", "update b", "fin b", "fin c", "fin a")
	log = nil
	e.Update(0)
	checkLog(t, log)
}

func TestSetEnabled(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	a, b := &probe{name: "a", log: &log}, &probe{name: "b", log: &log}
	e.Add(ecs.Render, a, b)
	e.SetEnabled(b, false)
	e.SetEnabled(&probe{}, true) // not there: left alone
	e.Update(0)
	checkLog(t, log, "init a", "init b", "update a") // initialised though disabled
	log = nil
	a.do = func(*arche.World) { e.SetEnabled(b, true); e.SetEnabled(a, false) }
	e.Update(0)
	e.Update(0)
	checkLog(t, log, "update a", "update b", "update b")
}

// A system added late is initialised at once and runs from the next stage on.
func TestAddLate(t *testing.T) {
	e := newEngine(t, ecs.Config{FixedRate: 10})
	var log []string
	adder := &probe{name: "adder", log: &log}
	e.Add(ecs.VisualSync, adder)
	e.Update(0)
	log = nil
	adder.do = func(*arche.World) {
		adder.do = nil
		e.Add(ecs.VisualSync, &probe{name: "same", log: &log})
		e.Add(ecs.Render, &probe{name: "later", log: &log})
		e.Add(ecs.FixedUpdate, &probe{name: "earlier", log: &log})
	}
	e.Update(0)
	checkLog(t, log, "update adder", "init same", "init later", "init earlier", "update later")
	log = nil
	e.Update(100 * time.Millisecond)
	checkLog(t, log, "update earlier", "update adder", "update same", "update later")
}

func TestInitializeMayAddSystems(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	first := &probe{name: "first", log: &log}
	first.init = func(*arche.World) { e.Add(ecs.FixedUpdate, &probe{name: "second", log: &log}) }
	e.Add(ecs.FixedUpdate, first)
	e.Update(0)
	checkLog(t, log, "init first", "init second", "update first", "update second")
}

func TestClose(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	for _, stage := range []ecs.Stage{ecs.FixedUpdate, ecs.Render} {
		e.Add(stage, &probe{name: stage.String() + "1", log: &log}, &probe{name: stage.String() + "2", log: &log})
	}
	e.Update(0)
	log = nil
	e.Close()
	e.Close()
	checkLog(t, log, "fin Render2", "fin Render1", "fin FixedUpdate2", "fin FixedUpdate1")
	mustPanic(t, func() { e.Update(0) }, "Update", "closed", "ecs.New")
	mustPanic(t, func() { e.Add(ecs.Render, &probe{}) }, "Add", "closed", "ecs.New")
	mustPanic(t, func() { e.Install(&plugin{}) }, "Install", "closed", "ecs.New")

	// A system may close what is being closed, and one that panics leaves the rest to another
	// Close.
	log = nil
	e = newEngine(t, ecs.Config{})
	again := &probe{name: "again", log: &log, fin: func(*arche.World) { e.Close() }}
	e.Add(ecs.Render, again, &probe{name: "broken", log: &log, fin: func(*arche.World) { panic("no") }})
	e.Update(0)
	log = nil
	mustPanic(t, e.Close, "broken", "Finalize")
	e.Close()
	checkLog(t, log, "fin broken", "fin again")

	// Never begun: nothing to finalise.
	log = nil
	e = newEngine(t, ecs.Config{})
	e.Add(ecs.Render, &probe{name: "a", log: &log})
	e.Close()
	checkLog(t, log)

	e = newEngine(t, ecs.Config{})
	e.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) { e.Close() }))
	mustPanic(t, func() { e.Update(0) }, "Close", "inside Update")
}

// A world belongs to one engine at a time.
func TestTwoEnginesOnOneWorld(t *testing.T) {
	w := arche.NewWorld()
	first := newEngine(t, ecs.Config{World: &w})
	if _, err := ecs.New(ecs.Config{World: &w}); err == nil {
		t.Fatal("a second engine took a world that is in use")
	}
	first.Update(0)
	first.Close()
	second := newEngine(t, ecs.Config{World: &w})
	second.Update(0)
	if arche.GetResource[ecs.Time](&w).Frame != 1 || arche.GetResource[ecs.Commands](&w) != second.Commands() {
		t.Error("the world's resources are not the second engine's")
	}
}

func TestUpdateFromInsideUpdate(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	e.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) { e.Update(0) }))
	mustPanic(t, func() { e.Update(0) }, "inside Update")
}

// slice cannot be compared; neither can box, when there is such a thing in it.
type slice []int

func (slice) Initialize(*arche.World) {}
func (slice) Update(*arche.World)     {}
func (slice) Finalize(*arche.World)   {}

type box struct{ in any }

func (box) Initialize(*arche.World) {}
func (box) Update(*arche.World)     {}
func (box) Finalize(*arche.World)   {}

func TestSystemsThatCannotBeCompared(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	a := &probe{}
	e.Add(ecs.Render, slice{1}, ecs.SystemFunc(func(*arche.World) {}), box{slice{}}, box{3}, a)
	for _, s := range []ecs.System{slice{1}, ecs.SystemFunc(func(*arche.World) {}), box{slice{}}, nil} {
		mustPanic(t, func() { e.Remove(s) }, "Remove", "pointer")
		mustPanic(t, func() { e.SetEnabled(s, true) }, "SetEnabled", "pointer")
	}
	if !e.Remove(a) || !e.Remove(box{3}) || e.Remove(box{4}) {
		t.Error("a comparable system among others was not told from them")
	}
}
