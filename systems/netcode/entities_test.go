package netcode_test

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// An entity that a player owns is not the player's body. It is drawn like all others.
func TestOwnedEntitiesAreNotTheBody(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	bomb := m.crate(kindCrate, components.At3D(50, 0, 0))
	w := m.engine.World()
	(*netcode.Replicated)(w.Get(bomb, arche.ComponentID[netcode.Replicated](w))).Owner = a.client.Number()
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		// its records are newer than those of the body
		m.transform(bomb).Set(components.At3D(50, float32(m.engine.Time().Tick%60)/1000, 0))
	}))
	m.run(2*time.Second, nil)
	if got, want := a.client.Entity(), a.client.Replica(m.id(m.of(a).Entity)); got != want || got.IsZero() {
		t.Errorf("the player's body is %v, want the replica %v", got, want)
	}
	if at := a.logical(a.client.Replica(m.id(bomb))); at[0] < 49.9 || at[0] > 50.1 {
		t.Errorf("the player's bomb is drawn at %v, want (50, 0, 0)", at)
	}
}

// A game may give a player another body or none, or remove its body.
func TestAnotherBody(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(seeds(31), nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	p := m.of(a)
	m.engine.World().RemoveEntity(p.Entity)
	m.run(time.Second, nil)
	if !a.client.Entity().IsZero() || a.client.Stats().Replicas != 0 {
		t.Errorf("without a body the client has %v and %d replicas", a.client.Entity(), a.client.Stats().Replicas)
	}
	p.Entity = m.crate(kindRun, components.At3D(0, 0, 0))
	m.run(time.Second, nil)
	if got, want := a.client.Entity(), a.client.Replica(m.id(p.Entity)); got != want || got.IsZero() {
		t.Errorf("the new body is %v, want the replica %v", got, want)
	}
	w := a.engine.World()
	if r := (*netcode.Replicated)(w.Get(a.client.Entity(), arche.ComponentID[netcode.Replicated](w))); r.Owner != a.client.Number() {
		t.Errorf("the new body belongs to %d, want %d", r.Owner, a.client.Number())
	}
	p.Entity = arche.Entity{} // a spectator, whose former body stays alive
	a.input = func(netcode.Tick) input { return input{X: 1} }
	x := p.State.X
	m.run(2*time.Second, nil)
	if p.State.X < x+8 || !a.client.Entity().IsZero() {
		t.Errorf("a spectator moved %.1f m in 2 s, want about 12, with the body %v", p.State.X-x, a.client.Entity())
	}
}

// With more entities than MaxEntities, the rest is shown as soon as there is room.
func TestSlotsComeFree(t *testing.T) {
	m := newMatchOf(t, newProtocol(t, netcode.Config{MaxEntities: 8}), nil)
	var all []arche.Entity
	for i := range 12 {
		all = append(all, m.crate(kindCrate, components.At3D(float32(i), 0, 0)))
	}
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {})
	m.run(time.Second, nil)
	m.mustPlay()
	if n := a.client.Stats().Replicas; n != 8 {
		t.Fatalf("%d replicas, want all 8 that there is room for", n)
	}
	for _, e := range all[:6] {
		m.engine.World().RemoveEntity(e)
	}
	m.run(time.Second, nil)
	for _, e := range append(all[6:], m.of(a).Entity) {
		if a.client.Replica(m.id(e)).IsZero() {
			t.Errorf("%v is not shown though there is room now", e)
		}
	}
	if n := a.client.Stats().Replicas; n != 7 {
		t.Errorf("%d replicas, want 7", n)
	}
}

