package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Entities that are drawn at the own player's tick are rewound to the present, and passengers with
// their bases. A player that shoots at a scripted mover, at a body near it or at a passenger hits
// it at its place on the shooter's screen.
func TestRewindOfPredictedEntities(t *testing.T) {
	b := boxes()
	m := newMatchOf(t, boxProtocol(t, b), nil)
	near, far, lift := m.box(box{X: 3, Z: 3}), m.box(box{X: 60}), m.crate(kindLift, liftPath(0))
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		// a kick every two seconds, which no client can predict; the body glides for more than one
		now := m.engine.Time().Tick
		m.boxOf(far).VX = wobble(now)
		if now%120 == 0 {
			m.boxOf(near).VX = 3 * wobble(now/2)
		}
	}))
	a := m.join(seeds(31), nil)
	m.run(6*time.Second, nil)
	m.mustPlay()
	targets := []arche.Entity{near, far, lift}
	drawn := map[netcode.Tick][3]mgl32.Vec3{}
	var now netcode.Tick
	a.input = func(at netcode.Tick) input { now = at; return input{} }
	a.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		var at [3]mgl32.Vec3
		for i, e := range targets {
			at[i] = a.logical(a.replicaOf(m, e))
		}
		drawn[now+1] = at
	}))
	worst, compared := [3]float32{}, 0
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		want, ok := drawn[m.server.Tick()+1]
		if since := m.engine.Time().Tick % 120; !ok || since < 40 {
			// the record of the kick has not arrived
			return
		}
		compared++
		m.of(a).Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
			for i, e := range targets {
				pose, ok := at(e)
				if !ok {
					t.Fatal("a target is not there")
				}
				worst[i] = max(worst[i], pose.Position.Sub(want[i]).Len())
			}
		})
	}))
	m.run(6*time.Second, nil)
	for i, limit := range [3]float32{0.05, 0.12, 0.001} {
		if worst[i] > limit {
			t.Errorf("target %d: rewound %.3f m from where it was seen, want at most %.2f", i, worst[i], limit)
		}
	}
	if compared < 200 {
		t.Errorf("%d ticks compared: too few", compared)
	}
	t.Logf("near %.3f m, far %.3f m, lift %.4f m over %d ticks", worst[0], worst[1], worst[2], compared)
}

// wobble is a speed that changes its direction every second.
func wobble(t uint64) float32 {
	if t/60%2 == 0 {
		return 2
	}
	return -2
}

// Conformance case 46: with any claimed view a cheater's rewind stays within the view that it may
// have had. That is older than the round trip, but not beyond the limit. From the step after a jump
// on, the rewind never leads to before the jump.
func TestRewindLimitsClaimedViews(t *testing.T) {
	// Ticks: 500 ms, 200 ms there and back, and the 75 ms by which a client extrapolates bodies
	// beyond its newest snapshot.
	const limit, way, beyond = 30, 12, 4.5
	m := newMatch(t, nil)
	// after the step that ended at the tick
	x := func(tick int64) float32 { return float32(tick) / 64 }
	crate, jumper := m.crate(kindCrate, components.At3D(0, 0, 0)), m.crate(kindCrate, components.At3D(0, 0, 5))
	var jumped int64
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		now := int64(m.engine.Time().Tick)
		m.transform(crate).Set(components.At3D(x(now+1), 0, 0))
		if now%100 == 50 {
			jumped = now
			m.transform(jumper).Teleport(components.At3D(x(now+1)-20, 0, 5))
			return
		}
		m.transform(jumper).Set(components.At3D(x(now+1), 0, 5))
	}))
	path := perfect()
	path.Send.Delay, path.Receive.Delay = 100*time.Millisecond, 100*time.Millisecond
	a := m.join(path, nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	compared := 0
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		now := int64(m.engine.Time().Tick)
		for _, claim := range []int64{-1 << 40, -600, -1, 0, 1, 11, 20, 29, 30, 31, 600, 1 << 40} {
			m.of(a).ClaimForTest(claim)
			m.of(a).Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
				compared++
				pose, ok := at(crate)
				got, oldest, newest := pose.Position[0], x(now-limit), x(now-way)+beyond/64
				if claim > way+5 && claim < limit {
					// older than the newest view it may have had: accepted
					oldest, newest = x(now-claim), x(now-claim)
				}
				if !ok || got < oldest-0.001 || got > newest+0.001 {
					t.Fatalf("a claim of %d ticks is rewound by %.1f, want %.1f to %.1f", claim, (x(now)-got)*64, (x(now)-newest)*64, (x(now)-oldest)*64)
				}
				if pose, ok = at(jumper); !ok || jumped < now && jumped > now-10 && pose.Position[0] != m.transform(jumper).Get().Position[0] {
					t.Fatalf("a claim of %d ticks, %d after a jump, finds the player at %v", claim, now-jumped, pose.Position)
				}
			})
		}
	}))
	m.run(4*time.Second, nil)
	if compared < 2000 {
		t.Errorf("%d claims were compared", compared)
	}
}

