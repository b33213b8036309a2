package netcode_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/access"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A player that is kicked or banned does not return with its secret, neither while it plays, nor
// while it is away, nor in the moment between.
func TestBannedPlayersMayNotResume(t *testing.T) {
	for _, how := range []string{"kicked while it plays", "kicked while it is away", "kicked and back at once", "banned while it is away"} {
		banned, asked := false, 0
		var m *match
		m = newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Timeout = time.Second
			c.Authenticate = func(c netcode.JoinRequest) error {
				if c.Resumes {
					asked++
				}
				if c.Resumes && how == "kicked and back at once" {
					m.joined[0].Kick("enough")
				}
				switch {
				case c.Addr == "" || string(c.Token) != "mine":
					return errors.New("who is this?")
				case banned:
					return &access.BannedError{Reason: "enough"}
				}
				return nil
			}
		})
		a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Token, c.Timeout = []byte("mine"), time.Second })
		b := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Token = []byte("mine") })
		m.run(2*time.Second, nil)
		m.mustPlay()
		p := m.of(a)
		if m.server.Player(p.Number()) != p || string(p.Token()) != "mine" || m.server.Player(999) != nil {
			t.Fatal("the server does not find its players by their numbers")
		}
		away := how != "kicked while it plays"
		if away {
			if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
				t.Fatal(err)
			}
			m.run(1500*time.Millisecond, nil)
			if p.Connected() {
				t.Fatalf("%s: is not away", how)
			}
		}
		switch how {
		case "banned while it is away":
			banned = true
		case "kicked and back at once": // see Authenticate
		default:
			p.Kick("enough")
			banned = true
		}
		m.run(8*time.Second, nil)
		if s, r := a.client.Status(); s != netcode.Ended || r.Code != transport.Unauthorized && r.Code != transport.Kicked {
			t.Errorf("%s: the client is %v: %v", how, s, r)
		}
		if p.Connected() {
			t.Errorf("%s: the client plays", how)
		}
		if s, _ := b.client.Status(); s != netcode.Playing {
			t.Errorf("%s: the other one is %v", how, s)
		}
		if how == "banned while it is away" && asked == 0 {
			t.Errorf("%s: Authenticate was not called for its return", how)
		}
	}
}
