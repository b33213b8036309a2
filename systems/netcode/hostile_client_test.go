package netcode_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// cheat speaks the protocol by hand, with inputs that no client would send.
type cheat struct {
	m        *match
	conn     transport.Conn
	endpoint *packet.Endpoint
	pending  *prediction.Pending[input]
	buf      [transport.MaxMTU]byte
}

// joinByHand sends the protocol's hello, with the bytes of an honest client.
func (m *match) joinByHand() *cheat {
	m.t.Helper()
	c := &cheat{m: m, conn: m.listener.Dial(), pending: prediction.NewPending[input](prediction.MaxHistory)}
	var err error
	if c.endpoint, err = packet.NewEndpoint(packet.Config{MTU: c.conn.MTU() - 1}); err != nil {
		m.t.Fatal(err)
	}
	m.run(time.Second/30, func() { c.conn.Poll(m.now) })
	w := netcode.NewWriter(c.buf[1:])
	c.buf[0] = 0x48
	m.protocol.WriteHelloForTest(&w)
	_ = c.conn.Send(c.buf[:1+len(w.Bytes())])
	m.run(time.Second/10, func() { c.conn.Poll(m.now) })
	for {
		n, ok := c.conn.Recv(c.buf[:])
		if !ok {
			m.t.Fatal("no welcome")
		}
		if n > 0 && c.buf[0] == 0x57 {
			return c
		}
	}
}

// send writes one packet with all that is pending.
func (c *cheat) send(view netcode.Tick) {
	c.conn.Poll(c.m.now)
	for {
		if _, ok := c.conn.Recv(c.buf[:]); !ok {
			break
		}
	}
	c.buf[0] = 0x53
	w := c.endpoint.Begin(c.buf[1:], c.m.now, 200)
	w.Bool(false)
	w.Bits(uint64(view), 32)
	w.Bits(0, 4)
	has := c.pending.Unacknowledged() > 0
	w.Bool(has)
	if has {
		c.pending.Write(w, inputCodec{}, prediction.Redundancy{})
	}
	datagram, err := c.endpoint.End()
	if err != nil {
		c.m.t.Fatal(err)
	}
	_ = c.conn.Send(c.buf[:1+len(datagram)])
}

// inputs packs inputs for the ticks from first on, and sends them.
func (c *cheat) inputs(first netcode.Tick, n int, in input) {
	c.pending = prediction.NewPending[input](prediction.MaxHistory)
	for i := range n {
		c.pending.Push(first.Add(i), in)
	}
	c.send(first)
}

// Case 26: inputs arrive twice, ten times and a thousand times as often as ticks, in both modes.
// The cheater runs no faster than the others, and is kicked when it sends too many.
func TestSpeedHacks(t *testing.T) {
	for _, mode := range inputModes {
		for _, factor := range []int{2, 10, 1000 / tickRate} {
			m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
			c := m.joinByHand()
			p := m.joined[0]
			x, start := p.State.X, m.now
			id := m.server.Tick().Add(3)
			m.run(10*time.Second, func() {
				if !p.Connected() {
					return
				}
				for range max(1, factor/2) { // in every frame; there are two frames in a tick
					c.inputs(id, min(factor, 2), input{X: 1})
					id = id.Add(min(factor, 2))
				}
				if mode == netcode.OnTicks && id.Sub(m.server.Tick()) > 30 {
					// at most as far ahead as the server accepts
					id = m.server.Tick().Add(30)
				}
			})
			seconds := (m.now - start).Seconds()
			if speed := float64(p.State.X-x) / seconds; speed > 6*1.02 || mode == netcode.OnTicks && factor == 2 && speed < 5 {
				t.Errorf("input mode %v, %d times: %.2f m/s, want 6 at most", mode, factor, speed)
			}
			if factor > 2 && len(m.left) == 0 {
				t.Errorf("input mode %v, %d times: not kicked", mode, factor)
			}
		}
	}
}

