package netcode_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A server that is overloaded runs a third of its ticks. Honest clients send as many inputs as before, and must not be taken for cheaters; a cheater among them still is one.
func TestOverloadKicksNobody(t *testing.T) {
	for _, arrival := range []bool{false, true} {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.OnArrival = arrival })
		for i := range 4 {
			p := m.join(linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond, Jitter: 10 * time.Millisecond, Seed: uint64(i)}), nil)
			p.input = func(at tick.Tick) input { return input{X: int8(at/30%3) - 1} }
		}
		m.run(3*time.Second, nil)
		m.mustPlay()
		c := m.joinByHand()
		cheat, id := m.joined[4], m.server.Tick().Add(3)
		const frame = time.Second / 120
		for i := range 30 * 120 {
			m.now += frame
			if i%48 == 0 {
				m.engine.Update(48 * frame) // 24 ticks' time, of which the engine runs eight
			}
			for _, p := range m.clients {
				p.engine.Update(frame)
			}
			for range 10 {
				if cheat.Connected() {
					c.inputs(id, 2, input{X: 1})
					id = id.Add(2)
				}
			}
		}
		if dropped := m.engine.Time().Dropped; dropped < 15*time.Second {
			t.Fatalf("the server dropped only %v: the test shows nothing", dropped)
		}
		m.mustPlay()
		if len(m.left) != 1 || cheat.Connected() {
			t.Errorf("arrival %v: %d left: %v, want the cheater alone", arrival, len(m.left), m.left)
		}
		for _, p := range m.clients {
			if n := p.client.Stats().Reconnects; n > 0 {
				t.Errorf("arrival %v: an honest client had to come back %d times", arrival, n)
			}
		}
		m.run(5*time.Second, nil)
		m.mustPlay()
		before := m.of(m.clients[0]).InputStats()
		m.run(2*time.Second, nil)
		after := m.of(m.clients[0]).InputStats()
		if n := after.Repeated + after.Idle - before.Repeated - before.Idle; !arrival && n > 6 {
			t.Errorf("5 s after the overload %d inputs of 120 were missed", n)
		}
	}
}
