package netcode_test

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// showing shows entities of one match in another one, whose steps run after those of the first. A
// packet takes a number of ticks, and some are lost.
type showing struct {
	t        testing.TB
	from, to *match
	neighbor *netcode.Neighbor
	decoder  *snapshot.Decoder
	delay    int
	lost     func(n packet.Number) bool
	number   packet.Number
	buffer   []byte
	flying   [32][]byte // by the tick of their arrival
	ghosts   map[netcode.EntityID]arche.Entity
	ticks    map[netcode.EntityID]netcode.Tick // of the newest poses
	spawn    generic.Map3[components.Transform3D, netcode.Replicated, netcode.Relayed]
}

func newShowing(t testing.TB, delay int, lost func(n packet.Number) bool) *showing {
	b := &showing{
		t: t, from: newMatch(t, nil), to: newMatch(t, nil), delay: delay, lost: lost,
		buffer: make([]byte, 1200), ghosts: map[netcode.EntityID]arche.Entity{}, ticks: map[netcode.EntityID]netcode.Tick{},
	}
	b.neighbor, b.decoder = b.from.server.Neighbor(), b.to.protocol.NewDecoder()
	b.spawn = generic.NewMap3[components.Transform3D, netcode.Replicated, netcode.Relayed](b.to.engine.World())
	b.from.engine.AddAt(ecs.FixedEnd, netcode.OrderReplicate+1, ecs.SystemFunc(b.send))
	b.to.engine.AddAt(ecs.FixedUpdate, netcode.OrderNetwork-1, ecs.SystemFunc(b.receive))
	return b
}

func (b *showing) send(*arche.World) {
	w := netcode.NewWriter(b.buffer)
	b.number++
	if waiting := b.neighbor.Encode(&w, b.number); waiting != 0 || w.Err() != nil {
		b.t.Fatalf("%d entities wait, %v", waiting, w.Err())
	}
	if !b.lost(b.number) {
		slot := (int(b.from.server.Tick()) + b.delay) % len(b.flying)
		b.flying[slot] = append(b.flying[slot][:0], w.Bytes()...)
	}
}

// receive applies the packet that arrives in this step.
func (b *showing) receive(*arche.World) {
	after := b.to.server.Tick().Add(1)
	slot := int(b.to.server.Tick()) % len(b.flying)
	if data := b.flying[slot]; len(data) > 0 {
		r := netcode.NewReader(data)
		snap, err := b.decoder.Decode(&r, b.number-packet.Number(b.delay))
		if err != nil {
			b.t.Fatal(err)
		}
		b.neighbor.Delivered(b.number - packet.Number(b.delay))
		b.flying[slot] = data[:0]
		for i := range snap.Changes {
			b.apply(&snap.Changes[i], snap.Tick)
		}
	}
	for id, e := range b.ghosts {
		_, _, relayed := b.spawn.Get(e)
		if _, at, ok := b.decoder.State(id); ok {
			b.ticks[id] = at
		}
		relayed.Age = time.Duration(after.Sub(b.ticks[id])) * time.Second / tickRate
	}
}

func (b *showing) apply(c *snapshot.Change, _ netcode.Tick) {
	e, known := b.ghosts[c.ID]
	pose := components.Pose3D{Position: c.State.Position, Rotation: c.State.Rotation, Scale: c.State.Scale.Vec3()}
	switch {
	case c.Op != snapshot.Spawned && !known: // it is the second server's own by now
		return
	case c.Op == snapshot.Removed:
		b.to.engine.World().RemoveEntity(e)
		delete(b.ghosts, c.ID)
		return
	case c.Op == snapshot.Spawned && !known:
		l := components.NewLogical(pose)
		e = b.spawn.NewWith(&l, &netcode.Replicated{Archetype: c.Kind, Owner: c.Owner}, &netcode.Relayed{})
		b.ghosts[c.ID] = e
	}
	b.to.server.ApplyRemote(e, b.decoder, c)
	transform, _, relayed := b.spawn.Get(e)
	*relayed = netcode.Relayed{Velocity: c.State.Velocity, Angular: c.State.Angular, Discontinuity: c.State.Discontinuity, AtRest: c.State.AtRest}
	transform.Set(pose)
}

