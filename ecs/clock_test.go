package ecs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
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

// Case 46: the clamp is on real time, so a scale above one gets its share of every frame; the step
// cap holds whatever the scale. A host's clock may be broken; what has been passed in never turns
// negative.
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

func TestStretch(t *testing.T) {
	e := newEngine(t, ecs.Config{Scale: 0.5})
	if err := e.SetStretch(1.05); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		e.Update(10_000_001)
	}
	const want time.Duration = 1000 * 10_000_001 * 525 / 1000
	if now := e.Time(); now.Normal != want {
		t.Errorf("normal %d, want %d", now.Normal, want)
	}
	for _, bad := range []float64{0.9499, 1.0501, math.NaN(), math.Inf(1), 0, -1} {
		if err := e.SetStretch(bad); err == nil || e.Time().Stretch != 1.05 {
			t.Errorf("SetStretch(%v) = %v, stretch %v", bad, err, e.Time().Stretch)
		}
	}
}

// Cases 18, 19 and 20.
func TestPauseAndSingleStep(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	e.Update(20 * time.Millisecond)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(e.RequestStep()) // not paused: nothing
	e.Update(time.Millisecond)
	if now := e.Time(); now.Normal != 21*time.Millisecond || now.Steps != 0 {
		t.Fatalf("Step while running moved normal to %v in %d steps", now.Normal, now.Steps)
	}
	must(e.SetScale(0))
	must(e.SetScale(1))
	e.Update(time.Millisecond)
	if now := e.Time(); now.Normal != 22*time.Millisecond {
		t.Fatalf("a pause within one frame was seen: normal %v", now.Normal)
	}
	must(e.SetScale(0))
	for range 600 {
		e.Update(16 * time.Millisecond)
		if now := e.Time(); now.Steps != 0 || now.Normal != 22*time.Millisecond || now.NormalDelta != 0 {
			t.Fatalf("paused, but normal %v, %d steps", now.Normal, now.Steps)
		}
	}
	must(e.RequestStep())
	must(e.RequestStep()) // calls do not add up
	e.Update(16 * time.Millisecond)
	if now := e.Time(); now.Steps != 1 || now.Tick != 3 || now.Normal != now.Fixed-1 || now.NormalDelta != now.Normal-22*time.Millisecond {
		t.Fatalf("a single step: %d steps, tick %d, normal %v, fixed %v, delta %v", now.Steps, now.Tick, now.Normal, now.Fixed, now.NormalDelta)
	}
	e.Update(16 * time.Millisecond)
	if now := e.Time(); now.Steps != 0 {
		t.Fatalf("the single step was repeated")
	}
	must(e.RequestStep())
	must(e.SetScale(1)) // running again before it came to it
	before := e.Time().Normal
	e.Update(time.Millisecond)
	if now := e.Time(); now.Normal != before+time.Millisecond {
		t.Fatalf("a forgotten single step moved normal by %v", now.Normal-before)
	}

	e = newEngine(t, ecs.Config{})
	must(e.SetScale(0))
	must(e.RequestStep())
	e.Update(0)
	if now := e.Time(); now.Steps != 1 || now.Normal != edge(1, 60)-1 {
		t.Fatalf("a single step before the first Update: %d steps, normal %v", now.Steps, now.Normal)
	}
}

func TestBadSettingsChangeNothing(t *testing.T) {
	e := newEngine(t, ecs.Config{Scale: 2, FixedRate: 30})
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1000.1, 1e-9} {
		if err := e.SetScale(bad); err == nil || e.Time().Scale != 2 {
			t.Errorf("SetScale(%v) = %v, scale %v", bad, err, e.Time().Scale)
		}
	}
	for _, bad := range []int{0, -1, 1001} {
		if err := e.SetRate(bad); err == nil || e.Time().Rate != 30 {
			t.Errorf("SetRate(%v) = %v, rate %v", bad, err, e.Time().Rate)
		}
	}
	for _, good := range []float64{0, 1e-6, 1000} {
		if err := e.SetScale(good); err != nil || e.Time().Scale != good {
			t.Errorf("SetScale(%v) = %v, scale %v", good, err, e.Time().Scale)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	clock := func() time.Duration { return 0 }
	for _, test := range []struct {
		c    ecs.Config
		want string
	}{
		{ecs.Config{FixedRate: -1}, "outside 1 to 1000"},
		{ecs.Config{FixedRate: 1001}, "outside 1 to 1000"},
		{ecs.Config{Scale: -1}, "outside 0 to 1000"},
		{ecs.Config{Scale: math.NaN()}, "outside 0 to 1000"},
		{ecs.Config{MaxSteps: -1}, "MaxSteps is -1"},
		{ecs.Config{MaxDelta: -1}, "MaxDelta is -1ns"},
		{ecs.Config{MaxDelta: 25 * time.Hour}, "MaxDelta is 25h"},
		{ecs.Config{AdaptiveRates: []int{60}}, "StepClock"},
		{ecs.Config{AdaptiveRates: []int{60, 0}, StepClock: clock}, "outside 1 to 1000"},
		{ecs.Config{FixedRate: 50, AdaptiveRates: []int{60, 30}, StepClock: clock}, "none of the adaptive rates"},
	} {
		if _, err := ecs.New(test.c); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("New(%+v) = %v, want an error about %q", test.c, err, test.want)
		}
	}
	e := newEngine(t, ecs.Config{AdaptiveRates: []int{15, 60, 30, 30}, StepClock: clock})
	if r := e.Time().Rate; r != 60 {
		t.Errorf("adaptive rates start at %d Hz, want the highest", r)
	}
}

func TestHoldClock(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	if _, err := e.HoldClock(""); err == nil {
		t.Error("the clock was held by nobody")
	}
	_ = e.SetScale(0.5)
	if _, err := e.HoldClock("client"); err == nil || !strings.Contains(err.Error(), "0.5") {
		t.Errorf("holding a slowed clock = %v", err)
	}
	_ = e.SetScale(1)
	release, err := e.HoldClock("client of 127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"SetScale": e.SetScale(0.5), "pause": e.SetScale(0), "SetRate": e.SetRate(30), "RequestStep": e.RequestStep(),
		"HoldClock": func() error { _, err := e.HoldClock("other"); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "client of 127.0.0.1") {
			t.Errorf("%s of a held clock = %v, want an error that names the holder", name, err)
		}
	}
	if err := e.SetScale(1); err != nil {
		t.Errorf("SetScale(1) of a held clock = %v", err)
	}
	if err := e.SetStretch(1.01); err != nil {
		t.Errorf("SetStretch of a held clock = %v", err)
	}
	release()
	release()
	if err := e.SetRate(30); err != nil {
		t.Errorf("SetRate after release = %v", err)
	}
	again, err := e.HoldClock("second")
	if err != nil {
		t.Fatal(err)
	}
	release() // stale: must not free the second holder's
	if err := e.SetRate(60); err == nil {
		t.Error("an old release freed another holder's clock")
	}
	again()

	a := newEngine(t, ecs.Config{AdaptiveRates: []int{60, 30}, StepClock: func() time.Duration { return 0 }})
	if _, err := a.HoldClock("client"); err == nil {
		t.Error("a clock with adaptive rates was held")
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
