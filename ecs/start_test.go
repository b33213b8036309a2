package ecs_test

import (
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/ecs"
)

// An engine that starts at a tick has the same edges as one that has run up to there.
func TestStartAtHasTheSameEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.IntRange(1, 1000).Draw(t, "rate")
		first := rapid.Uint64Range(0, 5000).Draw(t, "first")
		late, err := ecs.New(ecs.Config{FixedRate: rate, MaxSteps: 10_000, MaxDelta: 24 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		if err := late.StartAt(first); err != nil {
			t.Fatal(err)
		}
		at := edge(first, int64(rate))
		if now := late.Time(); now.Tick != first || now.Normal != at || now.Fixed != at {
			t.Fatalf("before its first frame an engine that starts at %d is at tick %d, %v", first, now.Tick, now.Normal)
		}
		next := first
		late.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			now := late.Time()
			if now.Tick != next || now.StepStart != edge(next, int64(rate)) || now.StepEnd != edge(next+1, int64(rate)) {
				t.Fatalf("step %d is %d and covers %v to %v", next, now.Tick, now.StepStart, now.StepEnd)
			}
			next++
		}))
		late.Update(0)
		for range rapid.IntRange(0, 20).Draw(t, "frames") {
			late.Update(time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "frame")))
			checkInvariants(t, late)
		}
		if next == first || late.Time().Tick != next {
			t.Fatalf("the engine is at tick %d after the steps %d to %d", late.Time().Tick, first, next)
		}
	})
}

func TestStartAtIsRefused(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	if err := e.StartAt(1 << 60); err == nil || !strings.Contains(err.Error(), "cannot start at tick") {
		t.Errorf("a start in 600 million years: %v", err)
	}
	before := e.Time()
	if before != newEngine(t, ecs.Config{}).Time() {
		t.Errorf("a refused start has left %+v", before)
	}
	var inside error
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { inside = e.StartAt(1) }))
	e.Update(0)
	after := e.StartAt(7)
	for _, err := range []error{inside, after} {
		if err == nil || !strings.Contains(err.Error(), "before it") {
			t.Errorf("a start of a running engine: %v", err)
		}
	}
	if e.Time().Tick != 1 {
		t.Errorf("a refused start has moved the engine to tick %d", e.Time().Tick)
	}
}