func (b *showing) run(d time.Duration, each func()) {
	frame := time.Second / 120
	for end := b.to.now + d; b.to.now < end; {
		b.from.run(frame, nil)
		b.to.run(frame, each)
	}
}

// ghostPath is the way of the crate of these tests: 3 m/s, with a turn every two seconds, and a
// jump every ten.
func ghostPath(seconds float64) (x float32, jumped bool) {
	turn := math.Mod(seconds, 4)
	if turn > 2 {
		turn = 4 - turn
	}
	if math.Mod(seconds, 20) >= 10 {
		return float32(3*turn) + 100, true
	}
	return float32(3 * turn), false
}

func (b *showing) crate() arche.Entity {
	crate := b.from.crate(kindCrate, components.At3D(0, 1, 0))
	was := false
	b.from.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if !b.from.engine.World().Alive(crate) {
			return
		}
		x, jumped := ghostPath(b.from.engine.Time().StepEnd.Seconds())
		pose, l := components.At3D(x, 1, 0), b.from.transform(crate)
		if jumped != was {
			l.Teleport(pose)
		} else {
			l.Set(pose)
		}
		was = jumped
	}))
	b.neighbor.Relevant(crate, 1) // not replicated yet
	b.from.engine.Update(0)
	b.neighbor.Relevant(crate, 1)
	b.to.engine.Update(0)
	return crate
}

// A client of one server sees an entity that another one simulates at its true place of the time
// of the client's view, and Rewind finds it there.
func TestRelayedEntities(t *testing.T) {
	for _, delay := range []int{0, 1, 3} {
		b := newShowing(t, delay, func(n packet.Number) bool { return n%29 == 0 })
		crate := b.crate()
		a := b.to.join(linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond, Seed: 1}), nil)
		b.run(6*time.Second, nil)
		b.to.mustPlay()
		ghost := b.ghosts[b.from.id(crate)]
		if ghost.IsZero() {
			t.Fatal("there is no ghost")
		}
		id := b.to.id(ghost)
		worst, worstRewound, samples := 0.0, 0.0, 0
		// After a turn, which nobody could predict, a client glides back to the true way. Rewind
		// does not go back to before a jump.
		turning := func(view float64) bool { return math.Mod(view, 2) < 0.8 || math.Mod(view, 2) > 1.7 }
		b.to.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			b.to.of(a).Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
				pose, ok := at(ghost)
				view := b.to.of(a).ViewForTest()
				if want, _ := ghostPath(view); !ok || turning(view) {
					return
				} else {
					worstRewound = max(worstRewound, math.Abs(float64(pose.Position[0]-want)))
				}
			})
		}))
		b.run(20*time.Second, func() {
			view := a.client.View().Seconds()
			if turning(view) {
				return
			}
			want, _ := ghostPath(view)
			worst = max(worst, math.Abs(float64(a.logical(a.client.Replica(id))[0]-want)))
			samples++
		})
		// 3 m/s times a tick are 0.05 m.
		if worst > 0.02 || samples < 100 {
			t.Errorf("%d ticks of delay: the client draws the entity %.3f m from its true place, in %d samples", delay, worst, samples)
		}
		if worstRewound > 0.02 {
			t.Errorf("%d ticks of delay: rewound %.3f m from its true place", delay, worstRewound)
		}
		t.Logf("%d ticks: drawn within %.4f m, rewound within %.4f m", delay, worst, worstRewound)
	}
}

