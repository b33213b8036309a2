package clocksync

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// driven is an engine whose clock is steered towards a target, without any network.
type driven struct {
	t          testing.TB
	now        time.Duration
	engine     *testEngine
	simulation *Simulation
	target     func(now time.Duration) time.Duration
	stretch    float64
	jumps      []ClockJump
}

func newDriven(t testing.TB, grid Grid) *driven {
	return &driven{t: t, engine: newTestEngine(grid), simulation: NewSimulation(grid), target: func(now time.Duration) time.Duration { return now + time.Hour }}
}

func (d *driven) frame(real time.Duration) {
	d.now += real
	d.engine.update(real)
	var jump ClockJump
	d.stretch, jump = d.simulation.Update(d.now, d.engine.time(), d.target(d.now), false)
	d.engine.stretch = int64(math.Round(d.stretch * 1e6))
	if jump.Cause != NoJump {
		d.jumps = append(d.jumps, jump)
	}
}

func (d *driven) run(duration, frame time.Duration) {
	for end := d.now + duration; d.now < end; {
		d.frame(frame)
	}
}

// off returns how far the simulation is behind its target.
func (d *driven) off() time.Duration { return d.target(d.now) - d.simulation.Time(d.engine.normal) }

func TestSimulationStartsAtItsTarget(t *testing.T) {
	d := newDriven(t, Grid{})
	d.run(100*ms, 10*ms)
	if !d.simulation.started || len(d.jumps) != 1 || d.jumps[0].Cause != JumpStart {
		t.Fatalf("jumps %+v, want a start", d.jumps)
	}
	if off := d.off(); off > 0 || off < -17*ms {
		t.Errorf("%v late after the start, want early by up to a tick", off)
	}
	d.run(2*time.Second, 10*ms)
	if off := d.off().Abs(); off > 10*time.Microsecond {
		t.Errorf("off by %v after two seconds", off)
	}
	if d.stretch < 0.9999 || d.stretch > 1.0001 {
		t.Errorf("a stretch of %v at rest", d.stretch)
	}
	// Ticks and times agree. The step that begins at an edge of the engine simulates the tick of
	// that edge on the server.
	k := d.engine.tick
	index := d.simulation.index(k)
	if got, want := d.simulation.Time(d.engine.grid.Edge(int64(k))), d.engine.grid.Edge(index); got != want {
		t.Errorf("engine step %d is at %v of the server's time, tick %d at %v", k, got, index, want)
	}
	if got, want := d.simulation.Tick(k), d.engine.grid.Tick(index); got != want {
		t.Errorf("Tick(%d) = %d, want %d", k, got, want)
	}
}

func TestSimulationStretchesErrorsAway(t *testing.T) {
	for _, test := range []struct {
		shift time.Duration
		most  time.Duration // until the error is below 1 ms
	}{
		{10 * ms, 700 * ms},
		{-10 * ms, 700 * ms},
		{100 * ms, 2700 * ms}, // 87.5 ms at 5 %, then 12.5 exp(-t/0.25)
		{-100 * ms, 2700 * ms},
		{240 * ms, 5500 * ms},
		{-240 * ms, 5500 * ms},
	} {
		for _, frame := range []time.Duration{4 * ms, 16667 * time.Microsecond, 125 * ms} {
			d := newDriven(t, Grid{})
			d.run(2*time.Second, frame)
			begin := d.now
			d.target = func(now time.Duration) time.Duration { return now + time.Hour + test.shift }
			last, settled := d.simulation.Time(d.engine.normal), time.Duration(0)
			for d.now < begin+8*time.Second {
				d.frame(frame)
				if d.stretch < 0.95 || d.stretch > 1.05 {
					t.Fatalf("%v: a stretch of %v", test.shift, d.stretch)
				}
				value := d.simulation.Time(d.engine.normal)
				if value < last {
					t.Fatalf("%v: the clock ran back by %v", test.shift, last-value)
				}
				last = value
				if d.off().Abs() > ms {
					settled = d.now - begin
				}
				// There is no overshoot with any length of frame.
				if off := d.off(); test.shift > 0 && off < -ms || test.shift < 0 && off > ms {
					t.Errorf("%v, frames of %v: overshoot to %v", test.shift, frame, off)
				}
			}
			if settled > test.most+frame {
				t.Errorf("%v, frames of %v: absorbed within %v, want %v", test.shift, frame, settled, test.most)
			}
			if len(d.jumps) != 1 {
				t.Errorf("%v: jumps %+v", test.shift, d.jumps)
			}
		}
	}
}

