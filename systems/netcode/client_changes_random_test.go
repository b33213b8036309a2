package netcode_test

import (
	"math/rand/v2"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// churn is a server on which entities are spawned, despawned, changed, hidden and given to other
// owners. A crate's points are its number times a thousand, plus the number of its changes.
type churn struct {
	*match
	rng    *rand.Rand
	live   []arche.Entity
	hidden map[arche.Entity]bool
	number int32
	most   map[netcode.EntityID]map[int64]int32 // points of each after each step
	lossy  bool
}

func newChurn(t testing.TB, seed uint64, grace time.Duration) *churn {
	c := &churn{rng: rand.New(rand.NewPCG(seed, 77)), hidden: map[arche.Entity]bool{}, most: map[netcode.EntityID]map[int64]int32{}, lossy: true}
	c.match = newMatch(t, func(s *netcode.ServerConfig[runner, input]) {
		s.Timeout, s.Grace = 2*time.Second, grace
		s.Relevant = func(_ *netcode.Player[runner, input], e arche.Entity) bool { return !c.hidden[e] }
	})
	c.engine.Install(quietHierarchy(true))
	c.onServer(c.change)
	c.engine.AddAt(ecs.FixedEnd, netcode.OrderReplicate+1, ecs.SystemFunc(c.note))
	return c
}

func (c *churn) change() {
	w := c.engine.World()
	for i := 0; i < len(c.live); i++ { // the hierarchy may have removed some
		if !w.Alive(c.live[i]) {
			c.live = append(c.live[:i], c.live[i+1:]...)
			i--
		}
	}
	if !c.lossy {
		clear(c.hidden)
		return
	}
	for range 1 + c.rng.IntN(3) {
		if len(c.live) < 3 || len(c.live) < 14 && c.rng.IntN(3) == 0 {
			c.number++
			e := c.crate(kindCrate, components.At3D(float32(c.number), 0, 30))
			give(w, e, health{1000 * c.number})
			c.live = append(c.live, e)
			continue
		}
		k := c.rng.IntN(len(c.live))
		e := c.live[k]
		switch c.rng.IntN(9) {
		case 0:
			w.RemoveEntity(e)
			delete(c.hidden, e)
			c.live = append(c.live[:k], c.live[k+1:]...)
		case 1, 2:
			c.hidden[e] = !c.hidden[e]
		case 3:
			(*netcode.Replicated)(w.Get(e, arche.ComponentID[netcode.Replicated](w))).Owner = uint16(c.rng.IntN(5)) * 100
		case 4:
			if above := c.live[c.rng.IntN(len(c.live))]; above != e && !c.hangsBelow(above, e) {
				c.hang(e, above, components.At3D(1, 0, 0))
			}
		case 5:
			c.hang(e, arche.Entity{}, components.At3D(2, 0, 30))
		default:
			component[health](w, e).Points++
		}
	}
}

func (c *churn) hangsBelow(e, above arche.Entity) bool {
	w := c.engine.World()
	for !e.IsZero() && w.Alive(e) {
		if e == above {
			return true
		}
		if !has[components.Parent](w, e) {
			return false
		}
		e = component[components.Parent](w, e).Entity
	}
	return false
}

func (c *churn) note(w *arche.World) {
	for _, e := range c.live {
		if id := c.id(e); w.Alive(e) && id != netcode.NoEntity {
			if c.most[id] == nil {
				c.most[id] = map[int64]int32{}
			}
			c.most[id][int64(c.server.Tick())] = component[health](w, e).Points
		}
	}
}

// until runs the match until a client has a status.
func (m *match) until(p *player, status netcode.Status) {
	m.t.Helper()
	for end := m.now + time.Minute; ; m.run(time.Second/120, nil) {
		if s, reason := p.client.Status(); s == status {
			return
		} else if m.now > end {
			m.t.Fatalf("at %v the client is %v (%v), want %v", m.now, s, reason, status)
		}
	}
}

// The server and the line change at random. A value that is shown of an entity is never that of
// another entity, never one that the entity did not have by the moment of the view, and never older
// than the one before. No two entities draw one ID. In the end both sides have the same values, and
// no delayed change is left.
func TestRandomDelayedChanges(t *testing.T) {
	for seed := range arrivingSeeds {
		path := lossyPath(seed)
		switch seed % 4 {
		case 1:
			path = seeds(seed)
		case 2:
			path = linksim.Symmetric(linksim.Condition{Delay: 20 * time.Millisecond, Jitter: 40 * time.Millisecond, Seed: seed})
		}
		grace := 30 * time.Second
		if seed%10 == 4 {
			grace = 2 * time.Second
		}
		c := newChurn(t, seed, grace)
		a := c.join(path, func(config *netcode.ClientConfig[runner, input]) {
			switch seed % 3 {
			case 1: // many a packet arrives after the view has passed its moment
				config.Delay.Max = 40 * time.Millisecond
			case 2:
				config.Delay = netcode.Bounds[time.Duration]{Min: 500 * time.Millisecond, Max: 500 * time.Millisecond}
			}
		})
		cw := a.engine.World()
		replicated := arche.ComponentID[netcode.Replicated](cw)
		type seen struct {
			id     netcode.EntityID
			points int32
		}
		last := map[arche.Entity]seen{}
		looked, unlisted := 0, 0
		a.afterStep(func() {
			if s, _ := a.client.Status(); s != netcode.Playing {
				return
			}
			if err := a.client.HungForTest(); err != nil {
				t.Errorf("seed %d: at %v %v", seed, c.now, err)
			}
			k := int64(a.client.View() * tickRate / time.Second)
			by := map[netcode.EntityID]arche.Entity{}
			query := cw.Query(arche.All(replicated))
			for query.Next() {
				e, id := query.Entity(), (*netcode.Replicated)(query.Get(replicated)).ID
				if other, ok := by[id]; ok {
					t.Errorf("seed %d: at %v %v is drawn by %v and %v", seed, c.now, id, e, other)
				}
				by[id] = e
				if a.client.Entity() == e {
					continue
				}
				points := component[health](cw, e).Points
				old, known := last[e]
				if known && (old.id != id || points < old.points) {
					t.Errorf("seed %d: at %v %v has %d points and was %v with %d", seed, c.now, e, points, old.id, old.points)
				}
				last[e] = seen{id, points}
				if len(c.most[id]) == 0 {
					t.Fatalf("seed %d: at %v %v is seen, and never was", seed, c.now, id)
				}
				looked++
				limit, ok := c.most[id][k]
				if !ok {
					// it is shown a little longer than it existed, or the client has not received
					// its removal yet
					unlisted++
					continue
				}
				if points > limit || points/1000 != limit/1000 {
					t.Errorf("seed %d: at %v %v has %d points in the picture of tick %d, and had %d", seed, c.now, id, points, k, limit)
				}
			}
		})
		c.run(3*time.Second, nil)
		c.until(a, netcode.Playing) // all of its hellos may have been lost so far
		c.run(5*time.Second, nil)
		switch seed % 5 {
		case 3: // its process pauses, and its view is late when it resumes
			a.Freeze(3 * time.Second)
			c.run(6*time.Second, nil)
		case 4: // the line fails, and another one follows: in time, or too late to resume
			if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
				t.Fatal(err)
			}
			c.until(a, netcode.Lost)
			c.until(a, netcode.Playing)
			c.run(3*time.Second, nil)
		}
		c.lossy = false
		c.until(a, netcode.Playing)
		c.run(4*time.Second, nil)
		w := c.engine.World()
		for _, e := range c.live {
			r := a.replicaOf(c.match, e)
			if r.IsZero() {
				t.Errorf("seed %d: %v is missing", seed, c.id(e))
				continue
			}
			if got, want := component[health](cw, r).Points, component[health](w, e).Points; got != want {
				t.Errorf("seed %d: %v has %d points in the end, want %d", seed, c.id(e), got, want)
			}
			got, want := component[netcode.Replicated](cw, r), component[netcode.Replicated](w, e)
			if got.Owner != want.Owner || got.ID != want.ID {
				t.Errorf("seed %d: %v is %+v in the end, want %+v", seed, c.id(e), *got, *want)
			}
		}
		query := cw.Query(arche.All(replicated))
		if n := query.Count(); n != len(c.live)+1 {
			t.Errorf("seed %d: %d entities in the end, want %d", seed, n, len(c.live)+1)
		}
		query.Close()
		if n, listed, capacity := a.client.HeldForTest(); n != 0 || listed != 0 || capacity > 4096 {
			t.Errorf("seed %d: %d pieces of news are kept in the end, %d in lists, room for %d", seed, n, listed, capacity)
		}
		if looked < 2000 || unlisted > looked/4 {
			t.Errorf("seed %d: looked %d times, %d of them at what was gone; the test shows nothing", seed, looked, unlisted)
		}
	}
}

// arrivingSeeds is the number of seeds that are run. 1000 were run once.
const arrivingSeeds uint64 = 20