// Replicated components cross the border both ways: added, changed and removed.
func TestComponentsOfRelayedEntities(t *testing.T) {
	b := newShowing(t, 1, func(n packet.Number) bool { return n%3 == 0 })
	crate := b.crate()
	a := b.to.join(perfect(), nil)
	b.run(2*time.Second, nil)
	w, cw := b.from.engine.World(), a.engine.World()
	ghost := b.ghosts[b.from.id(crate)]
	id := b.to.id(ghost)
	points := func() int {
		e, h := a.client.Replica(id), arche.ComponentID[health](cw)
		if !cw.Has(e, h) {
			return -1
		}
		return int((*health)(cw.Get(e, h)).Points)
	}
	h := arche.ComponentID[health](w)
	if got := points(); got != -1 {
		t.Errorf("health %d of an entity without", got)
	}
	w.Add(crate, h)
	for _, want := range []int32{0, 70, 30} {
		(*health)(w.Get(crate, h)).Points = want
		b.run(time.Second, nil)
		if got := points(); got != int(want) {
			t.Errorf("health %d, want %d", got, want)
		}
	}
	w.Remove(crate, h)
	b.run(time.Second, nil)
	if got := points(); got != -1 {
		t.Errorf("health %d, which was removed", got)
	}
	w.RemoveEntity(crate)
	b.run(time.Second, nil)
	if !a.client.Replica(id).IsZero() || len(b.ghosts) != 0 {
		t.Error("a removed entity is still shown")
	}
	b.neighbor.Close()
	b.neighbor.Close()
}

// When the second server takes an entity over, its motion goes on: no client sees a jump or a gap.
func TestRelayedEntityBecomesTheServersOwn(t *testing.T) {
	b := newShowing(t, 2, func(packet.Number) bool { return false })
	crate := b.crate()
	a := b.to.join(linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond, Seed: 1}), nil)
	b.run(10500*time.Millisecond, nil) // with a jump
	ghost := b.ghosts[b.from.id(crate)]
	id := b.to.id(ghost)
	before, _ := a.client.Newest(id)
	if before.Discontinuity == 0 {
		t.Fatal("there was no jump; this test does not show any more what it is for")
	}
	delete(b.ghosts, b.from.id(crate))
	b.neighbor.Relevant(crate, 0)
	w := b.to.engine.World()
	w.Remove(ghost, arche.ComponentID[netcode.Relayed](w))
	b.to.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		x, _ := ghostPath(b.to.engine.Time().StepEnd.Seconds())
		b.to.transform(ghost).Set(components.At3D(x, 1, 0))
	}))
	b.run(time.Second, func() {
		s, _ := a.client.Newest(id)
		if s.Discontinuity != before.Discontinuity {
			t.Fatalf("the jumps count %d, and %d before", s.Discontinuity, before.Discontinuity)
		}
		if v := s.Velocity[0]; math.Abs(float64(v)+3) > 0.1 {
			t.Fatalf("its velocity is %v", s.Velocity)
		}
		view := a.client.View().Seconds()
		want, _ := ghostPath(view)
		if got := a.logical(a.client.Replica(id))[0]; math.Abs(float64(got-want)) > 0.02 {
			t.Fatalf("at %.3f it is drawn at %.3f, want %.3f", view, got, want)
		}
	})
}

// A step of both servers allocates nothing: it encodes, decodes, applies a component, and commits
// the relayed motion.
func TestRelayedEntitiesAllocateNothing(t *testing.T) {
	b := newShowing(t, 1, func(n packet.Number) bool { return n%5 == 0 })
	crate := b.crate()
	w := b.from.engine.World()
	h := arche.ComponentID[health](w)
	w.Add(crate, h)
	second := b.to.server.Neighbor() // so that the second server commits every tick
	defer second.Close()
	step := func() {
		(*health)(w.Get(crate, h)).Points++
		b.from.tick()
		b.to.tick()
	}
	for range 300 {
		step()
	}
	if n := testing.AllocsPerRun(200, step); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
	if len(b.ghosts) != 1 {
		t.Errorf("%d entities were shown", len(b.ghosts))
	}
}