// Conformance case 28: time dropped in a local stall is made up by whole ticks at once, as an
// event, and never by more steps than the engine runs. If no step is dropped, an error shrinks in
// every frame and never changes its sign, even with frames longer than the time constant.
func TestSimulationNeverOvershoots(t *testing.T) {
	for _, frame := range []time.Duration{5 * ms, 50 * ms, 120 * ms} {
		for _, shift := range []time.Duration{5 * ms, -5 * ms} {
			d := newDriven(t, Grid{})
			d.run(4*time.Second, frame)
			begun := d.target
			d.target = func(now time.Duration) time.Duration { return begun(now) + shift }
			left := 0.0
			frames := int(max(40, time.Second/frame))
			for k := range frames {
				d.frame(frame)
				before := left
				if left = d.off().Seconds() / shift.Seconds(); k > 0 && (left < -0.01 || left > before+0.001) {
					t.Fatalf("frames of %v: %.1f %% of an error of %v are left after %.1f %%", frame, 100*left, shift, 100*before)
				}
			}
			if left > 0.05 {
				t.Errorf("frames of %v: after %d of them %.1f %% of an error of %v are left", frame, frames, 100*left, shift)
			}
		}
	}
}

func TestSimulationMakesUpForAStall(t *testing.T) {
	for _, stall := range []time.Duration{300 * ms, 500 * ms, 2 * time.Second, 60 * time.Second} {
		d := newDriven(t, Grid{})
		d.run(2*time.Second, 16*ms)
		d.jumps = nil
		next := d.simulation.index(d.engine.tick)
		d.frame(stall)
		if d.engine.steps > 8 {
			t.Errorf("%v: %d steps in a frame", stall, d.engine.steps)
		}
		if len(d.jumps) != 1 || d.jumps[0].Cause != JumpStall {
			t.Fatalf("%v: %+v, want one jump for the stall", stall, d.jumps)
		}
		jump := d.jumps[0]
		if d.simulation.index(d.engine.tick) != next+int64(d.engine.steps)+jump.Ticks {
			t.Errorf("%v: %+v does not start after the last step", stall, jump)
		}
		if off := d.off().Abs(); off > 9*ms {
			t.Errorf("%v: off by %v after the stall, want at most half a tick", stall, off)
		}
		d.run(2*time.Second, 16*ms)
		if len(d.jumps) != 1 || d.off().Abs() > ms {
			t.Errorf("%v: off by %v two seconds later, jumps %+v", stall, d.off(), d.jumps)
		}
	}
}

// Many small drops add up to a tick before a tick is skipped. The time that the stretch has
// absorbed meanwhile is not made up for twice.
func TestSimulationSmallDrops(t *testing.T) {
	d := newDriven(t, Grid{})
	d.run(2*time.Second, 16*ms)
	d.jumps = nil
	for range 100 {
		d.frame(252 * ms) // 2 ms are cut off, and 8 of 15 steps are run
	}
	before := len(d.jumps)
	if before == 0 || d.off().Abs() > 130*ms {
		t.Errorf("off by %v at 4 frames a second, after %d jumps", d.off(), before)
	}
	d.run(5*time.Second, 16*ms)
	d.jumps = nil
	d.target = func(now time.Duration) time.Duration { return now + time.Hour + 100*ms }
	d.run(5*time.Second, 16*ms)
	if len(d.jumps) != 0 {
		t.Errorf("a shift of the target long after the drops is jumped: %+v", d.jumps)
	}
}

