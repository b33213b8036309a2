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
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// What belongs to a player is not his body: a thing of his own is drawn like all others.
func TestOwnThingsAreNotTheBody(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	bomb := m.crate(kindCrate, components.At3D(50, 0, 0))
	w := m.engine.World()
	(*netcode.Replicated)(w.Get(bomb, arche.ComponentID[netcode.Replicated](w))).Owner = a.client.Number()
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		// the news of it are newer than those of the body
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

// A game may give a player another body, or none, or lose it.
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
	p.Entity = arche.Entity{} // a spectator, whose body lives on without him
	a.input = func(netcode.Tick) input { return input{X: 1} }
	x := p.State.X
	m.run(2*time.Second, nil)
	if p.State.X < x+8 || !a.client.Entity().IsZero() {
		t.Errorf("a spectator moved %.1f m in 2 s, want about 12, with the body %v", p.State.X-x, a.client.Entity())
	}
}

// More entities than MaxEntities: the rest is shown as soon as there is room.
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

// Components taken away and given back, and kinds changed, in any order; a slot's next entity
// inherits nothing.
func TestReplicationEndsAndBeginsAgain(t *testing.T) {
	m := newMatch(t, nil)
	w := m.engine.World()
	logical, replicated := arche.ComponentID[components.Transform3D](w), arche.ComponentID[netcode.Replicated](w)
	crate := m.crate(kindCrate, components.At3D(1, 0, 0))
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	first := m.id(crate)
	shown := func() int { return a.client.Stats().Replicas - 1 } // beside the player himself

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

	// Marked before it is anywhere.
	early := w.NewEntity(replicated)
	m.run(time.Second/4, nil)
	w.Add(early, logical)
	*(*components.Transform3D)(w.Get(early, logical)) = l
	m.run(time.Second/2, nil)
	if shown() != 2 {
		t.Errorf("marked first and placed then, and %d shown, want 2", shown())
	}
}

// On a listen server some entities are interpolated and some are not; a jump is one jump for both.
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

// A hitch of the server makes nothing later than it is: connections live by real time, though the
// engine drops it.
func TestHitchesLeaveNoDelay(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	m.run(3*time.Second, nil)
	m.now += 2 * time.Second // nobody gets to run
	m.engine.Update(2 * time.Second)
	a.engine.Update(2 * time.Second)
	m.run(8*time.Second, nil)
	m.mustPlay()
	if rtt := a.client.Stats().RTT; rtt > 50*time.Millisecond {
		t.Errorf("10 s after a hitch the round trip is %v", rtt)
	}
	if lead := a.client.Stats().Lead; lead > 150*time.Millisecond {
		t.Errorf("10 s after a hitch the lead is %v", lead)
	}
}

// bulky states fill most of a packet.
type bulky struct{ runnerCodec }

const bulk = 700

func (b bulky) Write(w *netcode.Writer, s runner) {
	b.runnerCodec.Write(w, s)
	for range bulk {
		w.Bits(0, 8)
	}
}

func (b bulky) Read(r *netcode.Reader) runner {
	s := b.runnerCodec.Read(r)
	for range bulk {
		r.Bits(8)
	}
	return s
}

// Messages, however many wait, do not keep a large state from being sent.
func TestMessagesLeaveRoomForStates(t *testing.T) {
	p, err := netcode.NewProtocol(netcode.Config{TickRate: tickRate, MaxEntities: 64}, netcode.Game[runner, input]{
		Step: stepRunner, Pose: poseRunner, States: bulky{}, Inputs: inputCodec{},
		Distance: func(a, b runner) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	m := newMatchOf(t, p, nil)
	a := m.join(perfect(), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	message := make([]byte, 4000)
	sent := 0
	m.run(2*time.Second, func() {
		if m.joined[0].Send(message) == nil {
			sent++
		}
	})
	before := a.client.Stats().Snapshots
	m.run(2*time.Second, func() { _ = m.joined[0].Send(message) })
	if n := a.client.Stats().Snapshots - before; n < 50 {
		t.Errorf("%d snapshots in 2 s beside %d waiting messages, want 60", n, sent)
	}
	m.run(60*time.Second, nil)
	if len(a.heard) < sent {
		t.Errorf("heard %d of at least %d messages", len(a.heard), sent)
	}
}

// Who said hello and nothing more has not come: his place is free again after the time-out, without
// grace.
func TestWhoNeverCameIsNotAwaited(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Timeout = 2 * time.Second })
	a := m.join(perfect(), nil)
	frames := 0
	m.run(2*time.Second, func() { // its process dies with the hello
		if frames++; m.server.Stats().Players == 1 {
			a.stall = time.Hour
		}
	})
	m.run(3*time.Second, nil)
	if s := m.server.Stats(); s.Joined != 1 || s.Players+s.Away != 0 {
		t.Errorf("%+v, want nobody", s)
	}
}

// Kicks reach those who are away, and a draining server takes back who was in.
func TestKickedWhileAwayAndBackWhileDraining(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Timeout = time.Second })
	a, b := m.join(perfect(), nil), m.join(perfect(), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	a.stall = 3 * time.Second
	b.stall = time.Hour
	m.run(2*time.Second, nil)
	m.server.Drain("soon")
	m.of(b).Kick("cheated")
	m.run(4*time.Second, nil)
	if len(m.left) != 1 || m.left[0].Text != "cheated" {
		t.Errorf("left: %v, want the one who was kicked while away", m.left)
	}
	if s, r := a.client.Status(); s != netcode.Playing || m.server.Stats().Resumed != 1 {
		t.Errorf("who comes back to a draining server is %v: %v", s, r)
	}
}