// An entity that has lost its Replicated in this step does not exist for the rewind.
func TestRewindOfFormerlyReplicatedEntities(t *testing.T) {
	m := newMatch(t, nil)
	crate := m.crate(kindCrate, components.At3D(1, 2, 3))
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	steps := 0
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		if steps++; steps == 2 {
			w.Remove(crate, arche.ComponentID[netcode.Replicated](w))
		}
		m.of(a).Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
			if _, ok := at(crate); ok != (steps < 2) {
				t.Errorf("in step %d the answer is %v", steps, ok)
			}
		})
	}))
	m.run(time.Second/20, nil)
	if steps < 3 {
		t.Fatalf("%d steps ran", steps)
	}
}

// A shot at a world full of targets allocates nothing.
func TestRewindAllocatesNothing(t *testing.T) {
	b := boxes()
	m := newMatchOf(t, boxProtocol(t, b), nil)
	targets := []arche.Entity{m.box(box{X: 3}), m.box(box{X: 60}), m.crate(kindLift, liftPath(0))}
	a := m.join(perfect(), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	seen := 0
	look := func(at func(arche.Entity) (components.Pose3D, bool)) {
		for _, e := range targets {
			if _, ok := at(e); ok {
				seen++
			}
		}
	}
	p := m.of(a)
	if n := testing.AllocsPerRun(20, func() { p.Rewind(look) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if seen != 21*len(targets) {
		t.Errorf("%d targets were seen, want all of %d", seen, 21*len(targets))
	}
}

// circler makes a crate on a circle of 10 m at 10 m/s.
func (m *match) circler() arche.Entity {
	e := m.crate(kindCrate, components.At3D(0, 0, 0))
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		s, c := math.Sincos(m.engine.Time().StepEnd.Seconds())
		m.transform(e).Set(components.At3D(float32(10*c), 0, float32(10*s)))
	}))
	return e
}

// shootAt lets the first player shoot at a target every 30 ticks, by a dash, after 6 s. It returns
// the number of shots, and the most by which Rewind differs from the shooter's screen.
func (m *match) shootAt(target arche.Entity, a *player, d time.Duration) (shots int, worst float32) {
	m.run(6*time.Second, nil)
	m.mustPlay()
	aimed := map[netcode.Tick]mgl32.Vec3{}
	a.input = func(at netcode.Tick) input {
		aimed[at] = a.logical(a.client.Replica(m.id(target)))
		return input{Dash: at%30 == 0}
	}
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		p, now := m.joined[0], m.server.Tick()
		if !p.Input.Dash {
			return
		}
		p.Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
			pose, ok := at(target)
			if want, shot := aimed[now]; ok && shot {
				shots++
				worst = max(worst, pose.Position.Sub(want).Len())
			}
		})
	}))
	m.run(d, nil)
	return shots, worst
}
