package netcode_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/netcodetest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// inProcess adds a client on a loopback as games do: its Dial is the listener's, and its engine's
// clock begins with the engine.
func (m *match) inProcess(listener func() *loopback.Listener) *player {
	m.t.Helper()
	p := &player{Client: &netcodetest.Client[runner, input]{}, input: func(netcode.Tick) input { return input{X: 1} }}
	var err error
	if p.client, err = netcode.NewClient(m.protocol, netcode.ClientConfig[runner, input]{
		Dial: func() (transport.Conn, error) {
			if l := listener(); l != nil {
				return l.Dial(), nil
			}
			return nil, errors.New("no server yet")
		},
		Input: func(t netcode.Tick) input { return p.input(t) }, Log: quiet(),
	}); err != nil {
		m.t.Fatal(err)
	}
	if p.engine, err = ecs.New(ecs.Config{FixedRate: tickRate}); err != nil {
		m.t.Fatal(err)
	}
	p.engine.Install(interpolation.New3D(), p.client)
	p.Client.Client, p.Engine = p.client, p.engine
	return p
}

// mustJoin runs until the client plays, which must not take long. The player must then run for a
// while without a correction.
func (m *match) mustJoin(p *player, what string) {
	m.t.Helper()
	for begin := m.now; ; m.run(time.Second/120, nil) {
		if s, r := p.client.Status(); s == netcode.Playing {
			break
		} else if m.now > begin+1200*time.Millisecond { // it dials once a second
			m.t.Fatalf("%s: the client is %v after 1.2 s: %v", what, s, r)
		}
	}
	m.run(2*time.Second, nil)
	before, x, in := p.client.Stats(), m.of(p).State.X, m.of(p).InputStats()
	m.run(5*time.Second, nil)
	st := p.client.Stats()
	if n := st.Corrections - before.Corrections; n > 0 {
		m.t.Errorf("%s: %d corrections on a loopback", what, n)
	}
	if ran := m.of(p).State.X - x; ran < 29.5 || ran > 30.5 {
		m.t.Errorf("%s: the player ran %.2f m in 5 s, want 30", what, ran)
	}
	if now := m.of(p).InputStats(); now.Received-in.Received < now.Ticks-in.Ticks {
		m.t.Errorf("%s: of %d ticks only %d had an input", what, now.Ticks-in.Ticks, now.Received-in.Received)
	}
	if st.RTT > 2*time.Second/60 || st.Delay > 150*time.Millisecond || st.Reconnects != before.Reconnects {
		m.t.Errorf("%s: a round trip of %v and a delay of %v on a loopback, %d reconnects", what, st.RTT, st.Delay, st.Reconnects-before.Reconnects)
	}
}

// A client in the server's process joins at once: whichever of the two engines began first, and
// whichever is updated first.
func TestEnginesOfOneProcessBeginInAnyOrder(t *testing.T) {
	t.Run("a late bot, a rejoin, and a pause", func(t *testing.T) {
		m := newMatch(t, nil)
		here := func() *loopback.Listener { return m.listener }
		m.run(20*time.Second, nil)
		bot := m.inProcess(here)
		m.clients = append(m.clients, bot)
		m.mustJoin(bot, "a late bot")
		bot.client.Leave()
		m.run(time.Second, nil)
		again := m.inProcess(here)
		m.clients = []*player{again}
		m.mustJoin(again, "a rejoin with a fresh engine")

		// the host's server pauses, its client does not
		server, paused := m.engine, 3*time.Second
		for range paused / (time.Second / 120) {
			again.engine.Update(time.Second / 120)
		}
		m.run(5*time.Second, nil)
		if m.engine != server || again.client.Stats().Reconnects > 0 {
			t.Errorf("a pause of the server cost %d reconnects", again.client.Stats().Reconnects)
		}
		m.mustJoin(again, "after the server's pause")
		m.clients = nil // the missed time is not made up
		m.run(3*time.Second, nil)
		m.clients = []*player{again}
		m.run(37*time.Second, nil) // the view catches up
		m.mustJoin(again, "after the client's pause")
	})
	t.Run("a late host", func(t *testing.T) {
		for _, wait := range []time.Duration{time.Second / 120, 400 * time.Millisecond, 7 * time.Second, 90 * time.Second} {
			m := &match{t: t, protocol: newProtocol(t, netcode.Config{})}
			var listener *loopback.Listener
			p := m.inProcess(func() *loopback.Listener { return listener })
			for now := time.Duration(0); now < wait; now += time.Second / 120 {
				p.engine.Update(time.Second / 120)
			}
			host := newMatchOf(t, m.protocol, nil)
			listener, host.clients = host.listener, []*player{p}
			host.mustJoin(p, "a host that began "+wait.String()+" later")
		}
	})
}
