package ecs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/ecs"
)

func newEngine(t testing.TB, c ecs.Config) *ecs.Engine {
	t.Helper()
	e, err := ecs.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func checkInvariants(t interface {
	Helper()
	Fatalf(string, ...any)
}, e *ecs.Engine) {
	t.Helper()
	now := e.Time()
	if now.Fixed <= now.Normal {
		t.Fatalf("fixed %v is not ahead of normal %v", now.Fixed, now.Normal)
	}
	if now.Fixed != now.StepEnd || now.FixedDelta != now.StepEnd-now.StepStart {
		t.Fatalf("after Update fixed is %v, but the newest step is [%v, %v) of %v", now.Fixed, now.StepStart, now.StepEnd, now.FixedDelta)
	}
}

// edge is where step k begins at a constant rate, from the definition, in big enough integers.
func edge(k uint64, rate int64) time.Duration {
	whole, part := k/uint64(rate), k%uint64(rate)
	return time.Duration(whole)*time.Second + time.Duration(int64(part)*int64(time.Second)/rate)
}

func TestFirstUpdateRunsStepZero(t *testing.T) {
	for _, paused := range []bool{false, true} {
		for _, first := range []time.Duration{-5, 0, 1, 3 * time.Second} {
			e := newEngine(t, ecs.Config{MaxDelta: time.Millisecond})
			if paused {
				if err := e.SetScale(0); err != nil {
					t.Fatal(err)
				}
			}
			e.Update(first)
			if now := e.Time(); now.Steps != 1 || now.Tick != 1 || now.Fixed != edge(1, 60) {
				t.Errorf("paused %v, first delta %v: %d steps to %v, want step 0 to %v", paused, first, now.Steps, now.Fixed, edge(1, 60))
			}
		}
	}
}

// Case 39: ten hours, exact to the nanosecond.
func TestTenHours(t *testing.T) {
	if testing.Short() {
		t.Skip("2.16 million frames, three times")
	}
	const frames, dt = 2_160_000, 16_666_667
	for _, test := range []struct {
		scale  float64
		normal time.Duration
		steps  uint64
	}{
		{1, 36_000_000_720_000, 2_160_001},
		{0.25, 9_000_000_180_000, 540_001},
		{0.333333, 36_000_000_720 * 333_333 / 1000, 0}, // a third, in the clock's millionths
	} {
		e := newEngine(t, ecs.Config{Scale: test.scale})
		for range frames {
			e.Update(dt)
		}
		now := e.Time()
		if test.scale == 0.333333 {
			test.steps = uint64(test.normal.Nanoseconds())*60/1e9 + 1
		}
		if now.Normal != test.normal || now.Tick != test.steps {
			t.Errorf("at scale %v ten hours end at %d ns after %d steps, want %d after %d", test.scale, now.Normal, now.Tick, test.normal, test.steps)
		}
		if now.Fixed != edge(test.steps, 60) {
			t.Errorf("at scale %v the newest step ends at %d, want %d", test.scale, now.Fixed, edge(test.steps, 60))
		}
	}
}

// Case 10: the number of steps depends on time alone, whatever the display.
func TestDisplays(t *testing.T) {
	for _, hz := range []float64{23.976, 59.94, 60, 75, 144, 240} {
		for _, rate := range []int{7, 30, 60, 120} {
			rng := rand.New(rand.NewPCG(1, uint64(rate)))
			e := newEngine(t, ecs.Config{FixedRate: rate, MaxSteps: 20})
			last := time.Duration(0)
			for frame := 1; last < 10*time.Second; frame++ {
				at := time.Duration(float64(frame) / hz * 1e9)
				at += time.Duration(rng.IntN(2_000_000) - 1_000_000) // the timer's own noise
				e.Update(at - last)
				last = at
				now := e.Time()
				if want := uint64(int64(now.Normal)*int64(rate)/1e9) + 1; now.Tick != want && edge(want-1, int64(rate)) <= now.Normal {
					t.Fatalf("%v Hz display, %d Hz steps: %d steps at %v, want %d", hz, rate, now.Tick, now.Normal, want)
				}
				if now.Dropped != 0 || now.Normal != at {
					t.Fatalf("%v Hz display: normal %v at real %v, dropped %v", hz, now.Normal, at, now.Dropped)
				}
				checkInvariants(t, e)
			}
		}
	}
}

// Case 42: ten hours of suspend in one frame.
func TestSuspend(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	e.Update(10 * time.Hour)
	now := e.Time()
	if now.Steps != 8 || now.Normal != edge(8, 60)-1 || now.Fixed != edge(8, 60) {
		t.Errorf("%d steps, normal %v, fixed %v; want 8 steps up to 1 ns before %v", now.Steps, now.Normal, now.Fixed, edge(8, 60))
	}
	if now.NormalDelta != now.Normal || now.Dropped != 10*time.Hour-now.Normal || now.RealDelta != 10*time.Hour {
		t.Errorf("normal delta %v, dropped %v, real delta %v after a suspend that ended at %v", now.NormalDelta, now.Dropped, now.RealDelta, now.Normal)
	}
	before := now.Normal
	e.Update(time.Millisecond)
	if now := e.Time(); now.Normal != before+time.Millisecond || now.Steps != 1 {
		t.Errorf("the frame after a suspend moved normal by %v and ran %d steps", now.Normal-before, now.Steps)
	}
}

// Case 44.
func TestNoTimeAndTimeGoingBack(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	e.Update(5 * time.Millisecond)
	want := e.Time()
	for _, d := range []time.Duration{0, -1, math.MinInt64} {
		e.Update(d)
		now := e.Time()
		if now.Steps != 0 || now.Normal != want.Normal || now.Real != want.Real || now.NormalDelta != 0 || now.RealDelta != 0 {
			t.Errorf("a delta of %d ran %d steps and moved normal to %v, real to %v", d, now.Steps, now.Normal, now.Real)
		}
	}
}

// Case 46: the clamp is on real time, so a scale above one gets its share of every frame. The step
// cap holds at every scale. A host's clock may be broken; the total of the times that were passed
// in never turns negative.
func TestTotalsDoNotOverflow(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	for range 3 {
		before := e.Time()
		e.Update(math.MaxInt64)
		now := e.Time()
		if now.Real != math.MaxInt64 || now.Dropped < before.Dropped || now.Normal <= before.Normal {
			t.Errorf("real %d, dropped %d, normal %v after %v", now.Real, now.Dropped, now.Normal, before.Normal)
		}
		checkInvariants(t, e)
	}
}

func TestClampWithScale(t *testing.T) {
	e := newEngine(t, ecs.Config{Scale: 4, MaxSteps: 100})
	e.Update(200 * time.Millisecond)
	if now := e.Time(); now.Normal != 800*time.Millisecond || now.Dropped != 0 || now.Steps != 49 {
		t.Errorf("200 ms at scale 4: normal %v, %d steps, dropped %v; want 800ms, 49, 0", now.Normal, now.Steps, now.Dropped)
	}
	e.Update(300 * time.Millisecond)
	if now := e.Time(); now.Normal != 1800*time.Millisecond || now.Dropped != 50*time.Millisecond {
		t.Errorf("300 ms at scale 4: normal %v, dropped %v; want 1.8s, 50ms", now.Normal, now.Dropped)
	}
	e = newEngine(t, ecs.Config{Scale: 4})
	e.Update(200 * time.Millisecond)
	now := e.Time()
	held := 800*time.Millisecond - now.Normal
	if now.Steps != 8 || now.Dropped != held/4 {
		t.Errorf("at scale 4 the cap held back %v of normal time and dropped %v of real time; want a quarter (8 steps, got %d)", held, now.Dropped, now.Steps)
	}
}

// Cases 8 and 9: changes of scale and rate in flight move nothing but the future.
func TestScaleAndRateInFlight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, err := ecs.New(ecs.Config{MaxSteps: 1000})
		if err != nil {
			t.Fatal(err)
		}
		lastEnd := time.Duration(0)
		var inStep func()
		e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			now := e.Time()
			if now.StepStart != lastEnd {
				t.Fatalf("a step begins at %v, the one before ended at %v", now.StepStart, lastEnd)
			}
			if now.Fixed != now.StepStart {
				t.Fatalf("inside a step fixed is %v, its start %v", now.Fixed, now.StepStart)
			}
			lastEnd = now.StepEnd
			if inStep != nil {
				inStep()
				inStep = nil
			}
		}))
		rate := 60
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			switch rapid.IntRange(0, 3).Draw(t, "operation") {
			case 0:
				if err := e.SetScale(rapid.SampledFrom([]float64{0, 0.1, 0.25, 1, 1.0 / 3, 2, 4}).Draw(t, "scale")); err != nil {
					t.Fatal(err)
				}
			case 1:
				rate = rapid.SampledFrom([]int{5, 7, 10, 60, 120, 1000}).Draw(t, "rate")
				if err := e.SetRate(rate); err != nil {
					t.Fatal(err)
				}
			case 2:
				r := rapid.SampledFrom([]int{5, 7, 10, 60, 120, 1000}).Draw(t, "rate in a step")
				inStep = func() {
					rate = r
					if err := e.SetRate(r); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := e.Time()
			dt := time.Duration(rapid.Int64Range(0, 40_000_000).Draw(t, "dt"))
			e.Update(dt)
			now := e.Time()
			checkInvariants(t, e)
			if now.Fixed < before.Fixed || now.Normal < before.Normal {
				t.Fatalf("time ran backwards: fixed %v -> %v, normal %v -> %v", before.Fixed, now.Fixed, before.Normal, now.Normal)
			}
			if off := float64(now.NormalDelta) - float64(dt)*now.Scale; off > 1.001 || off < -1.001 {
				t.Fatalf("normal advanced by %v for %v at scale %v", now.NormalDelta, dt, now.Scale)
			}
			if now.Rate != rate {
				t.Fatalf("rate %d, want %d", now.Rate, rate)
			}
			// A step that began after the change has the new length; the change may have been made
			// inside the first one.
			if now.Steps > 1 {
				if d := now.FixedDelta - time.Second/time.Duration(rate); d < 0 || d > 1 {
					t.Fatalf("a step at %d Hz lasts %v", rate, now.FixedDelta)
				}
			}
		}
	})
}

