package netcode_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// Where clients cannot draw a child of an entity that is not replicated at its place, the log says
// so once, and ecs.Check as long as it is so. Both name the parent.
func TestFaultsOfChildrenOfAnEntityThatIsNotReplicated(t *testing.T) {
	for _, test := range []struct {
		name, says string
		spawn      func(m *match) arche.Entity
		there      bool // the parent is at the origin, where it makes no difference
	}{
		{name: "mover", says: "scripted mover", spawn: func(m *match) arche.Entity { return m.crate(kindLift, liftPath(0)) }},
		{name: "mover at the origin", there: true, spawn: func(m *match) arche.Entity { return m.crate(kindLift, liftPath(0)) }},
		{name: "body", says: "body of PredictBodies", spawn: func(m *match) arche.Entity { return m.box(box{X: 3}) }},
		{name: "player", says: "player's entity", spawn: func(m *match) arche.Entity { return m.joined[0].Entity }},
		{name: "player at the origin", there: true, spawn: func(m *match) arche.Entity { return m.joined[0].Entity }},
		{name: "crate", spawn: func(m *match) arche.Entity { return m.crate(kindCrate, components.At3D(1, 0, 0)) }},
		{name: "bot", spawn: func(m *match) arche.Entity {
			return m.bot(func(*serverPlayer, netcode.Tick) input { return input{} }).Entity
		}},
		{name: "turned crate", says: "scaled by different amounts", spawn: func(m *match) arche.Entity {
			pose := components.At3D(1, 0, 0)
			pose.Rotation = mgl32.QuatRotate(1, mgl32.Vec3{0, 1, 0})
			return m.crate(kindCrate, pose)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			m := newMatchOf(t, boxProtocol(t, boxes()), func(c *netcode.ServerConfig[runner, input]) {
				c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
			})
			m.join(perfect(), nil)
			m.run(time.Second, nil)
			m.mustPlay()
			at := components.At3D(10, 0, 0)
			if test.there {
				at = components.Identity3D()
			} else if test.says == "scaled by different amounts" {
				at.Scale = mgl32.Vec3{1, 2, 1}
			}
			e, parent := test.spawn(m), m.plain(at)
			m.under(e, parent)
			m.run(time.Second, nil)
			check := ecs.Check(m.engine.World())
			if test.says == "" {
				if log.Len() > 0 || len(check) > 0 {
					t.Fatalf("the log says %s, and Check %q", log.String(), check)
				}
				return
			}
			name := fmt.Sprintf("%+v", parent)
			if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), test.says) || !strings.Contains(log.String(), name) {
				t.Errorf("the log says, in %d lines: %s", lines, log.String())
			}
			if len(check) != 1 || !strings.Contains(check[0], test.says) || !strings.Contains(check[0], name) || !strings.Contains(check[0], fmt.Sprintf("%+v", e)) {
				t.Errorf("Check says %q", check)
			}
			give(m.engine.World(), parent, netcode.Replicated{Archetype: kindCrate}) // the remedy
			m.run(time.Second, nil)
			if again := ecs.Check(m.engine.World()); len(again) > 0 {
				t.Errorf("with the remedy Check says %q", again)
			}
			m.engine.Close()
			ecs.Check(m.engine.World()) // has nothing to ask, and does not panic
		})
	}
}

