package ecs_test

import (
	"errors"
	"slices"
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
	// The engine can go on, and makes up for the step that was broken off.
	bad.do = nil
	e.Update(0)
	if now := e.Time(); now.Fixed <= now.Normal || now.Fixed != 300*time.Millisecond || now.Tick != 3 {
		t.Errorf("after a panic: %+v", now)
	}
}

// A step that a panic broke off is run again by the next Update, once, whatever happens to the rate in it or after it.
func TestRateAfterABrokenStep(t *testing.T) {
	for _, inside := range []bool{false, true} {
		e := newEngine(t, ecs.Config{FixedRate: 10})
		var starts []time.Duration
		broken := false
		e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			now := e.Time()
			if now.Tick == 2 && !broken {
				broken = true
				if inside {
					setRate(t, e, 20)
				}
				panic("once")
			}
			starts = append(starts, now.StepStart)
		}))
		e.Update(0)
		mustPanic(t, func() { e.Update(200 * time.Millisecond) }, "once")
		if now := e.Time(); now.Tick != 2 || now.Steps != 1 || now.Fixed != 200*time.Millisecond {
			t.Errorf("after the panic: %+v", now)
		}
		if !inside {
			setRate(t, e, 20)
		}
		e.Update(0)
		e.Update(100 * time.Millisecond)
		want := []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond, 250 * time.Millisecond, 300 * time.Millisecond}
		if !slices.Equal(starts, want) {
			t.Errorf("rate set inside %v: steps began at %v, want %v", inside, starts, want)
		}
		checkInvariants(t, e)
	}
}

// Whatever a host that has recovered does to the clock, the next Update runs the step that was broken off and no other: what the frame had still to run would be
// too much for a pause, which has no real time that it could be counted in.
func TestClockAfterABrokenStep(t *testing.T) {
	for _, paused := range []bool{false, true} { // when the step breaks
		for name, then := range map[string]func(e *ecs.Engine) error{
			"nothing":       func(*ecs.Engine) error { return nil },
			"pause":         func(e *ecs.Engine) error { return e.SetScale(0) },
			"pause, faster": func(e *ecs.Engine) error { return errors.Join(e.SetScale(0), e.SetRate(1000)) },
			"nearly still":  func(e *ecs.Engine) error { return e.SetScale(1e-6) },
			"high speed":    func(e *ecs.Engine) error { return e.SetScale(1000) },
			"single step":   func(e *ecs.Engine) error { return errors.Join(e.SetScale(0), e.Step()) },
		} {
			e := newEngine(t, ecs.Config{FixedRate: 10, MaxSteps: 3, MaxDelta: time.Hour})
			e.Update(50 * time.Millisecond)
			breaks := true
			e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
				if breaks {
					panic("once")
				}
			}))
			if paused {
				if err := errors.Join(e.SetScale(0), e.Step()); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				mustPanic(t, func() { e.Update(time.Minute) }, "once")
				if now := e.Time(); now.NormalDelta < 0 || !paused && (now.Normal != 100*time.Millisecond || now.Normal+now.Dropped != now.Real) {
					t.Errorf("%s after the panic: %+v", name, now)
				}
			}
			breaks = false
			if err := then(e); err != nil {
				t.Fatal(err)
			}
			before := e.Time()
			e.Update(0)
			now := e.Time()
			if due := !paused || now.Scale == 0; due && (now.Steps != 1 || now.StepStart != 100*time.Millisecond) || now.NormalDelta < 0 || now.Dropped != before.Dropped {
				t.Errorf("%s, paused before %v: %+v", name, paused, now)
			}
			if end := now.Fixed - 1; (name == "single step" || paused && now.Scale == 0) && now.Normal != end {
				t.Errorf("%s, paused before %v: a single step shows %v, want %v", name, paused, now.Normal, end)
			}
			for range 20 { // and it goes on
				e.Update(70 * time.Millisecond)
				checkInvariants(t, e)
			}
		}
	}
}

// A host that recovers from the panic of an Initialize finds the others initialised before they run.
func TestInitializeAfterABrokenOne(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	first := &probe{name: "first", log: &log, init: func(*arche.World) { panic("no") }}
	e.Add(ecs.FixedUpdate, first, &probe{name: "second", log: &log})
	mustPanic(t, func() { e.Update(0) }, "first", "Initialize")
	e.Update(0)
	e.Close()
	checkLog(t, log, "init first", "init second", "update first", "update second", "fin second", "fin first")
}

func setRate(t *testing.T, e *ecs.Engine, rate int) {
	t.Helper()
	if err := e.SetRate(rate); err != nil {
		t.Error(err)
	}
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

// An edit of the world's structure while a query is open is arche's panic, which does not say what to do about it.
func TestPanicOfALockedWorldSaysWhatToDo(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	e.World().NewEntity()
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		for q := w.Query(arche.All()); q.Next(); {
			w.RemoveEntity(q.Entity())
		}
	}))
	mustPanic(t, func() { e.Update(0) }, "attempt to modify a locked world; a query is open: give the edit to ecs.Commands")
}

// One system's panic while it adds another is told once, in the innermost one's name.
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

	// While its query is open a system may add and remove others, and is not mistaken for having forgotten it; the new one may not forget its own.
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
