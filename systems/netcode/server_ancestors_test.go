package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// plain adds an entity to the server that is not replicated.
func (m *match) plain(pose components.Pose3D) arche.Entity {
	l := components.NewLogical(pose)
	spawn := generic.NewMap1[components.Transform3D](m.engine.World())
	return spawn.NewWith(&l)
}

// under writes an entity's Parent on the server, and leaves its pose as it is.
func (m *match) under(child, parent arche.Entity) {
	w := m.engine.World()
	parents := generic.NewMap1[components.Parent](w)
	if !w.Has(child, arche.ComponentID[components.Parent](w)) {
		parents.Add(child)
	}
	parents.Get(child).Entity = parent
}

// placeIn returns the position of an entity of the server in the frame of an ancestor, in the world
// for the zero entity, by matrices, and its rotation.
func (m *match) placeIn(e, base arche.Entity) (pose components.Pose3D) {
	w := m.engine.World()
	world, turn := mgl32.Ident4(), mgl32.QuatIdent()
	for ; !e.IsZero() && e != base && w.Alive(e); e = *m.parent(e) {
		if w.Has(e, arche.ComponentID[components.Transform3D](w)) {
			local := m.transform(e).Get().Normalize()
			world, turn = local.Mat4().Mul4(world), local.Rotation.Mul(turn)
		}
	}
	at := world.Col(3)
	return components.Pose3D{Position: at.Vec3(), Rotation: turn, Scale: mgl32.Vec3{1, 1, 1}}
}

var noParent arche.Entity

// parent returns the place of an entity's parent on the server.
func (m *match) parent(e arche.Entity) *arche.Entity {
	w := m.engine.World()
	if !w.Has(e, arche.ComponentID[components.Parent](w)) {
		none := noParent
		return &none
	}
	return &(*components.Parent)(w.Get(e, arche.ComponentID[components.Parent](w))).Entity
}

// carried is the server's side of a test of children of entities that are not replicated.
type carried struct {
	*match
	tree    *hierarchy.Hierarchy3D // nil: none
	child   arche.Entity           // replicated
	base    arche.Entity           // the nearest replicated ancestor, or none
	sockets [2]arche.Entity        // not replicated
	jumps   bool                   // the child jumps in this step
}

// turned returns a pose on a circle of 20 m, at 20 m/s and at the turn of the circle.
func turned(at time.Duration) components.Pose3D {
	a := at.Seconds()
	return components.Pose3D{
		Position: mgl32.Vec3{float32(20 * math.Cos(a)), 0, float32(20 * math.Sin(a))},
		Rotation: mgl32.QuatRotate(float32(-a), mgl32.Vec3{0, 1, 0}), Scale: mgl32.Vec3{1, 1, 1},
	}
}

