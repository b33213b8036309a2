package ecs

import (
	"context"
	"time"
)

// Run updates the engine by real time until the context ends, and closes it. It is the loop of a
// program without a display, such as a server: between two fixed steps it sleeps. It wakes when a
// step is due, and in a pause and in slow motion once in a step's length of real time, so that the
// normal stages go on.
//
//	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
//	defer stop()
//	engine.Run(ctx) // until Ctrl+C
//
// The error is never nil: it is context.Cause(ctx), so a system ends the loop with a reason by the
// function of context.WithCancelCause. The system that is running, and its frame, are finished.
//
// If the machine is too slow, time is dropped as by [Engine.Update]. A system's panic closes the
// engine and is passed on. Run panics if the engine is closed, and if it is called from inside
// Update.
func (e *Engine) Run(ctx context.Context) error {
	e.mustBeOpen("Run")
	if e.updating {
		panic("ecs: Run was called from inside Update; a system must not drive its own engine")
	}
	defer e.Close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for last := time.Now(); ; {
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		now := time.Now()
		e.Update(now.Sub(last))
		last = now
		timer.Reset(e.clock.untilStep() - time.Since(last))
	}
}
