package ecs_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

// Behind a closed gate no step runs, also within an Update, the normal stages go on, and the time
// is dropped. An open one changes nothing.
func TestGate(t *testing.T) {
	e, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		t.Fatal(err)
	}
	steps, frames, open := 0, 0, 1<<30
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { steps++ }))
	e.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) { frames++ }))
	e.SetGate(func() bool { open--; return open >= 0 })
	e.Update(200 * time.Millisecond)
	if steps != 3 {
		t.Fatalf("%d steps behind an open gate, want 3", steps)
	}
	open = 1 // it closes after the first of two steps
	e.Update(200 * time.Millisecond)
	if now := e.Time(); steps != 4 || now.Tick != 4 || now.Normal != 400*time.Millisecond-1 || now.Dropped != 1 {
		t.Fatalf("%d steps, at %v with %v dropped; want 4, 399.999999ms and 1ns", steps, now.Normal, now.Dropped)
	}
	for range 10 {
		e.Update(100 * time.Millisecond)
	}
	if now := e.Time(); steps != 4 || frames != 12 || now.Real != now.Normal+now.Dropped {
		t.Fatalf("behind a closed gate: %d steps, %d frames, %v real, %v normal, %v dropped", steps, frames, now.Real, now.Normal, now.Dropped)
	}
	e.SetGate(nil)
	e.Update(100 * time.Millisecond)
	if steps != 5 {
		t.Fatalf("%d steps without a gate, want 5", steps)
	}
}

// A single step of a paused engine stops at the gate, too.
func TestGateOfAPausedEngine(t *testing.T) {
	e, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		t.Fatal(err)
	}
	e.Update(0)
	if err := e.SetScale(0); err != nil {
		t.Fatal(err)
	}
	e.SetGate(func() bool { return false })
	if err := e.RequestStep(); err != nil {
		t.Fatal(err)
	}
	e.Update(time.Second)
	if now := e.Time(); now.Tick != 1 || now.Dropped != 750*time.Millisecond {
		t.Errorf("tick %d and %v dropped, want 1 and what exceeds MaxDelta", now.Tick, now.Dropped)
	}
}
