package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// After a hitch of the server there is no lasting delay. Connections run by real time, although the
// engine drops that time.
func TestHitchesLeaveNoDelay(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	m.run(3*time.Second, nil)
	m.now += 2 * time.Second // neither end runs
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

// Waiting messages, however many, do not prevent the sending of a large state.
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

// A client that sent a hello and nothing more has not joined. Its place is free again after the
// time-out, without grace.
func TestUnconfirmedClientsTimeOut(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Timeout = 2 * time.Second })
	a := m.join(perfect(), nil)
	frames := 0
	m.run(2*time.Second, func() { // its process ends after the hello
		if frames++; m.server.Stats().Players == 1 {
			a.Freeze(time.Hour)
		}
	})
	m.run(3*time.Second, nil)
	if s := m.server.Stats(); s.Joined != 1 || s.Players+s.Away != 0 {
		t.Errorf("%+v, want nobody", s)
	}
}

// Kicks reach players that are away, and a draining server accepts players that return.
func TestKickedWhileAwayAndResumedWhileDraining(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Timeout = time.Second })
	a, b := m.join(perfect(), nil), m.join(perfect(), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	a.Freeze(3 * time.Second)
	b.Freeze(time.Hour)
	m.run(2*time.Second, nil)
	m.server.Drain("soon")
	m.of(b).Kick("cheated")
	m.run(4*time.Second, nil)
	if len(m.left) != 1 || m.left[0].Text != "cheated" {
		t.Errorf("left: %v, want the one that was kicked while away", m.left)
	}
	if s, r := a.client.Status(); s != netcode.Playing || m.server.Stats().Resumed != 1 {
		t.Errorf("a player that returns to a draining server is %v: %v", s, r)
	}
}

// A client that has slept plays on as before. Its inputs run, even if their ids have advanced by
// more than a receiver follows in the mode OnArrival. Data that waited for it does not count as
// late.
func TestSuspendedClients(t *testing.T) {
	for _, mode := range inputModes {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode, c.Timeout = mode, 10*time.Minute })
		a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Timeout = 10 * time.Minute })
		m.run(3*time.Second, nil)
		m.mustPlay()
		a.Freeze(40 * time.Second)
		m.run(45*time.Second, nil)
		a.input = func(netcode.Tick) input { return input{X: 1} }
		x := m.of(a).State.X
		m.run(3*time.Second, nil)
		if moved := m.of(a).State.X - x; moved < 17 || moved > 19 {
			t.Errorf("arrival %v: after 40 s of sleep the player ran %.1f m in 3 s, want about 18", mode, moved)
		}
		if d := a.client.Stats().Delay; d > 150*time.Millisecond {
			t.Errorf("arrival %v: 8 s after a sleep of 40 s others are shown %v late", mode, d)
		}
	}
}

// An ended client releases the engine's clock. One that never began can leave.
func TestEndedClientsReleaseTheClock(t *testing.T) {
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

// With fewer packets than ticks no input is missed, and no player is faster or slower.
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
