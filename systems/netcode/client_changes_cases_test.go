package netcode_test

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The number of delayed changes is bounded, however many arrive and however late the view is.
// Changes beyond the bound are applied early. No value goes back to an older one, and in the end
// all values are those of the server.
func TestDelayedChangesAreBounded(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Bandwidth = 4 << 20 })
	a := m.join(linksim.Symmetric(linksim.Condition{Delay: 20 * time.Millisecond, Loss: 0.05, Seed: 1}), func(c *netcode.ClientConfig[runner, input]) {
		c.Delay = netcode.Bounds[time.Duration]{Min: 4 * time.Second, Max: 4 * time.Second}
	})
	w, cw := m.engine.World(), a.engine.World()
	crates := make([]arche.Entity, 300)
	for i := range crates {
		crates[i] = m.crate(kindCrate, components.At3D(float32(i), 0, 30))
		give(w, crates[i], health{})
	}
	m.run(8*time.Second, nil)
	m.mustPlay()
	changes := true
	m.onServer(func() {
		for _, e := range crates {
			if changes {
				component[health](w, e).Points++
			}
		}
	})
	last := make([]int32, len(crates))
	most, early := 0, 0
	a.afterStep(func() {
		n, _, capacity := a.client.HeldForTest()
		most = max(most, n)
		if n > 1<<14+2 || capacity > 3<<14 {
			t.Fatalf("%d pieces of news are kept, with room for %d", n, capacity)
		}
		ahead := false
		for i, e := range crates {
			got := component[health](cw, a.replicaOf(m, e)).Points
			if got < last[i] {
				t.Fatalf("at %v a crate has %d points and had %d", m.now, got, last[i])
			}
			ahead = ahead || component[health](w, e).Points-got < 2*tickRate
			last[i] = got
		}
		if ahead {
			early++
		}
	})
	m.run(7*time.Second, nil)
	if most < 1<<14-len(crates) || early == 0 { // the early changes are some of one crate
		t.Errorf("at most %d pieces of news were kept, and %d steps showed some early: the test shows nothing", most, early)
	}
	changes = false
	m.run(6*time.Second, nil)
	for i, e := range crates {
		if want := component[health](w, e).Points; last[i] != want {
			t.Errorf("a crate has %d points in the end, want %d", last[i], want)
		}
	}
	if n, listed, _ := a.client.HeldForTest(); n != 0 || listed != 0 {
		t.Errorf("%d pieces of news are kept in the end, %d in lists", n, listed)
	}
}

// Values and owners that change all the time allocate nothing, once there is memory for the changes
// of a delay.
func TestDelayedChangesAllocateNothing(t *testing.T) {
	m := newMatch(t, nil)
	w := m.engine.World()
	for i := range 60 {
		e := m.crate(kindCrate, components.At3D(float32(i), 0, 30))
		give(w, e, health{})
		m.onServer(func() {
			component[health](w, e).Points++
			r := (*netcode.Replicated)(w.Get(e, arche.ComponentID[netcode.Replicated](w)))
			r.Owner = 300 - r.Owner
		})
	}
	a := m.join(lossyPath(1), nil)
	m.run(20*time.Second, nil)
	m.mustPlay()
	kept := 0
	perTick := testing.AllocsPerRun(5, func() {
		m.run(time.Second, nil)
		n, _, _ := a.client.HeldForTest()
		kept = max(kept, n)
	}) / tickRate
	if perTick > 0.1 || kept < 100 {
		t.Errorf("%.2f allocations a tick, server and client together, and at most %d pieces of news kept", perTick, kept)
	}
}

