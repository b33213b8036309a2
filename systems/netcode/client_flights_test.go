package netcode_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
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

// The component of a shot that arrives later than its entity is given to that entity. No other one
// is made, which nothing would despawn. The server's game does so with an entity that it makes
// itself, and against the rules, or with malice, with shots.
func TestPathsThatArriveLaterThanTheirEntity(t *testing.T) {
	m := newMatchOf(t, shotProtocol(t, nil), nil)
	a, b := m.join(seeds(570), nil), m.join(seeds(571), nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	posed := func(p *player) int {
		w := p.engine.World()
		query := w.Query(arche.All(arche.ComponentID[components.Transform3D](w)))
		defer query.Close()
		return query.Count()
	}
	plain := m.crate(kindRocket, components.At3D(0, 1, 0))
	m.run(time.Second, nil)
	give(m.engine.World(), plain, rocket{VZ: 5})
	m.run(time.Second, nil)
	for _, p := range []*player{a, b} {
		if all := rockets(p.engine.World()); len(all) != 1 || all[0].entity != p.replicaOf(m, plain) || all[0].rocket.VZ != 5 {
			t.Errorf("the entity that the game made is %+v", all)
		}
	}
	before := [2]int{posed(a), posed(b)}
	launched := map[arche.Entity]netcode.Tick{}
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		now := m.server.Tick()
		for _, r := range rockets(w) {
			if _, known := launched[r.entity]; r.entity != plain && !known {
				launched[r.entity] = now
				w.Remove(r.entity, arche.ComponentID[rocket](w))
			}
		}
		for e, at := range launched {
			if now.Sub(at) == 20 {
				give(w, e, rocket{VZ: 5, Ticks: 60})
			}
		}
	}))
	pressing := true
	a.input = presser(func(t netcode.Tick) (input, bool) { return input{}, pressing && t%60 == 0 })
	m.run(6*time.Second, nil)
	pressing = false
	m.run(4*time.Second, nil)
	if after := [2]int{posed(a), posed(b)}; len(launched) < 5 || len(rockets(m.engine.World())) != 1 || after != before {
		t.Errorf("after %d shots the clients have %v entities, %v before", len(launched), after, before)
	}
}
