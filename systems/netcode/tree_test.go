package netcode_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// hang attaches an entity of the server to a parent and sets, by a jump, its pose in the parent's
// frame.
func (m *match) hang(child, parent arche.Entity, pose components.Pose3D) {
	parents := generic.NewMap1[components.Parent](m.engine.World())
	if !m.engine.World().Has(child, arche.ComponentID[components.Parent](m.engine.World())) {
		parents.Add(child)
	}
	parents.Get(child).Entity = parent
	m.transform(child).Teleport(pose)
}

// world returns the drawn position of an entity.
func (p *player) world(e arche.Entity) mgl32.Vec3 {
	return p.hierarchy.VisualWorld(e).Col(3).Vec3()
}

// Case 21: a child keeps its place on a moving parent, in any split over packets. It is never shown
// with a parent of another tick.
func TestChildrenKeepTheirPlaces(t *testing.T) {
	for seed := range uint64(20) {
		m := newMatch(t, nil)
		ship := m.crate(kindCrate, components.At3D(0, 0, 0))
		gun := m.crate(kindCrate, components.At3D(0, 0, 0))
		m.hang(gun, ship, components.At3D(2, 1, 0))
		for i := range 40 { // enough to fill packets
			e := m.crate(kindCrate, components.At3D(float32(i), 0, 30))
			m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
				m.transform(e).Set(components.At3D(float32(i), float32(math.Sin(float64(m.engine.Time().Tick)/10)), 30))
			}))
		}
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			// a circle of 20 m at 20 m/s; the gun rises and falls
			at := m.engine.Time().StepEnd.Seconds()
			m.transform(ship).Set(components.At3D(float32(20*math.Cos(at)), 0, float32(20*math.Sin(at))))
			m.transform(gun).Set(components.At3D(2, 1+float32(math.Sin(3*at)), 0))
		}))
		a := m.join(seeds(100+seed), nil)
		m.run(4*time.Second, nil)
		m.mustPlay()
		m.run(2*time.Second, func() {
			parent, child := a.world(a.client.Replica(m.id(ship))), a.world(a.client.Replica(m.id(gun)))
			d := child.Sub(parent)
			if math.Abs(float64(d[0]-2)) > 0.01 || math.Abs(float64(d[2])) > 0.01 {
				t.Fatalf("seed %d: at %v the gun is at %v from its ship, want (2, 0..2, 0)", seed, m.now, d)
			}
		})
	}
}

// A server without a hierarchy replicates an entity whose Parent never existed in its world as an
// entity without a parent.
func TestParentOfAnotherWorld(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.Interest = netcode.Interest{Radius: 1000}
	})
	lone := m.crate(kindCrate, components.At3D(3, 0, 0))
	var unknown arche.Entity
	if err := json.Unmarshal([]byte("[5000,2]"), &unknown); err != nil {
		t.Fatal(err)
	}
	m.hang(lone, unknown, components.At3D(4, 0, 0))
	a := m.join(perfect(), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	if at := a.world(a.client.Replica(m.id(lone))); at != (mgl32.Vec3{4, 0, 0}) {
		t.Errorf("drawn at %v", at)
	}
}

// An entity that changes its parent is drawn in the old frame until the view reaches the change,
// and in the new one from then on. Between two ships at rest side by side, the passenger is always
// on one of them. This also holds if packets overtake each other, so that the change arrives twice
// and in reverse, whether the passenger rests or walks, and for every interpolator.
func TestChangingParents(t *testing.T) {
	for seed := range parentSeeds {
		kind := interp.Default
		if seed%2 == 1 {
			kind = drawable[seed/2%uint64(len(drawable))]
		}
		path := seeds(200 + seed)
		if seed%3 > 0 {
			path = linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond, Jitter: 100 * time.Millisecond, Loss: 0.15, Duplicate: 0.1, Seed: 200 + seed})
		}
		changeParents(t, seed, kind, path, seed%4 < 2)
	}
}

// parentSeeds is the number of seeds. 2000 were run once.
const parentSeeds uint64 = 24

// drawable are the interpolators except the faulty ones.
var drawable = slices.DeleteFunc(interp.Kinds(), func(k interp.Kind) bool { return k == interp.Hermite })

