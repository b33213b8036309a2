package netcode_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// On a line that was clean an outage of up to 20 s costs no session, whether datagrams were lost,
// delayed or queued meanwhile. After it the session continues.
func TestOutagesDoNotReconnect(t *testing.T) {
	const begins = 10 * time.Second
	for _, length := range []time.Duration{4700 * time.Millisecond, 6200 * time.Millisecond, 11 * time.Second, 18 * time.Second, 20 * time.Second} {
		for name, script := range map[string][]linksim.Event{
			"lost":   {{Kind: linksim.Cut, At: begins, By: length}},
			"held":   {{Kind: linksim.Stall, At: begins, By: length}},
			"queued": {{Kind: linksim.Capacity, At: begins, To: 0}, {Kind: linksim.Capacity, At: begins + length, To: 50_000}},
		} {
			for _, ways := range []string{"both", "down", "up"} {
				line := linksim.Condition{Delay: 40 * time.Millisecond, Seed: 1}
				if name == "queued" {
					line.Rate, line.Packets = 1_000_000, 1000
				}
				path := linksim.Symmetric(line)
				if ways != "down" {
					path.Send.Script = script
				}
				if ways != "up" {
					path.Receive.Script = script
				}
				m := newMatch(t, nil)
				a := m.join(path, nil)
				m.run(begins+length+5*time.Second, nil)
				what := fmt.Sprintf("%s for %v, %s", name, length, ways)
				if status, reason := a.client.Status(); status != netcode.Playing || a.client.Stats().Reconnects != 0 || m.server.Stats().Resumed != 0 {
					t.Errorf("%s: %v (%v) after %d reconnections", what, status, reason, a.client.Stats().Reconnects)
					continue
				}
				before := m.of(a).InputStats()
				m.run(5*time.Second, nil)
				if after := m.of(a).InputStats(); after.Received-before.Received < after.Ticks-before.Ticks-3 {
					t.Errorf("%s: %d of %d inputs in time after the outage", what, after.Received-before.Received, after.Ticks-before.Ticks)
				}
				if waiting := m.server.Stats().Waiting; waiting != 0 {
					t.Errorf("%s: %d connections wait", what, waiting)
				}
			}
		}
	}
}

// A connection that carries nothing in one direction or in both is replaced by a second one, within
// 9 s, as the same player.
func TestDeadConnectionIsReplaced(t *testing.T) {
	line := linksim.Condition{Delay: 40 * time.Millisecond, Seed: 1}
	dead := linksim.Condition{Loss: 1}
	for name, path := range map[string]linksim.Path{"both": linksim.Symmetric(dead), "down": {Send: line, Receive: dead}} {
		m := newMatch(t, nil)
		a := m.join(linksim.Symmetric(line), nil)
		m.run(3*time.Second, nil)
		m.mustPlay()
		p := m.of(a)
		if err := a.Conn.SetPath(path); err != nil {
			t.Fatal(err)
		}
		m.run(9*time.Second, nil)
		m.mustPlay()
		if n := a.client.Stats().Reconnects; n != 1 || m.of(a) != p || len(m.joined) != 1 {
			t.Errorf("%s: %d reconnections, %d have joined", name, n, len(m.joined))
		}
	}
}

// A second connection beside one that works does not take its place. It is closed after the time
// that any stranger may wait. One that sends invalid datagrams is refused.
func TestSecondConnectionBesideAWorkingOneWaits(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	c := &cheat{m: m}
	c.conn = c.dial()
	nonsense := c.dial()
	m.run(time.Second/tickRate, nil)
	nonsense.Poll(m.now)
	_ = nonsense.Send([]byte("Bnonsense"))
	answers := 0
	for range 35 {
		c.conn.Poll(m.now)
		for {
			n, ok := c.conn.Recv(c.buf[:])
			if !ok {
				break
			}
			if string(c.buf[:n]) != "B" {
				t.Fatalf("it is answered with % x", c.buf[:n])
			}
			answers++
		}
		w := netcode.NewWriter(c.buf[1:])
		c.buf[0] = 'B'
		m.protocol.WriteHelloWithForTest(&w, m.of(a), nil)
		_ = c.conn.Send(c.buf[:1+len(w.Bytes())])
		m.run(time.Second/10, nil)
	}
	nonsense.Poll(m.now)
	if nonsense.CloseReason().Code != transport.Refused || c.conn.CloseReason().Code != transport.TimedOut || answers < 20 {
		t.Errorf("nonsense: %v; beside one that speaks: %v after %d answers", nonsense.CloseReason(), c.conn.CloseReason(), answers)
	}
	if s := m.server.Stats(); s.Resumed != 0 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
	m.mustPlay()
}