// Who has slept goes on as before: his inputs run, though on arrival their ids have gone on by more
// than a receiver follows, and what waited for him does not count as late.
func TestSleepers(t *testing.T) {
	for _, mode := range inputModes {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode, c.Timeout = mode, 10*time.Minute })
		a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Timeout = 10 * time.Minute })
		m.run(3*time.Second, nil)
		m.mustPlay()
		a.stall = 40 * time.Second
		m.run(45*time.Second, nil)
		a.input = func(netcode.Tick) input { return input{X: 1} }
		x := m.of(a).State.X
		m.run(3*time.Second, nil)
		if moved := m.of(a).State.X - x; moved < 17 || moved > 19 {
			t.Errorf("input mode %v: after 40 s of sleep the player ran %.1f m in 3 s, want about 18", mode, moved)
		}
		if d := a.client.Stats().Delay; d > 150*time.Millisecond {
			t.Errorf("input mode %v: 8 s after a sleep of 40 s others are shown %v late", mode, d)
		}
	}
}

// An ended client gives the engine's clock back; one that never began can leave.
func TestTheEndedLetGoOfTheClock(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	if err := a.engine.SetScale(0); err == nil {
		t.Error("a client that plays lets its time be stopped")
	}
	a.client.Leave()
	if err := a.engine.SetScale(0.5); err != nil {
		t.Errorf("an ended client holds the clock: %v", err)
	}
	a.engine.Close()
	m.clients = nil
	c, err := netcode.NewClient(m.protocol, netcode.ClientConfig[runner, input]{
		Dial: func() (transport.Conn, error) { return m.listener.Dial(), nil }, Input: func(netcode.Tick) input { return input{} }, Log: quiet(),
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Leave()
	if s, r := c.Status(); s != netcode.Ended || r.Code != transport.Left {
		t.Errorf("%v, %v", s, r)
	}
}

// Fewer packets than ticks: no input is missed, and nothing is faster or slower.
func TestActionRates(t *testing.T) {
	for _, rate := range []int{30, 10, 4} {
		m := newMatch(t, nil)
		a := m.join(linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond, Jitter: 5 * time.Millisecond, Seed: 32}),
			func(c *netcode.ClientConfig[runner, input]) { c.ActionRate = rate })
		m.run(8*time.Second, nil)
		m.mustPlay()
		a.input = func(netcode.Tick) input { return input{X: 1} }
		m.run(2*time.Second, nil)
		before, x := m.of(a).InputStats(), m.of(a).State.X
		m.run(10*time.Second, nil)
		after := m.of(a).InputStats()
		if n := after.Repeated + after.Idle - before.Repeated - before.Idle; n > 3 {
			t.Errorf("at %d packets a second %d of 600 inputs were missed", rate, n)
		}
		if moved := m.of(a).State.X - x; moved < 59.8 || moved > 60.2 {
			t.Errorf("at %d packets a second the player ran %.2f m in 10 s, want 60", rate, moved)
		}
	}
	_, err := netcode.NewClient(newProtocol(t, netcode.Config{}), netcode.ClientConfig[runner, input]{
		Dial: func() (transport.Conn, error) { return nil, nil }, Input: func(netcode.Tick) input { return input{} }, ActionRate: 3,
	})
	if err == nil {
		t.Error("an action rate of 3 Hz would lose inputs, and is taken")
	}
}

// Games that take away what the client's plugin shows, or give it nothing to show, only miss a
// picture.
func TestReplicasThatGamesTakeAway(t *testing.T) {
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