// A child that arrives with its parent is shown together with it, at its place on it from the first
// frame on.
func TestParentsAndChildrenAppearTogether(t *testing.T) {
	for seed := range uint64(6) {
		m := newMatch(t, nil)
		for i := range 40 { // enough to fill several packets
			e := m.crate(kindCrate, components.At3D(float32(i), 0, 30))
			m.onServer(func() {
				m.transform(e).Set(components.At3D(float32(i), float32(math.Sin(float64(m.engine.Time().Tick)/10)), 30))
			})
		}
		a := m.join(seeds(500+seed), nil)
		m.run(3*time.Second, nil)
		m.mustPlay()
		for range 4 {
			// The child gets the lower slot every other time.
			var ship, gun arche.Entity
			if seed%2 == 0 {
				ship, gun = m.crate(kindCrate, components.At3D(0, 0, 0)), m.crate(kindCrate, components.At3D(2, 1, 0))
			} else {
				gun, ship = m.crate(kindCrate, components.At3D(2, 1, 0)), m.crate(kindCrate, components.At3D(0, 0, 0))
			}
			m.hang(gun, ship, components.At3D(2, 1, 0))
			m.onServer(func() {
				if at := m.engine.Time().StepEnd.Seconds(); m.engine.World().Alive(ship) {
					m.transform(ship).Set(components.At3D(float32(20*math.Cos(at)), 0, float32(20*math.Sin(at))))
				}
			})
			frames := 0
			m.run(time.Second, func() {
				parent, child := a.replicaOf(m, ship), a.replicaOf(m, gun)
				if parent.IsZero() != child.IsZero() {
					t.Fatalf("seed %d: at %v the ship is %v and its gun is %v", seed, m.now, parent, child)
				}
				if parent.IsZero() {
					return
				}
				frames++
				if d := a.world(child).Sub(a.world(parent)); math.Abs(float64(d[0]-2)) > 0.01 || math.Abs(float64(d[1]-1)) > 0.01 || math.Abs(float64(d[2])) > 0.01 {
					t.Fatalf("seed %d: at %v, in its %d. frame, the gun is at %v from its ship, want (2, 1, 0)", seed, m.now, frames, d)
				}
			})
			if frames < 60 {
				t.Errorf("seed %d: seen for %d frames", seed, frames)
			}
			m.engine.World().RemoveEntity(gun)
			m.engine.World().RemoveEntity(ship)
			m.run(time.Second/2, nil)
		}
	}
}

// A replica that is drawn in the present exists, with its values, when its record arrives: the own
// player, a scripted mover, and a body near the player, which it may run into. A body far away
// waits for the view.
func TestPresentReplicasChangeAtOnce(t *testing.T) {
	p := boxProtocol(t, boxes())
	netcode.ReplicateComponent[score](p, "score", scoreCodec{}, netcode.Immediate())
	p.SetScriptedMover(kindLift+7, liftPath)
	m := newMatchOf(t, p, nil)
	a, b := m.join(seeds(21), nil), m.join(seeds(22), nil)
	known := 0
	a.afterStep(func() {
		if len(m.joined) == 0 {
			return
		}
		if _, ok := a.client.Newest(m.id(m.joined[0].Entity)); ok {
			if known++; a.client.Entity().IsZero() {
				t.Errorf("%d steps after its own record the player is not there", known)
			}
		}
	})
	m.run(4*time.Second, nil)
	m.mustPlay()
	w := m.engine.World()
	near, far := m.box(box{X: 2, Z: 3}), m.box(box{X: 60, Z: 3})
	lift := m.crate(kindLift+7, components.At3D(0, 0, 0))
	type steps struct{ told, seen int }
	look := func(e arche.Entity, k *steps) {
		if _, ok := a.client.Newest(m.id(e)); ok {
			k.told++
		}
		if !a.replicaOf(m, e).IsZero() {
			k.seen++
		}
	}
	var n, f, l steps
	a.afterStep(func() {
		look(near, &n)
		look(far, &f)
		look(lift, &l)
	})
	m.run(time.Second, nil)
	if n.told < 30 || n.seen != n.told || l.seen != l.told {
		t.Errorf("the near box is told of for %d steps and seen for %d, the lift %d and %d", n.told, n.seen, l.told, l.seen)
	}
	if f.seen > f.told-5 || f.seen < 20 {
		t.Errorf("the far box is told of for %d steps and seen for %d", f.told, f.seen)
	}

	// The player's own health is applied at once, and other players' with the view. The score is
	// applied at once for all.
	e := m.of(a).Entity
	give(w, e, score{100})
	m.run(time.Second, nil)
	m.onServer(func() {
		if m.engine.Time().Tick%40 == 0 {
			component[health](w, e).Points--
			component[score](w, e).Points--
		}
	})
	own, others := 0, 0
	apart := func(q *player, n *int) {
		q.afterStep(func() {
			r := q.replicaOf(m, e)
			if d := component[health](q.engine.World(), r).Points - component[score](q.engine.World(), r).Points; d < 0 {
				t.Errorf("what is seen is ahead of what came by %d", -d)
			} else if d > 0 {
				*n++
			}
		})
	}
	apart(a, &own)
	apart(b, &others)
	m.run(5*time.Second, nil)
	for n := 0; n == 0; n, _, _ = b.client.HeldForTest() {
		// the player's health has arrived, and is not shown yet
		m.run(time.Second/120, nil)
	}
	b.client.SetInterpolation(interp.OffsetDecay)
	m.run(3*time.Second/tickRate, nil)
	b.afterStep(func() {
		if n, _, _ := b.client.HeldForTest(); n != 0 {
			t.Errorf("%d pieces of news wait for the picture where all is drawn in the present", n)
		}
	})
	m.run(time.Second/2, nil)
	if own != 0 || others < 20 {
		t.Errorf("in %d steps the player's health was behind its score on its own screen, in %d on another one", own, others)
	}
}

