package settings_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// As documented: frames per second >= rate * speed / MaxSteps for all frames up to maxDelta.
func TestMaxStepsSuffice(t *testing.T) {
	for _, rate := range []int{1, 5, 60, 120, 1000} {
		for _, speed := range []float64{0.1, 1, 2, settings.MaxSpeed} {
			for _, delta := range []time.Duration{50 * time.Millisecond, 250 * time.Millisecond} {
				steps := settings.MaxSteps(rate, speed, delta)
				if need := float64(rate)*speed*delta.Seconds() + 1; float64(steps) < need {
					t.Errorf("%d Hz, speed %v, %v: %d steps, but a frame may need %v", rate, speed, delta, steps, need)
				}
				if steps < int(settings.MaxKeyLoad*delta.Seconds())+1 {
					t.Errorf("%d Hz, speed %v, %v: %d steps are too few for what keys can choose", rate, speed, delta, steps)
				}
			}
		}
	}
}
