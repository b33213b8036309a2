package zones_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Crates wander over the borders of four zones. In every tick each has one owner, or is frozen for
// a moment.
func TestCratesCrossBorders(t *testing.T) {
	w := newWorld(t, quadrants())
	for _, name := range []string{"nw", "ne", "sw", "se"} {
		w.begin(name, 20)
	}
	w.run(2*time.Second, nil)
	w.run(20*time.Second, func() {
		all := w.owners()
		for n, k := range all {
			if k > 1 {
				t.Fatalf("at %v entity %v has %d owners", w.now, n, k)
			}
		}
		if len(all) < 75 {
			t.Fatalf("at %v only %d of 80 entities have an owner", w.now, len(all))
		}
	})
	for _, p := range w.zones {
		s := p.Stats()
		t.Logf("%s: %d owned, %d ghosts, %d handed over, %d arrived, frozen p99 %d max %d, latency p99 %d, known %d, clock %v, checkpoints %d of %d bytes",
			p.name, s.Owned, s.Ghosts, s.HandOvers, s.Arrivals, s.Frozen.Quantile(0.99), s.Frozen.Quantile(1), s.Latency.Quantile(0.99), s.Known, s.ClockError, s.Checkpoints, s.CheckpointBytes)
		if s.Malformed+s.Unsent+s.Undelivered+s.StoreErrors > 0 || s.Arrivals == 0 {
			t.Errorf("%s: %+v", p.name, s)
		}
	}
}

// A player runs around the corner of four zones, and is not corrected.
func TestPlayerCrossesBorders(t *testing.T) {
	w := newWorld(t, quadrants())
	for _, name := range []string{"nw", "ne", "sw", "se"} {
		w.begin(name, 5)
	}
	w.run(2*time.Second, nil)
	c := w.join("nw", runner{-8, -8}, linksim.Condition{Delay: 20 * time.Millisecond, Jitter: 3 * time.Millisecond})
	w.run(3*time.Second, nil)
	if s, why := c.Status(); s != netcode.Playing {
		t.Fatalf("the client is %v: %v", s, why)
	}
	before := c.Stats()
	corner := 0
	c.input = func(netcode.Tick) (in input) { // from corner to corner of a square
		at, _ := c.State()
		to := []runner{{8, -8}, {8, 8}, {-8, 8}, {-8, -8}}[corner%4]
		if dx, dz := to.X-at.X, to.Z-at.Z; max(dx, -dx, dz, -dz) < 0.2 {
			corner++
		} else if max(dx, -dx) > 0.1 {
			in.X = int8(max(-1, min(dx*20, 1)))
		} else {
			in.Z = int8(max(-1, min(dz*20, 1)))
		}
		return in
	}
	w.run(24*time.Second, nil)
	s := c.Stats()
	t.Logf("%d moves, %d corrections (%g), %d jumps", s.Moves, s.Corrections-before.Corrections, s.CorrectionError, s.Jumps-before.Jumps)
	if s.Moves < 10 || s.Corrections != before.Corrections || s.Reconnects != before.Reconnects {
		t.Errorf("%+v", s)
	}
}

// An entity that comes from a zone whose clock is ahead waits for its tick: it is on its path in
// each tick of both zones.
func TestEarlyArrivals(t *testing.T) {
	for _, skew := range []int{0, 1, 3} {
		w := newWorld(t, quadrants())
		w.begin("nw", 0)
		w.begin("ne", 0)
		w.run(time.Second, nil)
		nw, ne := w.zones["nw"], w.zones["ne"]
		for range skew {
			nw.engine.Update(time.Second / tickRate)
		}
		crate := nw.spawnAt(kindCrate, -1, -5)
		nw.addWander(crate, wander{VX: 6})
		w.run(50*time.Millisecond, nil)
		name := nw.nameOf(crate)
		x0, t0 := nw.at(name), nw.Server().Tick()
		for range 240 {
			w.run(frame, nil)
			for _, p := range []*place{nw, ne} {
				if at := p.at(name); at != noPlace {
					if want := x0 + float32(p.Server().Tick().Sub(t0))*6/tickRate; at < want-1e-3 || at > want+1e-3 {
						t.Fatalf("%d ticks of skew: in %s the crate is at %v in tick %d, want %v", skew, p.name, at, p.Server().Tick(), want)
					}
				}
			}
		}
		if ne.at(name) == noPlace {
			t.Errorf("%d ticks of skew: the crate has not crossed", skew)
		}
	}
}
