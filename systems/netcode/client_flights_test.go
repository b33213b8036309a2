package netcode_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Gameplay replaces the path of a rocket in every tick, as it does for one that homes. A client
// whose view lies far behind draws each path in its time, although many have not been reached.
func TestPathsReplacedInEveryTick(t *testing.T) {
	const turn = 0.2 // m/s in a tick
	m := newMatchOf(t, shotProtocol(t, nil), nil)
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		for _, r := range rockets(w) {
			component[rocket](w, r.entity).VX += turn
		}
	}))
	a := m.join(seeds(560), nil)
	b := m.join(seeds(561), func(c *netcode.ClientConfig[runner, input]) { c.Delay.Min = 300 * time.Millisecond })
	m.run(4*time.Second, nil)
	m.mustPlay()
	a.input = presser(func(t netcode.Tick) (input, bool) { return input{}, t%120 == 0 })
	steps, sum, worst := 0, float32(0), float32(0)
	b.afterStep(func() {
		for _, r := range rockets(b.engine.World()) {
			off := mglAbs(r.rocket.VX+3-turn*float32(b.ageInView(r.rocket))) / turn
			steps, sum, worst = steps+1, sum+off, max(worst, off)
		}
	})
	m.run(8*time.Second, nil)
	t.Logf("%d steps: the path is off by %.1f ticks in the mean, %.1f at most", steps, sum/float32(steps), worst)
	// A snapshot is due in every second tick, and some are lost.
	if steps < 150 || sum > 3*float32(steps) || worst > 12 {
		t.Errorf("%d steps: the path is off by %.1f ticks in the mean, %.1f at most", steps, sum/float32(steps), worst)
	}
}