// A server that is restarted counts its ticks from 0. The view of the old server's time does not
// decide when the new server's values are applied.
func TestValuesOfARestartedServer(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Seed: 1}), func(c *netcode.ClientConfig[runner, input]) { c.Timeout = time.Second })
	m.flying(components.At3D(0, 0, 30))
	m.run(20*time.Second, nil)
	m.mustPlay()
	again := newMatchOf(t, m.protocol, nil)
	m.listener.Close(transport.Reason{Code: transport.Failed})
	m.listener, m.engine, m.server = again.listener, again.engine, again.server
	m.until(a, netcode.Lost)
	m.until(a, netcode.Playing)
	if a.client.View() > m.engine.Time().Fixed {
		t.Errorf("the picture shows %v, and the new server has come to %v", a.client.View(), m.engine.Time().Fixed)
	}
	crate := m.crate(kindCrate, components.At3D(0, 0, 30))
	give(m.engine.World(), crate, health{})
	w, cw := m.engine.World(), a.engine.World()
	var at []netcode.Tick
	m.onServer(func() {
		if m.engine.Time().Tick%20 == 0 {
			component[health](w, crate).Points++
			at = append(at, m.server.Tick())
		}
	})
	seen := 0
	a.afterStep(func() {
		if s, _ := a.client.Status(); s != netcode.Playing || m.id(crate) == netcode.NoEntity || a.replicaOf(m, crate).IsZero() {
			return
		}
		if got := int(component[health](cw, a.replicaOf(m, crate)).Points); got > 0 {
			seen++
			if since := time.Duration(at[got-1]) * time.Second / tickRate; a.client.View() < since {
				t.Errorf("%d points are seen in the picture of %v, and have been there since %v", got, a.client.View(), since)
			}
		}
	})
	m.run(5*time.Second, nil)
	m.mustPlay()
	if seen < 60 || a.client.Stats().Reconnects == 0 {
		t.Errorf("seen in %d steps, after %d reconnects", seen, a.client.Stats().Reconnects)
	}
}

// An entity becomes irrelevant to a player and relevant again before the view has reached either
// moment. It is shown until the first moment and from the second one on, by one entity at a time.
func TestRelevantAgain(t *testing.T) {
	hidden := false
	var crate arche.Entity
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.Relevant = func(_ *netcode.Player[runner, input], e arche.Entity) bool { return e != crate || !hidden }
	})
	a := m.join(linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond, Jitter: 5 * time.Millisecond, Seed: 1}), func(c *netcode.ClientConfig[runner, input]) {
		c.Delay = netcode.Bounds[time.Duration]{Min: time.Second, Max: time.Second}
	})
	crate = m.flying(components.At3D(0, 0, 30))
	m.run(4*time.Second, nil)
	m.mustPlay()
	cw := a.engine.World()
	replicated := arche.ComponentID[netcode.Replicated](cw)
	var spans []time.Duration // the times of its disappearance and return, in the view
	was := 1
	a.afterStep(func() {
		n := 0
		query := cw.Query(arche.All(replicated))
		for query.Next() {
			if (*netcode.Replicated)(query.Get(replicated)).ID == m.id(crate) {
				n++
			}
		}
		if n > 1 {
			t.Fatalf("%d are seen of one", n)
		}
		if n != was {
			was = n
			spans = append(spans, a.client.View())
		}
	})
	var want []time.Duration
	for range 4 {
		hidden = !hidden
		want = append(want, m.engine.Time().Fixed)
		m.run(200*time.Millisecond, nil)
	}
	m.run(2*time.Second, nil)
	if len(spans) != len(want) {
		t.Fatalf("it went and came at %v, want %v", spans, want)
	}
	for i := range want {
		if d := spans[i] - want[i]; d < 0 || d > 90*time.Millisecond {
			// two steps, and a snapshot's interval or two
			t.Errorf("it went and came at %v, want %v", spans, want)
		}
	}
}