// Components are removed and added again, and kinds change, in any order. The next entity in a slot
// inherits nothing.
func TestReplicationEndsAndBeginsAgain(t *testing.T) {
	m := newMatch(t, nil)
	w := m.engine.World()
	logical, replicated := arche.ComponentID[components.Transform3D](w), arche.ComponentID[netcode.Replicated](w)
	crate := m.crate(kindCrate, components.At3D(1, 0, 0))
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	first := m.id(crate)
	shown := func() int { return a.client.Stats().Replicas - 1 } // beside the own player

	w.Remove(crate, logical)
	m.run(time.Second/2, nil)
	if shown() != 0 {
		t.Errorf("without a transform the crate is still shown")
	}
	other := m.crate(kindCrate, components.At3D(9, 0, 0)) // takes the slot
	m.run(time.Second/2, nil)
	l := components.NewLogical(components.At3D(2, 0, 0))
	w.Add(crate, logical)
	*(*components.Transform3D)(w.Get(crate, logical)) = l
	m.run(time.Second/2, nil)
	if shown() != 2 || m.id(crate) == first {
		t.Errorf("with a transform again the crate is %v (was %v) of %d", m.id(crate), first, shown())
	}
	m.of(a).Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
		if pose, ok := at(other); !ok || pose.Position[0] != 9 {
			t.Errorf("the slot's next entity is rewound to %v, %v", pose.Position, ok)
		}
	})

	before := m.id(crate)
	*(*netcode.Replicated)(w.Get(crate, replicated)) = netcode.Replicated{Archetype: kindCrate, Owner: 77}
	m.run(time.Second/2, nil)
	if m.id(crate) != before || shown() != 2 {
		t.Errorf("assigned whole, the crate is %v, was %v", m.id(crate), before)
	}
	(*netcode.Replicated)(w.Get(crate, replicated)).Archetype = kindRun
	m.run(time.Second/2, nil)
	cw := a.engine.World()
	r := a.client.Replica(m.id(crate))
	if r.IsZero() || m.id(crate) == before || (*netcode.Replicated)(cw.Get(r, arche.ComponentID[netcode.Replicated](cw))).Archetype != kindRun {
		t.Errorf("of another kind the crate is %v, was %v", m.id(crate), before)
	}
	w.Remove(crate, replicated)
	m.run(time.Second/2, nil)
	if shown() != 1 {
		t.Errorf("not replicated any more, and %d shown, want the other alone", shown())
	}

	// Marked before it has a position.
	early := w.NewEntity(replicated)
	m.run(time.Second/4, nil)
	w.Add(early, logical)
	*(*components.Transform3D)(w.Get(early, logical)) = l
	m.run(time.Second/2, nil)
	if shown() != 2 {
		t.Errorf("marked first and placed then, and %d shown, want 2", shown())
	}
}

// On a listen server some entities are interpolated and some are not. A jump is one jump for both.
func TestJumpsBesideAnInterpolator(t *testing.T) {
	m := newMatch(t, nil)
	m.engine.Install(interpolation.New3D())
	bare := m.crate(kindCrate, components.At3D(0, 0, 0))
	l := components.NewLogical(components.At3D(0, 0, 5))
	spawn := generic.NewMap3[components.Transform3D, components.Visual3D, netcode.Replicated](m.engine.World())
	drawn := spawn.NewWith(&l, &components.Visual3D{}, &netcode.Replicated{Archetype: kindCrate})
	step := 0
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		step++
		for i, e := range []arche.Entity{bare, drawn} {
			if step == 120 {
				m.transform(e).Teleport(components.At3D(50, 0, float32(5*i)))
			} else {
				m.transform(e).Set(components.At3D(m.transform(e).Get().Position[0]+0.05, 0, float32(5*i)))
			}
		}
	}))
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	before := map[arche.Entity]uint8{}
	for _, e := range []arche.Entity{bare, drawn} {
		s, _ := a.client.Newest(m.id(e))
		before[e] = s.Discontinuity
	}
	m.run(3*time.Second, nil)
	for _, e := range []arche.Entity{bare, drawn} {
		if s, _ := a.client.Newest(m.id(e)); s.Discontinuity-before[e] != 1 || math.Abs(float64(s.Velocity[0])-3) > 0.1 {
			t.Errorf("after one jump and 2 s of motion at 3 m/s: %d jumps, %v m/s", s.Discontinuity-before[e], s.Velocity)
		}
	}
}

// A game may remove replicas, or parts of them, or not make any. Then only the picture lacks them.
func TestReplicasRemovedByTheGame(t *testing.T) {
	m := newMatch(t, nil)
	var crates []arche.Entity
	for i := range 3 {
		e := m.crate(kindCrate, components.At3D(0, 0, 0))
		crates = append(crates, e)
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if !m.engine.World().Alive(e) {
				return
			}
			m.transform(e).Set(components.At3D(float32(m.engine.Time().Tick)/100, 0, float32(i)))
		}))
	}
	calls := 0
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
		c.Spawn = func(w *arche.World, r netcode.Replicated, _ bool) arche.Entity {
			if r.ID == m.id(crates[0]) {
				calls++
				return arche.Entity{}
			}
			spawn := generic.NewMap2[components.Transform3D, components.Visual3D](w)
			return spawn.New()
		}
	})
	m.run(2*time.Second, nil)
	m.mustPlay()
	w := a.engine.World()
	w.RemoveEntity(a.client.Replica(m.id(crates[1])))
	w.Remove(a.client.Replica(m.id(crates[2])), arche.ComponentID[components.Transform3D](w))
	w.Remove(a.client.Entity(), arche.ComponentID[components.Transform3D](w))
	m.run(time.Second, nil)
	m.mustPlay()
	if calls != 1 {
		t.Errorf("Spawn was asked %d times for what it does not show, want once", calls)
	}
	for _, e := range crates {
		m.engine.World().RemoveEntity(e)
	}
	m.run(time.Second, nil)
	if n := a.client.Stats().Replicas; n != 1 {
		t.Errorf("%d replicas, want the player alone", n)
	}
}
