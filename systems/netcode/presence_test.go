package netcode_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// take removes a component from an entity.
func take[T any](w *arche.World, e arche.Entity) { w.Remove(e, arche.ComponentID[T](w)) }

// mustAgree compares the health of entities on the server and on a client: its presence, its value,
// and the owners.
func (m *match) mustAgree(p *player, entities []arche.Entity, what string) {
	m.t.Helper()
	w, cw := m.engine.World(), p.engine.World()
	wrong := 0
	for _, e := range entities {
		say := func(w *arche.World, e arche.Entity) string {
			if e.IsZero() || !w.Alive(e) {
				return "no entity"
			}
			owner := component[netcode.Replicated](w, e).Owner
			if !has[health](w, e) {
				return fmt.Sprintf("no health, owner %d", owner)
			}
			return fmt.Sprintf("health %d, owner %d", component[health](w, e).Points, owner)
		}
		if got, want := say(cw, p.replicaOf(m, e)), say(w, e); got != want {
			if wrong++; wrong < 4 {
				m.t.Errorf("%s: %v is %s on the client, want %s", what, m.id(e), got, want)
			}
		}
	}
	if wrong > 0 {
		m.t.Errorf("%s: %d of %d entities are wrong in the end", what, wrong, len(entities))
	}
}

// A component that is added and removed within a round trip, before the client has acknowledged it,
// is removed on the client too. One that is removed and added again is present. The time between,
// and whether the entity moves meanwhile, make no difference.
func TestComponentAddedAndRemovedWithinARoundTrip(t *testing.T) {
	for k, delay := range []time.Duration{10, 50, 100, 150, 100, 150} {
		moves := k > 3
		m := newMatch(t, nil)
		w := m.engine.World()
		a := m.join(linksim.Symmetric(linksim.Condition{Delay: delay * time.Millisecond}), nil)
		var crates []arche.Entity
		for i := range 40 {
			crates = append(crates, m.crate(kindCrate, components.At3D(float32(i), 0, 30)))
			if i%2 == 1 {
				give(w, crates[i], health{7})
			}
		}
		m.run(3*time.Second, nil)
		m.mustPlay()
		step := 0
		m.onServer(func() {
			for i, e := range crates {
				if moves {
					m.transform(e).Set(components.At3D(float32(i), 0, 30+float32(step)/100))
				}
				if first, second := step == 0, step == 1+i/2; first != second {
					if has[health](w, e) {
						take[health](w, e)
					} else {
						give(w, e, health{int32(10 + i)})
					}
				}
			}
			step++
		})
		m.run(3*time.Second, nil)
		m.mustAgree(a, crates, fmt.Sprintf("%d ms, moves: %v", delay, moves))
	}
}

// On a line that reorders packets, components are added and removed at any time. In the end the
// client has the server's components.
func TestComponentChangesUnderReordering(t *testing.T) {
	for seed := range presenceSeeds {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Bandwidth = 1 << 20 })
		w := m.engine.World()
		rng := rand.New(rand.NewPCG(seed, 5))
		var crates []arche.Entity
		for i := range 400 {
			e := m.crate(kindCrate, components.At3D(float32(i), 0, 30))
			if crates = append(crates, e); i%2 == 0 {
				give(w, e, health{int32(i)})
			}
		}
		changes := []int{12, 60, 150, 60}[seed%4]
		m.onServer(func() {
			for range changes {
				e := crates[rng.IntN(len(crates))]
				switch {
				case rng.IntN(4) == 0:
					component[netcode.Replicated](w, e).Owner = uint16(100 * rng.IntN(3))
				case !has[health](w, e):
					give(w, e, health{int32(rng.IntN(1000))})
				case rng.IntN(3) == 0:
					component[health](w, e).Points++
				default:
					take[health](w, e)
				}
			}
		})
		path := linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Jitter: 40 * time.Millisecond, Seed: seed})
		a := m.join(path, nil)
		m.run(25*time.Second, nil)
		m.mustPlay()
		changes = 0
		m.run(2*time.Second, nil)
		m.mustAgree(a, crates, fmt.Sprintf("seed %d", seed))
		if n, listed, _ := a.client.HeldForTest(); n != 0 || listed != 0 {
			t.Errorf("seed %d: %d pieces of news are kept in the end, %d in lists", seed, n, listed)
		}
	}
}

// presenceSeeds is the number of seeds.
const presenceSeeds uint64 = 4