// A child of an entity that is not replicated is drawn as a twin without that entity between: its
// poses are written in the frame of their common replicated ancestor, or in the world.
func TestChildOfAnEntityThatIsNotReplicated(t *testing.T) {
	const offset = 150 // ticks until the changes begin
	seat := components.At3D(1, 2, 3)
	stretched := components.At3D(40, 5, 0)
	stretched.Scale = mgl32.Vec3{2, 3, 0.5}
	for name, test := range map[string]struct {
		setUp func(c *carried)
		step  func(c *carried, n int, at time.Duration)
	}{
		"at rest": {setUp: func(c *carried) { c.under(c.child, c.sockets[0]) }},
		"the parent moves and turns": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step:  func(c *carried, _ int, at time.Duration) { c.transform(c.sockets[0]).Set(turned(at)) },
		},
		"both move": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, at time.Duration) {
				c.transform(c.sockets[0]).Set(turned(at))
				c.transform(c.child).Set(components.At3D(1, 2, float32(3*math.Sin(float64(n)/20))))
			},
		},
		"two in a row": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[1]); c.under(c.sockets[1], c.sockets[0]) },
			step: func(c *carried, n int, at time.Duration) {
				c.transform(c.sockets[0]).Set(turned(at))
				c.transform(c.sockets[1]).Set(components.Pose3D{Position: mgl32.Vec3{0, 1, 5}, Rotation: turned(at / 2).Rotation, Scale: seat.Scale})
			},
		},
		"between two that are replicated": {
			setUp: func(c *carried) {
				c.base = c.crate(kindCrate, components.At3D(0, 50, 0))
				c.under(c.child, c.sockets[0])
				c.under(c.sockets[0], c.base)
			},
			step: func(c *carried, n int, at time.Duration) {
				c.transform(c.base).Set(turned(at))
				c.transform(c.sockets[0]).Set(components.Pose3D{Position: mgl32.Vec3{0, 1, 5}, Rotation: turned(2 * at).Rotation, Scale: seat.Scale})
			},
		},
		"scaled": {
			setUp: func(c *carried) {
				c.under(c.child, c.sockets[1])
				c.under(c.sockets[1], c.sockets[0])
				c.transform(c.sockets[0]).Set(stretched)
			},
			step: func(c *carried, n int, at time.Duration) { c.transform(c.sockets[1]).Set(turned(at)) },
		},
		"a parent without a pose": {
			setUp: func(c *carried) {
				folder := c.engine.World().NewEntity()
				c.under(c.child, folder)
				c.under(folder, c.sockets[0])
			},
			step: func(c *carried, _ int, at time.Duration) { c.transform(c.sockets[0]).Set(turned(at)) },
		},
		"the parent stands, and goes": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, _ time.Duration) {
				if n%60 < 30 {
					c.transform(c.sockets[0]).Set(components.At3D(float32(n/60*30+n%60)/5, 0, 0))
				}
			},
		},
		"the parent teleports": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, _ time.Duration) {
				if c.jumps = n%40 == 0; c.jumps {
					c.transform(c.sockets[0]).Teleport(components.At3D(float32(n%80), 0, 7))
				}
			},
		},
		"the parent's pose is overwritten": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, _ time.Duration) {
				if c.jumps = n%40 == 0; c.jumps {
					*c.transform(c.sockets[0]) = components.NewLogical(components.At3D(float32(n%80), 0, 7))
				}
			},
		},
		"the child teleports": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, at time.Duration) {
				c.transform(c.sockets[0]).Set(components.At3D(float32(at.Seconds())*5, 0, 0))
				if c.jumps = n%40 == 0; c.jumps {
					c.transform(c.child).Teleport(components.At3D(float32(n%80), 0, 7))
				}
			},
		},
		"detached and attached": {
			step: func(c *carried, n int, at time.Duration) {
				c.transform(c.sockets[0]).Set(turned(at))
				if c.jumps = n%40 == 0; c.jumps {
					c.under(c.child, [2]arche.Entity{c.sockets[0], {}}[n/40%2])
				}
			},
		},
		"from one to another": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, at time.Duration) {
				c.transform(c.sockets[0]).Set(turned(at))
				if c.jumps = n%40 == 0; c.jumps {
					c.under(c.child, c.sockets[n/40%2])
				}
			},
		},
		"from one to another while it moves": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, at time.Duration) {
				c.transform(c.child).Set(components.At3D(1, 2, float32(3*math.Sin(float64(n)/20))))
				if c.jumps = n%40 == 0; c.jumps {
					c.under(c.child, c.sockets[n/40%2])
				}
			},
		},
		"the socket goes to another one": {
			setUp: func(c *carried) {
				c.under(c.child, c.sockets[0])
				c.transform(c.child).Set(components.At3D(0, 2, 0))
			},
			step: func(c *carried, n int, at time.Duration) {
				if c.jumps = n%40 == 0; c.jumps {
					c.under(c.sockets[0], [2]arche.Entity{c.sockets[1], {}}[n/40%2])
				}
			},
		},
		"reparented": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, at time.Duration) {
				c.transform(c.sockets[0]).Set(turned(at))
				c.transform(c.sockets[1]).Set(components.At3D(-30, 10*float32(at.Seconds()), 0))
				if n%40 == 0 && c.tree != nil {
					mustReparent(c, c.child, [3]arche.Entity{c.sockets[0], c.sockets[1], {}}[n/40%3])
				}
			},
		},
		"reparented by hand": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, at time.Duration) {
				c.transform(c.sockets[0]).Set(turned(at))
				c.transform(c.sockets[1]).Set(components.At3D(-30, 10*float32(at.Seconds()), 0))
				if n%40 == 0 {
					c.reparentByHand(c.child, [3]arche.Entity{c.sockets[0], c.sockets[1], {}}[n/40%3])
				}
			},
		},
		"the socket is reparented": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, at time.Duration) {
				c.transform(c.sockets[1]).Set(turned(at))
				if n%40 == 0 && c.tree != nil {
					mustReparent(c, c.sockets[0], [2]arche.Entity{c.sockets[1], {}}[n/40%2])
				}
			},
		},
		"the origin moves": {
			setUp: func(c *carried) { c.under(c.child, c.sockets[0]) },
			step: func(c *carried, n int, at time.Duration) {
				i := interpolation.Of[components.Pose3D](c.engine.World())
				c.transform(c.sockets[0]).Set(components.At3D(float32(math.Mod(at.Seconds()*5, 20)), 0, 0))
				if n%40 == 0 && i != nil {
					i.Shift(func(p components.Pose3D) components.Pose3D { p.Position[2] += float32(n%80*2 - 40); return p })
				}
			},
		},
	} {
		for _, plugins := range []string{"none", "hierarchy", "both"} {
			t.Run(name+", plugins "+plugins, func(t *testing.T) {
				m := newMatch(t, nil)
				c := &carried{match: m, sockets: [2]arche.Entity{m.plain(components.At3D(100, 0, 0)), m.plain(components.At3D(0, 50, 0))}}
				if plugins != "none" {
					c.tree = quietHierarchy(false)
					m.engine.Install(c.tree)
				}
				if plugins == "both" {
					m.engine.Install(interpolation.New3D())
				}
				c.child = m.crate(kindCrate, seat)
				if test.setUp != nil {
					test.setUp(c)
				}
				twin := m.crate(kindCrate, m.placeIn(c.child, c.base))
				if plugins == "both" { // as on a server that draws
					for _, e := range []arche.Entity{c.child, twin, c.sockets[0], c.sockets[1]} {
						m.engine.World().Add(e, arche.ComponentID[components.Visual3D](m.engine.World()))
					}
				}
				if !c.base.IsZero() {
					m.under(twin, c.base)
				}
				n := -offset
				m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
					if n++; n > 0 && test.step != nil {
						test.step(c, n, m.engine.Time().StepEnd)
					}
					pose := m.placeIn(c.child, c.base)
					if c.jumps {
						m.transform(twin).Teleport(pose)
					} else if m.transform(twin).Get() != pose {
						m.transform(twin).Set(pose)
					}
				}))
				p, rewound := m.join(perfect(), nil), 0.0
				m.onServer(func() {
					if len(m.joined) > 0 && n > 60 {
						m.joined[0].Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
							a, known := at(c.child)
							b, _ := at(twin)
							for e := *m.parent(c.child); e != c.base && known; e = *m.parent(e) {
								if has[components.Transform3D](m.engine.World(), e) {
									a = m.transform(e).Get().Mul(a)
								}
							}
							rewound = max(rewound, float64(a.Position.Sub(b.Position).Len()))
						})
					}
				})
				m.run(2*time.Second, nil)
				m.mustPlay()
				worst, far := 0.0, 0.0
				m.run(5*time.Second, func() {
					a, b := p.client.Replica(m.id(c.child)), p.client.Replica(m.id(twin))
					off := float64(p.world(a).Sub(p.world(b)).Len())
					worst = max(worst, off)
					far = max(far, math.Abs(float64(p.world(b).Sub(seat.Position).Len())))
				})
				if worst > 0.002 {
					t.Errorf("the child is drawn %.3f from its twin", worst)
				}
				if rewound > 0.002 {
					t.Errorf("the child is rewound to %.3f from its twin", rewound)
				}
				if far < 1 {
					t.Fatal("the test moves nothing")
				}
			})
		}
	}
}

func mustReparent(c *carried, child, parent arche.Entity) {
	if err := c.tree.Reparent(child, parent); err != nil {
		c.t.Fatal(err)
	}
}
