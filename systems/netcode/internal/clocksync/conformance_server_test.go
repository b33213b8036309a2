package clocksync

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Conformance case 28: a minute in the background, with a local clock that continues and with one
// that stops (a suspended machine). The engine runs at most 8 steps in a frame, the rest is an
// event, and the clocks are as before within 3 s.
func TestCase28Suspended(t *testing.T) {
	for _, stops := range []bool{false, true} {
		var slowest time.Duration
		for seed := uint64(1); seed <= seeds; seed++ {
			w := newWorld(t, seed)
			w.fixedDelay = 150 * ms
			w.start()
			w.Run(20 * time.Second)
			w.jumps = nil
			w.suspended, w.down.Held = true, true
			w.Run(80 * time.Second)
			w.suspended = false
			if stops {
				w.localEpoch -= 60 * time.Second
				w.lastFrame -= 60 * time.Second
			}
			most := 0
			var unsettled time.Duration
			back := w.Now
			w.onFrame = func() {
				most = max(most, w.engine.steps)
				off := w.server(w.Now) + w.client.lead.Lead() - w.client.simulation.Time(w.engine.normal)
				if off.Abs() > 20*ms {
					unsettled = w.Now - back
				}
			}
			w.onStep = func(view, truth time.Duration) {
				if viewError(w, view, truth) > 10*ms {
					unsettled = max(unsettled, w.Now-back)
				}
			}
			w.down.Release()
			w.Run(100 * time.Second)
			if most > 8 {
				t.Errorf("clock stops %v, seed %d: %d steps in a frame", stops, seed, most)
			}
			if len(w.jumps) != 1 || (w.grid.Edge(w.jumps[0].Ticks)-60*time.Second).Abs() > 300*ms {
				t.Errorf("clock stops %v, seed %d: %+v, want one jump of a minute", stops, seed, w.jumps)
			}
			slowest = max(slowest, unsettled)
		}
		t.Logf("clock stops %v: settled within %v", stops, slowest)
		if slowest > 3*time.Second {
			t.Errorf("clock stops %v: settled within %v", stops, slowest)
		}
	}
}

// Conformance case 30: the server does not run for 2 s, and makes up for it or loses the time.
// After it continues, the clocks are right within 3 s and the view never ran more than 10 % fast.
func TestCase30ServerPause(t *testing.T) {
	for _, loses := range []bool{false, true} {
		var slowest time.Duration
		for seed := uint64(1); seed <= seeds; seed++ {
			w := newWorld(t, seed)
			w.fixedDelay = 150 * ms
			w.start()
			w.Run(20 * time.Second)
			w.jumps = nil
			w.up.Held, w.serverPaused = true, true
			var unsettled time.Duration
			w.Run(22 * time.Second)
			w.serverPaused = false
			if loses {
				w.lost = 2 * time.Second
			}
			back := w.Now
			w.onFrame = func() {
				off := w.server(w.Now) + w.client.lead.Lead() - w.client.simulation.Time(w.engine.normal)
				if off.Abs() > 20*ms {
					unsettled = w.Now - back
				}
			}
			w.onStep = func(view, truth time.Duration) {
				if viewError(w, view, truth) > 10*ms {
					unsettled = max(unsettled, w.Now-back)
				}
				if rate := w.view.Rate(); rate < 0.9 || rate > 1.1 {
					t.Errorf("loses time %v, seed %d: the view runs at %v", loses, seed, rate)
				}
			}
			w.up.Release()
			w.Run(30 * time.Second)
			from := w.newest
			w.Run(40 * time.Second)
			if missed, total := w.missed(from, w.server(w.Now)-time.Second); missed > 0 {
				t.Errorf("loses time %v, seed %d: %d of %d inputs missed long after the pause", loses, seed, missed, total)
			}
			if want := map[bool]int{false: 0, true: 1}[loses]; len(w.jumps) != want {
				t.Errorf("loses time %v, seed %d: %+v", loses, seed, w.jumps)
			}
			slowest = max(slowest, unsettled)
		}
		t.Logf("loses time %v: settled within %v", loses, slowest)
		if slowest > 3*time.Second {
			t.Errorf("loses time %v: settled within %v", loses, slowest)
		}
	}
}

// Conformance case 28, the everyday half: frames of very different lengths, with stalls of up to a
// second. A frame has at most 8 steps, the simulation never runs back, every jump is forward and by
// whole ticks, and the clocks stay right.
func TestCase28UnsteadyFrames(t *testing.T) {
	stalls, worst := 0, time.Duration(0)
	for seed := uint64(1); seed <= seeds; seed++ {
		w := newWorld(t, seed)
		w.fixedDelay = 150 * ms
		rng := rand.New(rand.NewPCG(seed, 77))
		w.frames = func() time.Duration {
			length := 4*ms + time.Duration(rng.ExpFloat64()*float64(12*ms))
			if rng.IntN(500) == 0 {
				length += time.Duration(rng.Float64() * float64(time.Second))
			}
			return length
		}
		last := time.Duration(math.MinInt64)
		w.onFrame = func() {
			if w.engine.steps > 8 {
				t.Errorf("seed %d: %d steps in a frame", seed, w.engine.steps)
			}
			if !w.client.Synced() {
				return
			}
			value := w.client.simulation.Time(w.engine.normal)
			if value < last {
				t.Errorf("seed %d: the simulation ran back by %v at %v", seed, last-value, w.Now)
			}
			last = value
			if w.Now > 10*time.Second {
				worst = max(worst, (w.server(w.Now) + w.client.lead.Lead() - value).Abs())
			}
		}
		w.onStep = func(view, truth time.Duration) {
			if e := viewError(w, view, truth); w.Now > 10*time.Second && e > 10*ms {
				t.Errorf("seed %d: view-time error %v at %v", seed, e, w.Now)
			}
		}
		w.start()
		w.Run(90 * time.Second)
		for _, jump := range w.jumps[1:] {
			stalls++
			if jump.Cause != JumpStall || jump.Ticks < 1 {
				t.Errorf("seed %d: %+v", seed, jump)
			}
		}
	}
	t.Logf("%d stalls made up for; the simulation is off its target by %v at most", stalls, worst)
	if stalls < 20 {
		t.Errorf("only %d stalls: the case is too easy", stalls)
	}
	if worst > 60*ms {
		t.Errorf("the simulation is off its target by %v", worst)
	}
}