func changeParents(t *testing.T, seed uint64, kind interp.Kind, path linksim.Path, walks bool) {
	m := newMatch(t, nil)
	ships := [2]arche.Entity{m.crate(kindCrate, components.At3D(100, 0, 0)), m.crate(kindCrate, components.At3D(200, 0, 0))}
	passenger := m.crate(kindCrate, components.At3D(0, 0, 0))
	local := [2]components.Pose3D{components.At3D(1, 0, 0), components.At3D(-30, 0, 0)} // 101, 170
	m.hang(passenger, ships[0], local[0])
	on := 0
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		t := m.engine.Time().Tick
		changes := t%40 == 0
		if changes {
			on = 1 - on
			parents := generic.NewMap1[components.Parent](m.engine.World())
			parents.Get(passenger).Entity = ships[on]
		}
		if changes || walks {
			pose := local[on]
			if walks {
				pose.Position[2] = float32(math.Sin(float64(t) / 10))
			}
			m.transform(passenger).Set(pose) // no Teleport: the change of frames is enough
		}
	}))
	a := m.join(path, func(c *netcode.ClientConfig[runner, input]) { c.Interpolation = kind })
	m.run(4*time.Second, nil)
	m.mustPlay()
	changes, last := 0, float32(0)
	m.run(8*time.Second, func() {
		x := a.world(a.client.Replica(m.id(passenger)))[0]
		if math.Abs(float64(x-101)) > 0.01 && math.Abs(float64(x-170)) > 0.01 {
			t.Fatalf("seed %d, %v: at %v the passenger is at %.2f, want 101 or 170", seed, kind, m.now, x)
		}
		if math.Abs(float64(x-last)) > 1 {
			changes++
		}
		last = x
	})
	if changes < 8 {
		t.Errorf("seed %d, %v: %d changes seen, want about 12", seed, kind, changes)
	}
}

// Two entities, one below the other, exchange their places in one step.
func TestParentAndChildSwap(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	x, y := m.crate(kindCrate, components.At3D(10, 0, 0)), m.crate(kindCrate, components.At3D(0, 0, 0))
	for _, swap := range []bool{false, true, false} {
		above, below := x, y
		if swap {
			above, below = y, x
		}
		m.hang(above, arche.Entity{}, components.At3D(10, 0, 0))
		m.hang(below, above, components.At3D(1, 0, 0))
		m.run(2*time.Second, nil)
		if at := a.world(a.client.Replica(m.id(below)))[0]; math.Abs(float64(at-11)) > 0.01 {
			t.Errorf("swap %v: the lower one is at %.2f, want 11", swap, at)
		}
	}
	// A cycle is no tree: no child is attached and nothing fails. When it is broken, the tree is
	// right.
	m.hang(x, y, components.At3D(1, 0, 0))
	m.hang(y, x, components.At3D(1, 0, 0))
	m.run(time.Second, nil)
	m.mustPlay()
	m.hang(x, arche.Entity{}, components.At3D(20, 0, 0))
	m.run(time.Second, nil)
	if at := a.world(a.client.Replica(m.id(y)))[0]; math.Abs(float64(at-21)) > 0.01 {
		t.Errorf("after the cycle the lower one is at %.2f, want 21", at)
	}
}

// A removed parent takes its children with it, unless they were detached before. No screen shows an
// entity in the frame of a removed parent.
func TestRemovedParents(t *testing.T) {
	for seed := range uint64(20) {
		m := newMatch(t, nil)
		m.engine.Install(quietHierarchy(false))
		bus, stays, rides := m.crate(kindCrate, components.At3D(100, 0, 0)), m.crate(kindCrate, components.At3D(0, 0, 0)), m.crate(kindCrate, components.At3D(0, 0, 0))
		m.hang(stays, bus, components.At3D(1, 0, 0))
		m.hang(rides, bus, components.At3D(2, 0, 0))
		a := m.join(seeds(300+seed), nil)
		m.run(4*time.Second, nil)
		m.mustPlay()
		passenger := m.id(rides)
		step := uint64(0)
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
			if step++; step != 5 {
				return
			}
			m.hang(stays, arche.Entity{}, components.At3D(101, 0, 0))
			w.RemoveEntity(bus)
			m.crate(kindCrate, components.At3D(500, 0, 0)) // perhaps in the slot of the bus
		}))
		m.run(3*time.Second, func() {
			for _, id := range []netcode.EntityID{m.id(stays), passenger} {
				if e := a.client.Replica(id); !e.IsZero() {
					if !a.engine.World().Alive(e) {
						t.Fatalf("seed %d: %v was swept away with its former parent", seed, id)
					}
					if x := a.world(e)[0]; x < 100 || x > 103 {
						t.Fatalf("seed %d: at %v %v is seen at %.2f, want 101 or 102", seed, m.now, id, x)
					}
				}
			}
		})
		if a.client.Replica(m.id(stays)).IsZero() || !a.client.Replica(passenger).IsZero() {
			t.Errorf("seed %d: the detached child's replica is %v, that of the other one %v", seed, a.client.Replica(m.id(stays)), a.client.Replica(passenger))
		}
	}
}
