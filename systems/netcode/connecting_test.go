package netcode_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// slow is a connection that takes a long time to be made, or is never made.
type slow struct {
	transport.Conn
	opens, fails time.Duration // on its own clock
	now, born    time.Duration
	begun        bool
	reason       transport.Reason
}

func (s *slow) Poll(now time.Duration) {
	if !s.begun {
		s.begun, s.born = true, now
	}
	s.now = now - s.born
	if s.now >= s.fails && s.reason.Code == transport.NoReason && s.now < s.opens {
		s.Close(transport.Reason{Code: transport.TimedOut, Text: "does every firewall let it pass?"})
	}
	s.Conn.Poll(now)
}

func (s *slow) State() transport.State {
	if s.reason.Code == transport.NoReason && s.now < s.opens {
		return transport.Connecting
	}
	return s.Conn.State()
}

func (s *slow) Close(r transport.Reason) {
	s.reason = r
	s.Conn.Close(r)
}

// A connection may take longer to be made than the time-out for silence. One that fails gives the
// transport's reason, and one that neither opens nor fails is given up at last.
func TestSlowConnections(t *testing.T) {
	const never = time.Hour
	for _, test := range []struct {
		name         string
		opens, fails time.Duration
		after        time.Duration // the start
		dials        int
		status       netcode.Status
		text         string
	}{
		{"made in 8 s", 8 * time.Second, never, 10 * time.Second, 1, netcode.Playing, ""},
		{"made in 4.9 s", 4900 * time.Millisecond, never, 7 * time.Second, 1, netcode.Playing, ""},
		{"failed in 10 s", never, 10 * time.Second, 10500 * time.Millisecond, 1, netcode.Joining, "does every firewall let it pass?"},
		{"never made", never, never, 18 * time.Second, 2, netcode.Joining, "the server is silent"},
	} {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.HelloTimeout = time.Minute })
		dials := 0
		p := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
			c.Dial = func() (transport.Conn, error) {
				dials++
				return &slow{Conn: m.listener.Dial(), opens: test.opens, fails: test.fails}, nil
			}
		})
		m.run(test.after, nil)
		if s, r := p.client.Status(); s != test.status || r.Text != test.text || dials != test.dials {
			t.Errorf("%s: after %v %v (%v) and %d dials, want %v (%s) and %d", test.name, test.after, s, r, dials, test.status, test.text, test.dials)
		}
	}
}