// With both factors at one the books balance to the nanosecond.
func TestNothingIsLostUncounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, err := ecs.New(ecs.Config{
			FixedRate: rapid.IntRange(1, 1000).Draw(t, "rate"),
			MaxSteps:  rapid.IntRange(1, 10).Draw(t, "max steps"),
			MaxDelta:  time.Duration(rapid.Int64Range(1, 1e9).Draw(t, "max delta")),
		})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 50).Draw(t, "frames") {
			e.Update(time.Duration(rapid.Int64Range(-1e6, 2e9).Draw(t, "dt")))
			now := e.Time()
			checkInvariants(t, e)
			if now.Normal+now.Dropped != now.Real {
				t.Fatalf("normal %d + dropped %d != real %d", now.Normal, now.Dropped, now.Real)
			}
		}
	})
}

func TestDroppedIsRealTime(t *testing.T) {
	e := newEngine(t, ecs.Config{Scale: 0.7, FixedRate: 1000, MaxSteps: 1})
	if err := e.SetStretch(1.03); err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		e.Update(7_654_321)
	}
	now := e.Time()
	want := float64(now.Real) - float64(now.Normal)/(0.7*1.03)
	// Each frame may lose the fraction of a nanosecond that was carried when it was held back.
	if off := float64(now.Dropped) - want; math.Abs(off) > 15_000 {
		t.Errorf("dropped %v of real time, want %v", now.Dropped, time.Duration(want))
	}
}

func ExampleEngine_Update() {
	engine, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		panic(err)
	}
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		fmt.Println("  step", engine.Time().Tick)
	}))
	for range 4 {
		engine.Update(30 * time.Millisecond)
		now := engine.Time()
		fmt.Println("picture at", now.Normal, "simulated up to", now.Fixed)
	}
	// Output:
	//   step 0
	// picture at 30ms simulated up to 50ms
	//   step 1
	// picture at 60ms simulated up to 100ms
	// picture at 90ms simulated up to 100ms
	//   step 2
	// picture at 120ms simulated up to 150ms
}
