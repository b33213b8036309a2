package netcode_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// flying moves a crate along x at 12 m/s.
func (m *match) flying(at components.Pose3D) arche.Entity {
	e := m.crate(kindCrate, at)
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		if w.Alive(e) {
			pose := m.transform(e).Get()
			pose.Position[0] += 12.0 / tickRate
			m.transform(e).Set(pose)
		}
	}))
	return e
}

// A replica that is drawn in the past is drawn until the view reaches its removal, and not longer.
// A replica that is drawn in the present is removed when the record of its removal arrives.
func TestDespawnsAreDelayed(t *testing.T) {
	for _, test := range []struct {
		name  string
		kind  interp.Kind
		path  linksim.Path
		lives bool
	}{
		{"delayed", interp.Default, linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Jitter: 5 * time.Millisecond, Seed: 1}), true},
		{"delayed, seeds", interp.Default, seeds(3), true},
		{"predictive", interp.OffsetDecay, seeds(3), false},
		{"newest", interp.Naive, seeds(3), false},
	} {
		m := newMatch(t, nil)
		a := m.join(test.path, func(c *netcode.ClientConfig[runner, input]) { c.Interpolation = test.kind })
		removed := 0
		m.run(3*time.Second, nil)
		m.mustPlay()
		crate := m.flying(components.At3D(0, 0, 30))
		m.run(time.Second, nil)
		id := m.id(crate)
		replica := a.client.Replica(id)
		end, x := m.engine.Time().Fixed, m.transform(crate).Get().Position[0]
		m.engine.World().RemoveEntity(crate)
		var told, gone time.Duration // views at the arrival of the removal, and at the removal
		var farthest float32
		m.run(time.Second, func() {
			if _, known := a.client.Newest(id); !known && told == 0 {
				told = a.client.View()
			}
			if a.engine.World().Alive(replica) {
				farthest = max(farthest, a.visual(replica)[0])
			} else if gone == 0 {
				gone = a.client.View()
			}
		})
		if gone == 0 || told == 0 || removed != 0 || !a.client.Replica(id).IsZero() || a.client.Stats().Replicas != 1 {
			t.Fatalf("%s: it is still there; %d replicas", test.name, a.client.Stats().Replicas)
		}
		if !test.lives {
			if gone-told > 20*time.Millisecond {
				t.Errorf("%s: gone %v after the news", test.name, gone-told)
			}
			continue
		}
		// The removal is in a snapshot up to an interval later, or in the next ones if that is
		// lost. The delay counts from there.
		const interval, step = time.Second / 30, time.Second / tickRate
		late := 2*step + interval
		if test.name != "delayed" {
			late += 3 * interval
		}
		if gone < end || gone > end+late {
			t.Errorf("%s: gone when the picture showed %v, and it went at %v", test.name, gone, end)
		}
		beyond := float32(0.01) // its further path is unknown
		if test.name != "delayed" {
			beyond = 12 * 0.075 // the view may have been starved when the removal arrived
		}
		if farthest < x-0.45 || farthest > x+beyond {
			t.Errorf("%s: it was seen up to x = %.2f, and went at %.2f", test.name, farthest, x)
		}
		if told > end-10*time.Millisecond {
			t.Errorf("%s: the news came when the picture showed %v, and it went at %v: the test shows nothing", test.name, told, end)
		}
	}
}

