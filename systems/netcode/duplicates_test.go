package netcode_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// copying sends every datagram several times.
type copying struct {
	transport.Conn
	times int
}

func (c copying) Send(datagram []byte) error {
	for range c.times - 1 {
		_ = c.Conn.Send(datagram)
	}
	return c.Conn.Send(datagram)
}

// A network delivers several copies of each datagram over a transport that lets copies through. It
// costs an honest player nothing, neither its place nor an input, whether inputs run on ticks or on
// arrival.
func TestDuplicatesCostThePlayerNothing(t *testing.T) {
	for _, mode := range inputModes {
		for _, jitter := range []time.Duration{0, 40 * time.Millisecond} {
			m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
			path := linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Jitter: jitter, Seed: 3})
			a := m.join(path, func(c *netcode.ClientConfig[runner, input]) {
				dial := c.Dial
				c.Dial = func() (transport.Conn, error) {
					conn, err := dial()
					return copying{conn, 3}, err
				}
			})
			a.input = func(netcode.Tick) input { return input{X: 1} }
			m.run(3*time.Second, nil)
			m.mustPlay()
			x := m.of(a).State.X
			m.run(30*time.Second, nil)
			if len(m.left) > 0 {
				t.Fatalf("input mode %v, jitter %v: the player is gone: %v", mode, jitter, m.left)
			}
			if ran := m.of(a).State.X - x; ran < 178 || ran > 182 {
				t.Errorf("input mode %v, jitter %v: the player ran %.1f m in 30 s, want 180", mode, jitter, ran)
			}
			p := m.of(a)
			if excess := p.InputStats().Excess + p.ArrivalStats().Excess; excess > 0 {
				t.Errorf("input mode %v, jitter %v: %d inputs or packets count as too many", mode, jitter, excess)
			}
			if copies := p.Stats().Duplicates; copies < 2*30*tickRate {
				t.Errorf("input mode %v, jitter %v: %d copies came, want two of each of %d packets", mode, jitter, copies, 30*tickRate)
			}
		}
	}
}

// Copies without end cost the player nothing, and the server one comparison each. They do not run,
// and no memory is kept for them.
func TestManyDuplicates(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
		dial := c.Dial
		c.Dial = func() (transport.Conn, error) {
			conn, err := dial()
			return copying{conn, 20}, err
		}
	})
	a.input = func(netcode.Tick) input { return input{X: 1} }
	m.run(3*time.Second, nil)
	x := m.of(a).State.X
	m.run(10*time.Second, nil)
	m.mustPlay()
	if ran := m.of(a).State.X - x; ran < 59 || ran > 61 {
		t.Errorf("the player ran %.1f m in 10 s, want 60", ran)
	}
}
