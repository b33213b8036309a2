package ecs_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

// A step may pause the engine, or change its speed, in a frame that has more steps to run than it
// may. The dropped time is counted at the speed at which the frame began.
func TestScaleChangedInsideAnOverloadedFrame(t *testing.T) {
	for _, to := range []float64{0, 1e-6, 0.5, 1000} {
		e := newEngine(t, ecs.Config{FixedRate: 1000, MaxSteps: 4})
		e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if e.Time().Tick == 2 {
				if err := e.SetScale(to); err != nil {
					t.Fatal(err)
				}
			}
		}))
		e.Update(100 * time.Millisecond)
		now := e.Time()
		checkInvariants(t, e)
		if now.Steps != 4 || now.Normal+now.Dropped != now.Real {
			t.Errorf("to %v: %d steps, normal %v and dropped %v of real %v", to, now.Steps, now.Normal, now.Dropped, now.Real)
		}
		for range 50 { // and it goes on
			e.Update(10 * time.Millisecond)
			checkInvariants(t, e)
		}
	}
}