// A shot that its path draws is such a case, too.
func TestFaultOfAShotBelowAnEntityThatIsNotReplicated(t *testing.T) {
	var log bytes.Buffer
	m := newMatchOf(t, shotProtocol(t, nil), func(c *netcode.ServerConfig[runner, input]) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	a.input = presser(func(t netcode.Tick) (input, bool) { return input{}, t%40 == 0 })
	parent, most := m.plain(components.At3D(10, 0, 0)), 0
	m.run(2*time.Second, func() {
		for _, r := range rockets(m.engine.World()) {
			m.under(r.entity, parent)
		}
		most = max(most, len(ecs.Check(m.engine.World())))
	})
	if n := strings.Count(log.String(), "a shot of PredictShots is below"); n < 2 || most < 1 {
		t.Errorf("%d lines of the log, %d of Check: %s", n, most, log.String())
	}
}

// A parent that gets Replicated, or loses it, leaves the child at its place.
func TestParentThatBecomesReplicated(t *testing.T) {
	m := newMatch(t, nil)
	w := m.engine.World()
	socket := m.plain(components.At3D(100, 0, 0))
	child := m.crate(kindCrate, components.At3D(1, 2, 3))
	m.under(child, socket)
	a := m.join(seeds(5), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	parents := 0
	for n := range 6 {
		if n%2 == 0 {
			give(w, socket, netcode.Replicated{Archetype: kindCrate})
		} else {
			w.Remove(socket, arche.ComponentID[netcode.Replicated](w))
		}
		m.run(time.Second, func() {
			e := a.client.Replica(m.id(child))
			if at := a.world(e); at.Sub(mgl32.Vec3{101, 2, 3}).Len() > 0.01 {
				t.Fatalf("after %d changes it is drawn at %v", n+1, at)
			}
			if has[components.Parent](a.engine.World(), e) && !component[components.Parent](a.engine.World(), e).Entity.IsZero() {
				parents++
			}
		})
	}
	if parents < 200 {
		t.Errorf("it had a parent in %d frames only", parents)
	}
}

// A parent that is despawned leaves the child where KeepOrphans, and a server without a hierarchy,
// have it: at its place in the world, or at its local pose. Otherwise the child goes with it.
func TestDespawnOfAParentThatIsNotReplicated(t *testing.T) {
	for _, test := range []struct {
		name       string
		tree, keep bool
		want       float32
	}{{name: "no hierarchy", want: 1}, {name: "hierarchy", tree: true}, {name: "KeepOrphans", tree: true, keep: true, want: 101}} {
		m := newMatch(t, nil)
		if test.tree {
			m.engine.Install(quietHierarchy(test.keep))
		}
		socket := m.plain(components.At3D(100, 0, 0))
		child := m.crate(kindCrate, components.At3D(1, 2, 3))
		m.under(child, socket)
		a := m.join(perfect(), nil)
		m.run(2*time.Second, nil)
		m.mustPlay()
		id, places := m.id(child), map[mgl32.Vec3]int{}
		m.engine.World().RemoveEntity(socket)
		m.run(time.Second, func() {
			if e := a.client.Replica(id); !e.IsZero() {
				places[a.world(e)]++
			}
		})
		e := a.client.Replica(id)
		if want := test.want; want == 0 {
			if !e.IsZero() {
				t.Errorf("%s: it is still there", test.name)
			}
		} else if at := a.world(e)[0]; at != want {
			t.Errorf("%s: drawn at %v, want %v", test.name, at, want)
		}
		if len(places) > 2 {
			t.Errorf("%s: drawn at %v, want two places at most", test.name, places)
		}
	}
}

// A relayed entity has the velocity that another server gives in the frame of its parent, and that
// of the parent.
func TestRelayedBelowAnEntityThatIsNotReplicated(t *testing.T) {
	const turn, speed = 0.5, 4 // rad/s, m/s
	m := newMatch(t, nil)
	socket, child := m.plain(components.At3D(0, 0, 0)), m.crate(kindCrate, components.At3D(1, 0, 0))
	m.under(child, socket)
	give(m.engine.World(), child, netcode.Relayed{Discontinuity: 7})
	jumps := uint8(0)
	check := func(what string, linear, angular mgl32.Vec3, rests bool) {
		t.Helper()
		s, _ := m.server.State(child)
		if s.Velocity.Sub(linear).Len() > 0.05 || s.Angular.Sub(angular).Len() > 0.01 || s.AtRest != rests || s.Discontinuity != 7+jumps {
			t.Errorf("%s: %+v, want %v, %v, at rest %v, %d jumps", what, s, linear, angular, rests, 7+jumps)
		}
	}
	moves := false
	m.onServer(func() {
		if at := float32(m.engine.Time().StepEnd.Seconds()); moves {
			pose := components.At3D(speed*at, 0, 0)
			pose.Rotation = mgl32.QuatRotate(turn*at, mgl32.Vec3{0, 1, 0})
			m.transform(socket).Set(pose)
			pose = components.At3D(1, 3*at, 0)
			m.transform(child).Set(pose)
		}
	})
	component[netcode.Relayed](m.engine.World(), child).AtRest = true
	m.run(time.Second, nil)
	check("at rest", mgl32.Vec3{}, mgl32.Vec3{}, true)
	moves = true
	*component[netcode.Relayed](m.engine.World(), child) = netcode.Relayed{Discontinuity: 7, Velocity: mgl32.Vec3{0, 3, 0}}
	m.run(time.Second, nil)
	a := float64(turn * m.engine.Time().Fixed.Seconds())
	// of the turn, at 1 m
	arm := mgl32.Vec3{float32(-math.Sin(a)), 0, float32(-math.Cos(a))}.Mul(turn)
	check("on its way", mgl32.Vec3{speed, 3, 0}.Add(arm), mgl32.Vec3{0, turn, 0}, false)
	moves = false
	m.transform(socket).Teleport(components.At3D(50, 0, 0))
	jumps++
	m.run(time.Second/tickRate, nil)
	check("in the jump", mgl32.Vec3{}, mgl32.Vec3{}, false)
	m.run(time.Second, nil)
	check("after the jump", mgl32.Vec3{0, 3, 0}, mgl32.Vec3{}, false)
}

// Interest goes by the place in the world, and an entity in a socket goes with the ship that the
// socket is on.
func TestInterestBelowAnEntityThatIsNotReplicated(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Interest = netcode.Interest{Radius: 20} })
	near, far := m.plain(components.At3D(-300, 0, 0)), m.plain(components.At3D(300, 0, 0))
	ship := m.crate(kindCrate, components.At3D(0, 0, 5))
	boom := m.plain(components.At3D(200, 0, 0))
	children := [3]arche.Entity{m.crate(kindCrate, components.At3D(301, 0, 0)), m.crate(kindCrate, components.At3D(1, 0, 0)), m.crate(kindCrate, components.At3D(1, 0, 0))}
	m.under(children[0], near)
	m.under(children[1], far)
	m.under(boom, ship)
	m.under(children[2], boom)
	a := m.join(perfect(), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	for i, want := range [3]bool{true, false, true} {
		if got := !a.client.Replica(m.id(children[i])).IsZero(); got != want {
			t.Errorf("child %d is shown: %v, want %v", i, got, want)
		}
	}
}

// A recording has the entity at its place, too.
func TestReplayOfAChildOfAnEntityThatIsNotReplicated(t *testing.T) {
	m := newMatch(t, nil)
	socket, child := m.plain(components.At3D(100, 0, 0)), m.crate(kindCrate, components.At3D(1, 2, 3))
	m.under(child, socket)
	ring := replay.NewRing(5 * time.Second)
	if err := m.server.Record(ring); err != nil {
		t.Fatal(err)
	}
	m.run(5*time.Second, nil)
	tape, err := ring.Clip(3 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ecs.New(ecs.Config{FixedRate: tickRate})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	client, err := netcode.NewClient(newProtocol(t, netcode.Config{}), netcode.ClientConfig[runner, input]{Replay: tape, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	e.Install(interpolation.New3D(), client)
	for range tickRate {
		e.Update(time.Second / tickRate)
	}
	if at := component[components.Transform3D](e.World(), client.Replica(m.id(child))).Get().Position; at != (mgl32.Vec3{101, 2, 3}) {
		t.Errorf("it is at %v", at)
	}
}

// Players whose inputs run as they arrive stay in their places on a moving parent.
func TestPlayerOnArrivalBelowAnEntityThatIsNotReplicated(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = netcode.OnArrival })
	socket := m.plain(components.At3D(0, 0, 0))
	m.onServer(func() { m.transform(socket).Set(components.At3D(float32(5*m.engine.Time().StepEnd.Seconds()), 0, 0)) })
	a, b := m.join(seeds(3), nil), m.join(perfect(), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	m.under(m.of(a).Entity, socket)
	m.run(2*time.Second, nil)
	a.input = func(at netcode.Tick) input { return input{Z: int8(at/60%2*2) - 1} }
	id, last, worst := m.id(m.of(a).Entity), float32(0), float32(0)
	m.run(4*time.Second, func() {
		x := b.world(b.client.Replica(id))[0]
		if last > 0 {
			worst = max(worst, float32(math.Abs(float64(x-last-5.0/120))))
		}
		last = x
	})
	if s, _ := m.server.State(m.of(a).Entity); math.Abs(float64(s.Velocity[0]-5)) > 0.01 || math.Abs(float64(s.Velocity[2])) > 2*runSpeed+0.01 {
		t.Errorf("its velocity is %v", s.Velocity)
	}
	if worst > 0.05 {
		t.Errorf("it is drawn %.3f m beside a steady motion in a frame", worst)
	}
}

// The poses of children of entities that are not replicated are composed without an allocation, and
// ancestors that are none any more are forgotten.
func TestAncestorsAllocateNothing(t *testing.T) {
	m := newMatch(t, nil)
	var sockets []arche.Entity
	for i := range 50 {
		s, e := m.plain(components.At3D(float32(i), 0, 0)), m.crate(kindCrate, components.At3D(0, 1, 0))
		m.under(e, s)
		sockets = append(sockets, s)
	}
	m.onServer(func() {
		at := m.engine.Time().Tick
		for i, s := range sockets {
			m.transform(s).Set(components.At3D(float32(i), float32(at%100), 0))
		}
	})
	m.run(2*time.Second, nil)
	if n := testing.AllocsPerRun(5, func() { m.run(time.Second, nil) }) / tickRate; n > 0.05 {
		t.Errorf("%.2f allocations in a tick", n)
	}
	if n := m.server.AncestorsForTest(); n != 50 {
		t.Errorf("%d ancestors, want 50", n)
	}
	for _, s := range sockets[10:] {
		give(m.engine.World(), s, netcode.Replicated{Archetype: kindCrate})
	}
	m.run(time.Second, nil)
	if n := m.server.AncestorsForTest(); n != 10 {
		t.Errorf("%d ancestors, want 10", n)
	}
}
