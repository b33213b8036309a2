package netcode_test

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The children of a despawned parent are drawn below it until they end or are detached themselves,
// even when other entities already use the slots of both. A tank's gun stays on the tank for the
// tank's last tenth of a second, and is never drawn below the entity that has the tank's slot now.
func TestChildrenOfADelayedDespawn(t *testing.T) {
	for _, fate := range []string{"both go", "both go, and the gun has the lower slot", "the gun is let go"} {
		for i, path := range []linksim.Path{linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Seed: 1}), seeds(3), seeds(4), seeds(5)} {
			childrenOfTheDeparted(t, fate, path, i)
		}
	}
}

func childrenOfTheDeparted(t *testing.T, fate string, path linksim.Path, line int) {
	m := newMatch(t, nil)
	a := m.join(path, nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	var gun arche.Entity
	if fate == "both go, and the gun has the lower slot" {
		gun = m.crate(kindCrate, components.At3D(0, 0, 0))
	}
	tank := m.flying(components.At3D(0, 0, 30))
	if gun.IsZero() {
		gun = m.crate(kindCrate, components.At3D(0, 0, 0))
	}
	place := mgl32.Vec3{2, 1, 0}
	m.hang(gun, tank, components.At3D(place[0], place[1], place[2]))
	m.run(1500*time.Millisecond, nil)
	id := m.id(tank)
	body, barrel := a.client.Replica(id), a.client.Replica(m.id(gun))
	w, cw := m.engine.World(), a.engine.World()
	x, gone := m.transform(tank).Get().Position[0], m.engine.Time().Fixed
	switch fate {
	case "the gun is let go":
		parents := generic.NewMap1[components.Parent](w)
		parents.Get(gun).Entity = arche.Entity{}
		m.transform(gun).Set(components.At3D(x+place[0], place[1], 30))
	default:
		w.RemoveEntity(gun)
	}
	w.RemoveEntity(tank)
	for range 2 {
		m.crate(kindRun, components.At3D(0, 0, -500))
	}
	parents := arche.ComponentID[components.Parent](cw)
	seen := 0 // frames in which the tank was seen though another entity had its slot
	m.run(time.Second, func() {
		if !cw.Alive(barrel) {
			if fate == "the gun is let go" {
				t.Fatalf("%s, line %d: the gun is gone", fate, line)
			}
			return
		}
		if above := (*components.Parent)(cw.Get(barrel, parents)).Entity; above != body && !above.IsZero() {
			t.Fatalf("%s, line %d: the gun hangs below %v", fate, line, above)
		}
		if _, known := a.client.Newest(id); known || !cw.Alive(body) {
			return
		}
		if seen++; fate == "the gun is let go" && a.client.View() >= gone {
			return
		}
		if d := a.world(barrel).Sub(a.world(body)).Sub(place); d.Len() > 0.02 {
			t.Fatalf("%s, line %d: when the picture shows %v the gun is %v beside its place on the tank, which went at %v", fate, line, a.client.View(), d, gone)
		}
	})
	if taken := a.client.SlotForTest(id); seen < 3 || taken == id || taken == netcode.NoEntity {
		t.Errorf("%s, line %d: the tank %v was seen for %d frames when %v had its slot: the test shows nothing", fate, line, id, seen, taken)
	}
	if !cw.Alive(body) && fate != "the gun is let go" && cw.Alive(barrel) {
		t.Errorf("%s, line %d: the gun is still there", fate, line)
	}
	if err := a.client.HungForTest(); err != nil {
		t.Errorf("%s, line %d: %v", fate, line, err)
	}
}

// An entity that is hidden and soon visible again has the same ID as before. For a moment two
// entities have that ID. Each is drawn with its own children.
func TestOneIDTwice(t *testing.T) {
	for line, path := range []linksim.Path{linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Seed: 1}), seeds(3), seeds(4), seeds(5)} {
		hidden := false
		var tank, gun arche.Entity
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Relevant = func(_ *netcode.Player[runner, input], e arche.Entity) bool { return !hidden || e != tank && e != gun }
		})
		a := m.join(path, nil)
		m.run(3*time.Second, nil)
		m.mustPlay()
		tank = m.flying(components.At3D(0, 0, 30))
		gun = m.crate(kindCrate, components.At3D(0, 0, 0))
		m.hang(gun, tank, components.At3D(2, 1, 0))
		m.run(1500*time.Millisecond, nil)
		ids := [2]netcode.EntityID{m.id(tank), m.id(gun)}
		cw := a.engine.World()
		replicated := arche.ComponentID[netcode.Replicated](cw)
		bodies := map[arche.Entity]bool{}
		both := 0
		hide := m.now
		m.run(1500*time.Millisecond, func() {
			hidden = m.now < hide+100*time.Millisecond
			var seen [2]arche.Entity
			query := cw.Query(arche.All(replicated))
			for query.Next() {
				for i, id := range ids {
					if (*netcode.Replicated)(query.Get(replicated)).ID == id {
						seen[i] = query.Entity()
					}
				}
			}
			if seen[0].IsZero() || seen[1].IsZero() {
				return
			}
			both++
			bodies[seen[0]] = true
			if d := a.world(seen[1]).Sub(a.world(seen[0])).Sub(mgl32.Vec3{2, 1, 0}); d.Len() > 0.02 {
				t.Fatalf("line %d: at %v the gun is %v beside its place on the tank", line, m.now, d)
			}
			if err := a.client.HungForTest(); err != nil {
				t.Fatalf("line %d: %v", line, err)
			}
		})
		if len(bodies) != 2 || both < 100 {
			t.Errorf("line %d: the tank was seen as %d entities, in %d frames with its gun: the test shows nothing", line, len(bodies), both)
		}
	}
}
