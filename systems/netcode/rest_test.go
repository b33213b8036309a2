package netcode_test

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

// What stops and starts, at the articles' condition: it comes to rest without running past its place and back, stands exactly there, and sets out again without a jump,
// after rests short and long.
func TestStopAndGo(t *testing.T) {
	const speed, runs, rests = 6, tickRate, 3 * tickRate / 2
	for seed := range uint64(6) {
		m := newMatch(t, nil)
		crate := m.crate(kindCrate, components.At3D(0, 0, 0))
		x := float32(0)
		stops := map[float32]bool{0: true}
		wait := uint64(rests)
		ran, rested := uint64(0), uint64(0)
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if rested < wait {
				rested++
				return
			}
			x += speed / float32(tickRate)
			m.transform(crate).Set(components.At3D(x, 0, 0))
			if ran++; ran == runs {
				ran, rested = 0, 0
				wait = rests + 7*uint64(x)%61 // at every phase of the snapshots
				if int(x)%30 < 6 {
					wait = 12 * tickRate // longer than a buffer reaches
				}
				stops[x] = true
			}
		}))
		a := m.join(seeds(400+seed), nil)
		m.run(5*time.Second, nil)
		m.mustPlay()
		before := a.client.Stats()
		last, back, most, off := float32(math.Inf(-1)), float32(0), float32(0), float32(0)
		m.run(60*time.Second, func() {
			at := a.visual(a.client.Replica(m.id(crate)))[0]
			if last > float32(math.Inf(-1)) {
				back, most = max(back, last-at), max(most, at-last)
			}
			if at == last { // it stands
				near := float32(math.Inf(1))
				for stop := range stops {
					near = min(near, max(at-stop, stop-at))
				}
				off = max(off, near)
			}
			last = at
		})
		after := a.client.Stats()
		starved := float64(after.Starved-before.Starved) / float64(after.Sampled-before.Sampled)
		// The view's rate and the engine's stretch may add a little to a frame's true 0.05 m; the quantum is 2 mm.
		if back > 0.001 || most > 0.053 || off > 0.002 || starved > 0.008 {
			t.Errorf("seed %d: ran back by %.4f m, moved %.4f m in a frame, stood %.4f m off, starved in %.2f %% of %d steps",
				seed, back, most, off, 100*starved, after.Sampled-before.Sampled)
		}
		if len(stops) < 8 {
			t.Errorf("seed %d: only %d stops", seed, len(stops))
		}
	}
}