func TestSimulationSnapsLargeErrors(t *testing.T) {
	for _, test := range []struct {
		rate  int
		shift time.Duration
		jumps bool
	}{
		{60, 249 * ms, false}, {60, 260 * ms, true}, {60, -260 * ms, true}, {60, 10 * time.Second, true}, {60, -10 * time.Second, true},
		{20, 499 * ms, false}, {20, 510 * ms, true}, // ten ticks are 500 ms
		{128, 249 * ms, false}, {128, 260 * ms, true}, // 250 ms are 32 ticks
	} {
		d := newDriven(t, mustGrid(t, test.rate))
		d.run(2*time.Second, 16*ms)
		d.jumps = nil
		next := d.simulation.Tick(d.engine.tick)
		d.target = func(now time.Duration) time.Duration { return now + time.Hour + test.shift }
		normal := d.engine.normal
		d.frame(time.Microsecond)
		if d.engine.normal < normal {
			t.Errorf("%+v: the engine's time moved back", test)
		}
		if (len(d.jumps) == 1) != test.jumps {
			t.Fatalf("%+v: jumps %+v", test, d.jumps)
		}
		if !test.jumps {
			continue
		}
		jump := d.jumps[0]
		if jump.Cause != JumpSnap || d.simulation.Tick(d.engine.tick) != next.Add(int(jump.Ticks)) || (d.engine.grid.Edge(jump.Ticks)-test.shift).Abs() > d.engine.grid.Step() {
			t.Errorf("%+v: %+v", test, jump)
		}
		if off := d.off(); off > 1 || off < -d.engine.grid.Step()-1 {
			t.Errorf("%+v: %v late after the jump, want early by up to a tick", test, off)
		}
	}
}

func TestSimulationRealAt(t *testing.T) {
	d := newDriven(t, Grid{})
	d.run(2*time.Second, 16*ms)
	d.target = func(now time.Duration) time.Duration { return now + time.Hour + 200*ms }
	d.run(100*ms, 16*ms)
	if d.stretch != 1.05 {
		t.Fatalf("a stretch of %v, want 1.05", d.stretch)
	}
	end := d.engine.normal + 21*ms
	want := d.now + 20*ms
	if got := d.simulation.RealAt(end); got != want {
		t.Errorf("RealAt() = %v, want %v", got, want)
	}
}

// For any target and any frames, the stretch stays within its bounds, and the time never runs back
// except in a reported jump. A jump is by whole ticks and leaves an error of less than a tick.
func TestSimulationProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := newDriven(t, mustGrid(t, rapid.IntRange(1, 1000).Draw(rt, "rate")))
		target := time.Duration(rapid.Int64Range(-1<<50, 1<<50).Draw(rt, "target"))
		d.target = func(time.Duration) time.Duration { return target }
		d.frame(0)
		last := d.simulation.Time(d.engine.normal)
		for range rapid.IntRange(1, 60).Draw(rt, "frames") {
			real := time.Duration(rapid.OneOf(
				rapid.Int64Range(0, int64(40*ms)), rapid.Int64Range(0, int64(10*time.Second)), rapid.Just(int64(0)),
			).Draw(rt, "real"))
			target += real
			if rapid.IntRange(0, 9).Draw(rt, "kick") == 0 {
				target = time.Duration(rapid.Int64Range(-1<<50, 1<<50).Draw(rt, "target"))
			} else {
				target += time.Duration(rapid.Int64Range(-int64(20*ms), int64(20*ms)).Draw(rt, "noise"))
			}
			jumps, index := len(d.jumps), d.simulation.index(0)
			d.frame(real)
			if d.stretch < 0.95 || d.stretch > 1.05 || math.IsNaN(d.stretch) {
				rt.Fatalf("a stretch of %v", d.stretch)
			}
			value := d.simulation.Time(d.engine.normal)
			if len(d.jumps) == jumps {
				if value < last || d.simulation.index(0) != index {
					rt.Fatalf("%v -> %v without a jump", last, value)
				}
			} else {
				jump := d.jumps[jumps]
				if d.simulation.index(0)-index != jump.Ticks || jump.Ticks == 0 {
					rt.Fatalf("the mapping moved by %d, reported was %+v", d.simulation.index(0)-index, jump)
				}
				if off := d.off(); jump.Cause == JumpSnap && (off > 2 || off < -d.engine.grid.Step()-2) {
					rt.Fatalf("%v late after %+v, want early by up to a tick", off, jump)
				}
			}
			last = value
		}
	})
}

func TestSimulationAllocatesNothing(t *testing.T) {
	d := newDriven(t, Grid{})
	if n := testing.AllocsPerRun(1000, func() { d.frame(16 * ms) }); n > 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

func mustGrid(t testing.TB, rate int) Grid {
	t.Helper()
	g, err := NewGrid(rate)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