// Case 18 on the screen: slots are given to other entities while their last owners are still shown,
// over a line with loss. No entity ever becomes another one, and Replica finds each of them. Each
// has its own health, few are shown at a time, and in the end exactly the server's entities exist.
func TestSlotsReusedDuringDelayedDespawns(t *testing.T) {
	m := newMatch(t, nil)
	born, live := map[netcode.EntityID]arche.Entity{}, map[arche.Entity]netcode.EntityID{}
	twice := 0
	a := m.join(seeds(12), nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	w, cw := m.engine.World(), a.engine.World()
	healths, replicated := arche.ComponentID[health](cw), arche.ComponentID[netcode.Replicated](cw)
	points := map[netcode.EntityID]int32{}
	var crates [3]arche.Entity
	made, most := 0, 0
	m.run(12*time.Second, func() {
		if k := int(m.now / (time.Second / 120)); k%9 == 0 && m.now < 13*time.Second {
			i := k / 9 % len(crates)
			if w.Alive(crates[i]) {
				w.RemoveEntity(crates[i])
			}
			made++
			crates[i] = m.crate(kindCrate, components.At3D(float32(made), 0, 10))
			w.Add(crates[i], arche.ComponentID[health](w))
			(*health)(w.Get(crates[i], arche.ComponentID[health](w))).Points = int32(made)
		}
		for _, e := range crates {
			if !w.Alive(e) {
				continue
			}
			if id := m.id(e); id != netcode.NoEntity {
				points[id] = (*health)(w.Get(e, arche.ComponentID[health](w))).Points
			}
		}
		query := cw.Query(arche.All(replicated))
		n := query.Count()
		most = max(most, n)
		slots := map[int]int{}
		for query.Next() {
			id, e := (*netcode.Replicated)(query.Get(replicated)).ID, query.Entity()
			if was, ok := live[e]; ok && was != id {
				t.Fatalf("at %v %v was %v and is %v", m.now, e, was, id)
			}
			live[e] = id
			if was, ok := born[id]; ok && was != e {
				t.Fatalf("at %v %v is drawn by %v and was by %v", m.now, id, e, was)
			}
			if found := a.client.Replica(id); found != e {
				t.Fatalf("at %v %v is drawn by %v, and Replica returns %v", m.now, id, e, found)
			}
			if query.Has(healths) {
				if got := (*health)(query.Get(healths)).Points; got != points[id] && points[id] != 0 && got != 100 {
					t.Fatalf("at %v %v has %d points, and %d on the server", m.now, id, got, points[id])
				}
			}
			born[id] = e
			if slots[id.Slot()]++; slots[id.Slot()] == 2 {
				twice++
			}
		}
	})
	if n := a.client.Stats().Replicas; n != 4 {
		t.Errorf("%d replicas in the end, want 4", n)
	}
	m.run(2*time.Second, nil)
	query := cw.Query(arche.All(replicated))
	if n := query.Count(); n != 4 {
		t.Errorf("%d entities in the end, want 4", n)
	}
	query.Close()
	if most > 20 || twice < 100 || len(born) < 100 {
		t.Errorf("at most %d entities at once, %d times two of one slot, %d in all: want few at once, many twice, many in all", most, twice, len(born))
	}
}

// A line that fails, a session that is lost and a session that begins anew leave no removed entity
// on the client.
func TestDelayedDespawnsWithoutPackets(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Timeout, c.Grace = 2*time.Second, time.Second })
	a := m.join(linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Seed: 1}), func(c *netcode.ClientConfig[runner, input]) { c.Timeout = 2 * time.Second })
	m.run(3*time.Second, nil)
	m.mustPlay()
	crate := m.flying(components.At3D(0, 0, 30))
	m.run(time.Second, nil)
	replica, id := a.client.Replica(m.id(crate)), m.id(crate)
	m.engine.World().RemoveEntity(crate)
	for known := true; known; _, known = a.client.Newest(id) {
		m.run(time.Second/120, nil)
	}
	if !a.engine.World().Alive(replica) {
		t.Fatal("it went with the news: the test shows nothing")
	}
	if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
		t.Fatal(err)
	}
	m.run(time.Second, nil)
	if a.engine.World().Alive(replica) {
		t.Error("a second later it is still seen on a line that is dead")
	}
	a.Path = perfect()
	m.run(8*time.Second, nil)
	m.mustPlay()
	if n := a.client.Stats().Replicas; n != 1 {
		t.Errorf("%d replicas in the new session, want the own player", n)
	}
}

// The number of delayed despawns is bounded: one too many removes the oldest.
func TestDelayedDespawnsAreBounded(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.SnapshotRate, c.MinSnapshotRate, c.Bandwidth = 60, 1, 1<<20
	})
	a := m.join(linksim.Symmetric(linksim.Condition{Delay: 10 * time.Millisecond, Seed: 1}), func(c *netcode.ClientConfig[runner, input]) {
		c.Delay = netcode.Bounds[time.Duration]{Min: 300 * time.Millisecond, Max: 300 * time.Millisecond}
	})
	m.run(2*time.Second, nil)
	m.mustPlay()
	var all [100]arche.Entity
	replicated := arche.ComponentID[netcode.Replicated](a.engine.World())
	least, most := len(all), 0
	look := func() {
		query := a.engine.World().Query(arche.All(replicated))
		least, most = min(least, query.Count()-1), max(most, query.Count()-1)
		query.Close()
	}
	swap := func() {
		for i := range all {
			if m.engine.World().Alive(all[i]) {
				m.engine.World().RemoveEntity(all[i])
			}
			all[i] = m.crate(kindCrate, components.At3D(float32(i), 0, 0))
		}
	}
	swap()
	m.run(time.Second, nil)
	look()
	if least != len(all) || most != len(all) {
		t.Fatalf("%d entities are seen, want %d", most, len(all))
	}
	swap() // all at once: they are shown until their end, except those beyond the bound
	m.run(time.Second, look)
	if least != 64 || most > len(all)+64 {
		t.Errorf("while others are on their way into their slots %d to %d are seen, want 64 to %d at most", least, most, len(all)+64)
	}
	last := netcode.Tick(0)
	m.run(3*time.Second, func() {
		if m.server.Tick() == last {
			return
		}
		last = m.server.Tick()
		swap() // with every tick
		look()
	})
	if most > len(all)+64 {
		t.Errorf("%d entities are seen at once, want at most %d", most, len(all)+64)
	}
	m.run(time.Second, nil)
	least, most = len(all), 0
	look()
	if n, listed, _ := a.client.HeldForTest(); least != len(all) || most != len(all) || n != 0 || listed != 0 {
		t.Errorf("in the end %d to %d are seen, and %d and %d pieces of news are kept, want %d and none", least, most, n, listed, len(all))
	}
}