// Case 27: ten seconds of silence give no time to spend at once.
func TestSilenceGivesNoExtraTime(t *testing.T) {
	for _, mode := range inputModes {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.InputMode = mode
			c.Kick = prediction.Policy{Excess: -1}
		})
		c := m.joinByHand()
		p := m.joined[0]
		id := m.server.Tick()
		for range 30 { // the player has moved, and stands
			c.inputs(id, 1, input{})
			id = id.Add(1)
			m.run(time.Second/tickRate, nil)
		}
		m.run(9*time.Second, func() { c.conn.Poll(m.now) })
		x := p.State.X
		for i := range 10 {
			first := id.Add(30 * i)
			if mode == netcode.OnTicks {
				first = m.server.Tick().Add(30*i - 290)
			}
			c.inputs(first, 30, input{X: 1})
		}
		m.run(time.Second/tickRate, nil)
		if moved := p.State.X - x; moved > 0.8 {
			t.Errorf("input mode %v: 300 inputs after 10 s of silence move %.2f m in a step, want 0.6", mode, moved)
		}
		m.run(3*time.Second, func() { c.conn.Poll(m.now) })
		// On ticks, inputs that were ahead run in their own ticks, and twelve are repeated.
		if moved := p.State.X - x; moved > 0.1*(6+32+12+2) {
			t.Errorf("input mode %v: 300 inputs after 10 s of silence move %.2f m", mode, moved)
		}
	}
}

// Absurd ticks and views break nothing, and no player moves by more than one step's distance.
func TestAbsurdTicks(t *testing.T) {
	for _, mode := range inputModes {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.InputMode = mode
			c.Kick = prediction.Policy{Excess: -1}
		})
		c := m.joinByHand()
		p := m.joined[0]
		last := p.State.X
		for i := range 600 {
			now := m.server.Tick()
			first := []netcode.Tick{0, 1<<31 - 5, 1<<32 - 3, now, now.Add(40), now.Add(1 << 30), now.Add(-1 << 30), now.Add(600), now.Add(-600)}[i%9]
			c.inputs(first, 1+i%32, input{X: 1, Dash: i%7 == 0})
			c.send(first.Add(i << 20))
			m.run(time.Second/tickRate, nil)
			p.Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) { at(p.Entity) })
			if moved := p.State.X - last; moved < 0 || moved > 0.2*7 {
				t.Fatalf("input mode %v: %.2f m in one step", mode, moved)
			}
			last = p.State.X
		}
		if !p.Connected() {
			t.Errorf("input mode %v: not there any more: %v", mode, m.left)
		}
		if x := p.State.X; x > 6*2*10*1.05+2 {
			t.Errorf("input mode %v: ran %.1f m in 10 s", mode, x)
		}
	}
}

// A client may be further ahead of the server than inputs are kept, as an honest client may be
// after a stall. None of its inputs run, it gains nothing, it costs no more than others, and the
// server's feedback reports its lead. It plays on when its lead is normal again. A client that is
// farther ahead is removed.
func TestTooFarAhead(t *testing.T) {
	for _, test := range []struct {
		ahead       int
		runs, stays bool
	}{
		{64, true, true},
		{prediction.Ahead - 2, true, true},
		{prediction.Ahead + 4, false, true},
		{4*prediction.Ahead - 2, false, true},
		{4*prediction.Ahead + 2, false, false},
		{1000, false, false},
	} {
		m := newMatch(t, nil)
		other := m.join(perfect(), nil)
		m.run(time.Second, nil)
		c := m.joinByHand()
		p := m.joined[1]
		last := netcode.Tick(0)
		// each sends one packet a tick for a while, with the inputs of the last ticks as a client
		// does.
		each := func(ahead int, in input) func() {
			return func() {
				if now := m.server.Tick(); now != last && p.Connected() {
					last = now
					c.inputs(now.Add(ahead-3), 4, in)
				}
			}
		}
		m.run(time.Second, each(3, input{}))
		x, z := p.State.X, p.State.Z
		m.run(20*time.Second, each(test.ahead, input{X: 1}))
		if p.Connected() != test.stays {
			t.Errorf("%d ticks ahead: connected %v, want %v; %v", test.ahead, p.Connected(), test.stays, m.left)
		}
		moved := p.State.X - x
		if test.runs && (moved < 6*(20-float32(test.ahead)/tickRate)*0.95 || moved > 6*20.2) || !test.runs && moved != 0 || p.State.Z != z {
			t.Errorf("%d ticks ahead: moved %.1f m in 20 s; that its inputs run is %v", test.ahead, moved, test.runs)
		}
		s := p.InputStats()
		if !test.runs && (s.Early < 200 || s.Excess > 0 && test.stays) {
			t.Errorf("%d ticks ahead: %+v", test.ahead, s)
		}
		if test.stays && !test.runs {
			x = p.State.X
			m.run(2*time.Second, each(3, input{X: 1}))
			if moved := p.State.X - x; moved < 6*1.8 || moved > 6*2.02 {
				t.Errorf("%d ticks ahead: back again it moves %.1f m in 2 s, want 12", test.ahead, moved)
			}
		}
		if s, _ := other.client.Status(); s != netcode.Playing {
			t.Errorf("%d ticks ahead: the other one is %v", test.ahead, s)
		}
	}
}
