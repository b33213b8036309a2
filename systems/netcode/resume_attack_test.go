package netcode_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// dial begins a connection, which is open after the match has run for two ticks.
func (c *cheat) dial() transport.Conn {
	conn := c.m.listener.Dial()
	conn.Poll(c.m.now)
	return conn
}

// resume claims a player's place by its secret, with a token, on an open connection.
func (c *cheat) resume(conn transport.Conn, p *netcode.Player[runner, input], token []byte) {
	c.conn = conn
	conn.Poll(c.m.now)
	w := netcode.NewWriter(c.buf[1:])
	c.buf[0] = 0x48
	c.m.protocol.WriteHelloWithForTest(&w, p, token)
	_ = conn.Send(c.buf[:1+len(w.Bytes())])
}

// A cheater whose inputs run on arrival resumes in every step, pretends to have slept, is silent
// and then sends everything at once, or sends ten times too much. Over 20 s it runs no farther than
// an honest player, whatever the snapshot rate, and in one step no farther than the input credit or
// a snapshot interval.
func TestResumesGiveNoExtraTime(t *testing.T) {
	const seconds, many = 20, 30
	for _, trick := range []string{"resumes in every step", "resumes four times a second", "jumps ahead in its ids", "is silent, then sends all", "sends ten times too much"} {
		for _, rate := range []int{5, 20, 60} {
			m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
				c.InputMode, c.SnapshotRate = netcode.OnArrival, rate
				c.Kick = prediction.Policy{Excess: -1} // no kick: the test measures the gain
			})
			c := m.joinByHand()
			p := m.joined[0]
			id := netcode.Tick(1000)
			burst := func(n int) {
				c.inputs(id, n, input{X: 1})
				id = id.Add(n)
			}
			burst(1)
			m.run(time.Second, nil)
			x, start, last, leap := p.State.X, m.now, p.State.X, float32(0)
			var dialled []transport.Conn
			good := c.conn
			for k := 0; m.now-start < seconds*time.Second; k++ {
				switch trick {
				case "resumes in every step", "resumes four times a second":
					if c.conn.Poll(m.now); c.conn.State() == transport.Closed {
						c.conn = good
					}
					good = c.conn
					if dialled = append(dialled, c.dial()); len(dialled) > 4 && (k%15 == 0 || trick == "resumes in every step") {
						c.resume(dialled[0], p, nil)
						dialled = dialled[1:]
					}
					burst(many)
					c.conn, good = good, c.conn // one of the two is refused, or replaced
					burst(many)
					c.conn, good = good, c.conn
				case "jumps ahead in its ids":
					if k%40 == 39 {
						id = id.Add(10_000)
						burst(many)
					}
				case "is silent, then sends all":
					if k%60 == 59 {
						burst(many)
						burst(many)
					}
				default:
					burst(10)
				}
				m.run(time.Second/tickRate, nil)
				leap, last = max(leap, p.State.X-last), p.State.X
			}
			speed := float64(p.State.X-x) / (m.now - start).Seconds()
			most := runSpeed * (max(0.1, 1/float32(rate)) + 1.0/tickRate)
			t.Logf("%s, %d Hz: %.2f m/s, %.2f m at once; %+v", trick, rate, speed, leap, p.ArrivalStats())
			if speed > 1.02*runSpeed || leap > most {
				t.Errorf("%s, snapshots at %d Hz: %.2f m/s and %.2f m at once, want at most %d and %.2f", trick, rate, speed, leap, runSpeed, most)
			}
		}
	}
}

// A player that resumes over and over is accepted as often as connections may be pending, and once
// a second after that. It keeps its place, and plays on after the attack.
func TestResumesAreLimited(t *testing.T) {
	for _, mode := range inputModes {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
		c := m.joinByHand()
		p := m.joined[0]
		c.inputs(m.server.Tick(), 1, input{})
		m.run(time.Second/10, nil)
		const seconds = 60
		refused := 0
		dialled := []transport.Conn{c.dial(), c.dial(), c.dial()}
		for start := m.now; m.now-start < seconds*time.Second; {
			old := c.conn
			c.resume(dialled[0], p, nil)
			dialled = append(dialled[1:], c.dial())
			m.run(2*time.Second/tickRate, func() { c.conn.Poll(m.now) })
			if c.conn.State() == transport.Closed {
				refused++
				if r := c.conn.CloseReason(); r.Code != transport.Refused {
					t.Fatalf("refused with %v, want one after which a client tries again", r)
				}
				c.conn = old
			}
		}
		if n := m.server.Stats().Resumed; n > 64+seconds+1 || n < 64 || refused < 1000 {
			t.Errorf("input mode %v: resumed %d times in %d s and was refused %d times", mode, n, seconds, refused)
		}
		m.run(3*time.Second, func() { c.send(m.server.Tick()) })
		conn := c.dial()
		m.run(time.Second/tickRate, nil)
		c.resume(conn, p, nil)
		m.run(time.Second/10, func() { c.conn.Poll(m.now) })
		if c.conn.State() != transport.Open || !p.Connected() || len(m.joined) != 1 {
			t.Errorf("input mode %v: after a pause it is %v (%v)", mode, c.conn.State(), c.conn.CloseReason())
		}
	}
}

// A player that is banned by its token does not return with another token. Nor does a player return
// with a banned token to a place that it got by another one.
func TestBannedTokensDoNotResume(t *testing.T) {
	for _, test := range []struct{ joined, presented, banned string }{{"a", "b", "a"}, {"a", "", "a"}, {"a", "b", "b"}, {"a", "a", "a"}, {"a", "b", "none"}, {"a", "a", "none"}} {
		banned := ""
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Authenticate = func(c netcode.JoinRequest) error {
				if string(c.Token) == banned {
					return errors.New("banned")
				}
				return nil
			}
		})
		a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Token = []byte(test.joined) })
		m.run(time.Second, nil)
		m.mustPlay()
		p := m.of(a)
		banned = test.banned
		c := &cheat{m: m}
		conn := c.dial()
		m.run(time.Second/tickRate, nil)
		c.resume(conn, p, []byte(test.presented))
		m.run(time.Second/10, func() { c.conn.Poll(m.now) })
		in, reason := m.server.Stats().Resumed == 1, fmt.Sprint(c.conn.CloseReason())
		if want := test.banned == "none"; in != want {
			t.Errorf("joined by %q, resumes by %q, banned %q: in %v, %s", test.joined, test.presented, test.banned, in, reason)
		}
	}
}
