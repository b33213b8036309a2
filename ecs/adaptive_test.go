package ecs_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

// adaptiveWorld has steps that take a time of their own.
func adaptiveWorld(t *testing.T, c ecs.Config, cost func(tick uint64) time.Duration) *ecs.Engine {
	t.Helper()
	wall := time.Duration(0)
	c.StepClock = func() time.Duration { return wall }
	e := newEngine(t, c)
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { wall += cost(e.Time().Tick) }))
	return e
}

// One step that takes long, be it the first, in which everything is loaded, or any other, says
// nothing of those after it. Two say little more; it is a load that makes the rate fall.
func TestAdaptiveOutliers(t *testing.T) {
	for _, outlier := range []time.Duration{50 * time.Millisecond, time.Second, time.Hour} {
		for at := range uint64(12) {
			e := adaptiveWorld(t, ecs.Config{AdaptiveRates: []int{60, 30, 15}}, func(tick uint64) time.Duration {
				if tick == at {
					return outlier
				}
				return 9900 * time.Microsecond // 59 % at 60 Hz
			})
			for k := range 100 {
				e.Update(time.Second / 60)
				if r := e.Time().Rate; r != 60 {
					t.Fatalf("%v in step %d: %d Hz after %d frames", outlier, at, r, k+1)
				}
			}
		}
	}
	for _, load := range []struct {
		cost time.Duration
		most int // steps until the rate falls
	}{{16 * time.Millisecond, 20}, {25 * time.Millisecond, 10}, {time.Second, 10}} {
		e := adaptiveWorld(t, ecs.Config{AdaptiveRates: []int{60, 30}}, func(tick uint64) time.Duration {
			if tick < 100 {
				return time.Millisecond
			}
			return load.cost
		})
		for e.Time().Rate == 60 && e.Time().Tick < 200 {
			e.Update(time.Second / 60)
		}
		if n := int(e.Time().Tick) - 100; n > load.most {
			t.Errorf("steps that take %v make the rate fall after %d of them, want at most %d", load.cost, n, load.most)
		}
	}
}

// In slow motion there is more real time for a step, in fast motion less.
func TestAdaptiveFollowsTheSpeedOfTime(t *testing.T) {
	for _, c := range []struct {
		scale float64
		cost  time.Duration
		rate  int
	}{
		{1, 12 * time.Millisecond, 60}, // 72 %
		{2, 12 * time.Millisecond, 30},
		{1, 40 * time.Millisecond, 15},
		{0.25, 40 * time.Millisecond, 60}, // 60 % of 67 ms
		{4, 4 * time.Millisecond, 30},     // 96 % of 4.2 ms
	} {
		e := adaptiveWorld(t, ecs.Config{AdaptiveRates: []int{60, 30, 15}, Scale: c.scale}, func(uint64) time.Duration { return c.cost })
		for range 400 {
			e.Update(time.Second / 60)
		}
		if r := e.Time().Rate; r != c.rate {
			t.Errorf("steps of %v at %v of real speed: %d Hz, want %d", c.cost, c.scale, r, c.rate)
		}
	}
}
