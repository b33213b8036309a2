package netcode_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// An overloaded server runs a third of its ticks. Honest clients send as many inputs as before and
// must not count as cheaters. A cheater among them is still detected.
func TestOverloadKicksNoHonestPlayer(t *testing.T) {
	for _, mode := range inputModes {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
		for i := range 4 {
			p := m.join(linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond, Jitter: 10 * time.Millisecond, Seed: uint64(i)}), nil)
			p.input = func(at netcode.Tick) input { return input{X: int8(at/30%3) - 1} }
		}
		m.run(3*time.Second, nil)
		m.mustPlay()
		c := m.joinByHand()
		cheat, id := m.joined[4], m.server.Tick().Add(3)
		const frame = time.Second / 120
		for i := range 30 * 120 {
			m.now += frame
			if i%48 == 0 {
				m.engine.Update(48 * frame) // the time of 24 ticks, of which the engine runs eight
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
			t.Errorf("input mode %v: %d left: %v, want the cheater alone", mode, len(m.left), m.left)
		}
		for _, p := range m.clients {
			if n := p.client.Stats().Reconnects; n > 0 {
				t.Errorf("input mode %v: an honest client had to come back %d times", mode, n)
			}
		}
		m.run(5*time.Second, nil)
		m.mustPlay()
		before := m.of(m.clients[0]).InputStats()
		m.run(2*time.Second, nil)
		after := m.of(m.clients[0]).InputStats()
		if n := after.Repeated + after.Idle - before.Repeated - before.Idle; mode == netcode.OnTicks && n > 6 {
			t.Errorf("5 s after the overload %d inputs of 120 were missed", n)
		}
	}
}

// Server and clients share a machine with other work. Each runs after a random pause, sometimes of
// half a second and more, and the server makes up for all of its own. Clients send as many inputs
// as before, in bursts and far ahead, and must not count as cheaters.
func TestStarvedMachinesKickNoPlayer(t *testing.T) {
	for _, mode := range inputModes {
		for _, seed := range []uint64{2, 45, 105, 126, 149, 189} {
			random := rand.New(rand.NewPCG(seed, 7))
			// As in the demo, the server drops no time.
			m := newMatchOn(t, newProtocol(t, netcode.Config{}), ecs.Config{FixedRate: tickRate, MaxSteps: 2 * tickRate, MaxDelta: time.Second},
				func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
			for i := range 2 {
				p := m.join(linksim.Symmetric(linksim.Condition{Delay: 90 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.15, Seed: seed*10 + uint64(i)}), nil)
				p.input = func(at netcode.Tick) input { return input{X: int8(at/30%3) - 1} }
			}
			mean := float64([]time.Duration{20, 60, 120, 250}[seed%4] * time.Millisecond)
			engines := []*ecs.Engine{m.engine, m.clients[0].engine, m.clients[1].engine}
			last, next := make([]time.Duration, len(engines)), make([]time.Duration, len(engines))
			longest := time.Duration(0)
			for m.now = 0; m.now < 40*time.Second; m.now += time.Millisecond {
				for i, e := range engines {
					if m.now >= next[i] {
						longest = max(longest, m.now-last[i])
						e.Update(m.now - last[i])
						last[i], next[i] = m.now, m.now+time.Duration(min(random.ExpFloat64()*mean, 3e9))
					}
				}
			}
			for i, p := range m.clients {
				if s, r := p.client.Status(); s != netcode.Playing || p.client.Stats().Reconnects > 0 {
					t.Errorf("input mode %v, seed %d: client %d is %v (%v) after %d reconnects; the longest turn took %v", mode, seed, i, s, r, p.client.Stats().Reconnects, longest)
				}
			}
		}
	}
}
