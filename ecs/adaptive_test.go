package ecs_test

import (
	"math"
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

// Case 45: steps that cost more than they simulate. The wall clock is simulated: a frame lasts as
// long as its steps.
func TestDeathSpiral(t *testing.T) {
	for _, adaptive := range []bool{false, true} {
		wall := time.Duration(0)
		cost := 40 * time.Millisecond
		c := ecs.Config{FixedRate: 60}
		if adaptive {
			c.AdaptiveRates = []int{60, 30, 15}
			c.StepClock = func() time.Duration { return wall }
		}
		e := newEngine(t, c)
		e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { wall += cost }))
		last := wall
		worst := time.Duration(0)
		run := func(seconds time.Duration) {
			for end := wall + seconds*time.Second; wall < end; {
				delta := wall - last
				last = wall
				e.Update(delta)
				wall += 2 * time.Millisecond // drawing
				worst = max(worst, wall-last)
			}
		}
		run(5)
		if limit := 8*cost + 2*time.Millisecond; worst > limit {
			t.Errorf("adaptive %v: a frame took %v, more than the cap's %v", adaptive, worst, limit)
		}
		before := e.Time()
		run(5)
		now := e.Time()
		ratio := float64(now.Normal-before.Normal) / float64(now.Real-before.Real)
		if adaptive {
			if now.Rate != 15 || ratio < 0.999 {
				t.Errorf("adaptive: %d Hz, world at %.3f of real time; want 15 Hz at full speed", now.Rate, ratio)
			}
		} else if want := (1.0 / 60) / 0.040; math.Abs(ratio-want) > 0.05 {
			t.Errorf("capped: world at %.3f of real time, want about %.3f", ratio, want)
		}
		cost = time.Millisecond
		run(1)
		before = e.Time()
		run(10)
		now = e.Time()
		if ratio := float64(now.Normal-before.Normal) / float64(now.Real-before.Real); ratio < 0.99 {
			t.Errorf("adaptive %v: after the load was gone the world runs at %.3f", adaptive, ratio)
		}
		if now.Rate != 60 {
			t.Errorf("adaptive %v: after the load was gone the rate is %d Hz", adaptive, now.Rate)
		}
	}
}

// A load between the thresholds must not make the rate swing.
func TestAdaptiveHysteresis(t *testing.T) {
	wall := time.Duration(0)
	e := newEngine(t, ecs.Config{AdaptiveRates: []int{60, 30}, StepClock: func() time.Duration { return wall }})
	// 72 % at 60 Hz
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { wall += 12 * time.Millisecond }))
	if err := e.SetRate(30); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		e.Update(33 * time.Millisecond)
	}
	if r := e.Time().Rate; r != 30 {
		t.Errorf("a 72 %% load at the faster rate made it rise to %d Hz", r)
	}
	if err := e.SetRate(60); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		e.Update(16 * time.Millisecond)
	}
	if r := e.Time().Rate; r != 60 {
		t.Errorf("a 72 %% load made the rate fall to %d Hz", r)
	}
	if err := e.SetRate(45); err != nil { // by hand, none of the list: adaption rests
		t.Fatal(err)
	}
	for range 1000 {
		e.Update(16 * time.Millisecond)
	}
	if r := e.Time().Rate; r != 45 {
		t.Errorf("a rate set by hand became %d Hz", r)
	}
}
