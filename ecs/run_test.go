package ecs_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

// A running engine steps at the edges of its steps, and sleeps between them: it makes one frame for
// each step, whatever share of the time the systems take.
func TestRunSleepsUntilTheNextStep(t *testing.T) {
	for _, test := range []struct {
		name          string
		work          time.Duration // of each step
		setup         func(e *ecs.Engine)
		steps, frames uint64 // in a second
	}{
		{"idle", 0, nil, 21, 21},
		{"at work", 30 * ms, nil, 21, 21},
		{"at work for all the time", 50 * ms, nil, 20, 20}, // the end of the context comes first
		{"in a pause", 0, func(e *ecs.Engine) { _ = e.SetScale(0) }, 1, 21},
		{"in slow motion", 0, func(e *ecs.Engine) { _ = e.SetScale(0.25) }, 6, 21},
		{"hardly moving", 0, func(e *ecs.Engine) { _ = e.SetScale(1e-6) }, 1, 21},
		{"in fast motion", 0, func(e *ecs.Engine) { _ = e.SetScale(4) }, 81, 81},
		{"stretched", 0, func(e *ecs.Engine) { _ = e.SetStretch(1.05) }, 22, 22},
		{"at another rate", 0, func(e *ecs.Engine) { _ = e.SetRate(7) }, 8, 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEngine(t, ecs.Config{FixedRate: 20})
				if test.setup != nil {
					test.setup(e)
				}
				e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { time.Sleep(test.work) }))
				ctx, stop := context.WithTimeout(t.Context(), time.Second+ms/2)
				defer stop()
				if test.work == 50*ms {
					var cancel func()
					ctx, cancel = context.WithTimeout(ctx, time.Second-ms/2)
					defer cancel()
				}
				err := e.Run(ctx)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("it returns %v", err)
				}
				if got := e.Time(); got.Tick != test.steps || got.Frame != test.frames {
					t.Errorf("%d steps in %d frames, want %d in %d", got.Tick, got.Frame, test.steps, test.frames)
				}
				if got := e.Time(); got.Dropped != 0 {
					t.Errorf("%v was dropped", got.Dropped)
				}
				mustPanic(t, func() { e.Update(0) }, "closed engine")
			})
		})
	}
}

// A system ends the loop, with a reason, when its frame is over. The engine is closed.
func TestRunEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		won := errors.New("the match is over")
		ctx, end := context.WithCancelCause(t.Context())
		e := newEngine(t, ecs.Config{FixedRate: 20})
		var log []string
		e.Add(ecs.FixedUpdate, &probe{name: "rules", log: &log, do: func(*arche.World) {
			if e.Time().Tick == 2 {
				end(won)
			}
		}})
		e.Add(ecs.Render, &probe{name: "last", log: &log})
		if err := e.Run(ctx); err != won {
			t.Errorf("it returns %v", err)
		}
		checkLog(t, log, "init rules", "init last", "update rules", "update last", "update rules", "update last", "update rules", "update last",
			"fin last", "fin rules")

		late := newEngine(t, ecs.Config{})
		if err := late.Run(ctx); err != won || late.Time().Frame != 0 {
			t.Errorf("a context that has ended: %v after %d frames", err, late.Time().Frame)
		}
		mustPanic(t, func() { _ = late.Run(ctx) }, "Run was called on a closed engine")
	})
}

// A system's panic closes the engine and is passed on. Run in a system is refused.
func TestRunPassesPanicsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, ecs.Config{})
		var log []string
		e.Add(ecs.FixedUpdate, &probe{name: "inner", log: &log, do: func(*arche.World) { _ = e.Run(t.Context()) }})
		mustPanic(t, func() { _ = e.Run(t.Context()) }, "Run was called from inside Update")
		checkLog(t, log, "init inner", "update inner", "fin inner")
	})
}
