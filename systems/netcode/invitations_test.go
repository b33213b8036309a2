package netcode_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/access"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// deaf is a path on which the server receives from the client, and the client receives nothing.
var deaf = linksim.Path{Receive: linksim.Condition{Loss: 1}}

// invited is a match that players join with an invitation.
type invited struct {
	*match
	before []*match // of servers that were killed
	guests *access.List
	keys   []netcode.ResumeID // passed to Joined, and to Confirmed
}

var invitation = []byte("for one")

func newInvited(t *testing.T) *invited {
	v := &invited{guests: &access.List{}}
	if err := v.guests.Add(invitation, access.Invitation{Uses: 1}); err != nil {
		t.Fatal(err)
	}
	v.match = newMatch(t, v.wire)
	return v
}

// wire connects the server to the list as described in the list's documentation.
func (v *invited) wire(c *netcode.ServerConfig[runner, input]) {
	joined, left := c.Joined, c.Left
	c.Random, c.Timeout, c.Grace = rand.Reader, 8*time.Second, 10*time.Second
	c.Authenticate = func(c netcode.JoinRequest) error {
		return v.guests.Check(time.Time{}, c.Addr, c.Token, c.ResumeID, c.Resumes)
	}
	c.Joined = func(p *netcode.Player[runner, input]) (runner, arche.Entity) {
		v.guests.Joined(p.Token(), p.PreviousResumeID(), p.ResumeID())
		return joined(p)
	}
	c.Confirmed = func(p *netcode.Player[runner, input]) {
		v.keys = append(v.keys, p.ResumeID())
		if !v.guests.Confirmed(p.Token(), p.ResumeID()) {
			v.t.Error("a player was heard for whom no use was held")
		}
	}
	c.Left = func(p *netcode.Player[runner, input], r transport.Reason) {
		v.guests.Left(p.Token(), p.ResumeID(), r.Code == transport.Kicked)
		left(p, r)
	}
}

// comes adds a client that has the invitation.
func (v *invited) comes(path linksim.Path) *player {
	return v.join(path, func(c *netcode.ClientConfig[runner, input]) { c.Token = invitation })
}

// kill ends the server without notice. Another one takes its place, with the stored list.
func (v *invited) kill() {
	v.t.Helper()
	text, err := v.guests.MarshalText()
	if err != nil {
		v.t.Fatal(err)
	}
	v.guests = &access.List{}
	if err := v.guests.UnmarshalText(text); err != nil {
		v.t.Fatal(err)
	}
	old, fresh := v.match, newMatch(v.t, v.wire)
	fresh.clients = old.clients
	for _, m := range append(v.before, old) {
		m.listener = fresh.listener // the address that their clients dial
	}
	v.before, v.match = append(v.before, old), fresh
}

// stranger adds another client with the same invitation, which must end with the reason.
func (v *invited) stranger(want string) {
	v.t.Helper()
	p := v.comes(perfect())
	v.run(time.Second, nil)
	if s, r := p.client.Status(); s != netcode.Ended || r.Code != transport.Unauthorized || !strings.Contains(r.Text, want) {
		v.t.Errorf("somebody else with the invitation is %v: %v, want %q", s, r, want)
	}
	v.clients = v.clients[:len(v.clients)-1]
}

// cut is a connection whose other end is not notified when it is closed.
type cut struct{ transport.Conn }

func (cut) Close(transport.Reason) {}

// The welcome to a client is lost in each of its attempts, with all other packets of the server.
// Later the client joins with the same invitation. No other client does.
func TestInvitationAfterALostWelcome(t *testing.T) {
	v := newInvited(t)
	a := v.join(deaf, func(c *netcode.ClientConfig[runner, input]) {
		dial := c.Dial
		c.Token = invitation
		c.Dial = func() (transport.Conn, error) {
			conn, err := dial()
			return cut{conn}, err
		}
	})
	v.run(4*time.Second, nil)
	if len(v.joined) != 1 || len(v.keys) != 0 {
		t.Fatalf("%d have joined and %d were confirmed, want one that was not", len(v.joined), len(v.keys))
	}
	a.Path = perfect()
	// the client dials again while the place of its first attempt is still held
	v.run(3*time.Second, nil)
	if s, r := a.client.Status(); s != netcode.Joining || r.Code != transport.Refused {
		t.Errorf("while its place is held the client is %v: %v", s, r)
	}
	v.run(5*time.Second, nil)
	v.mustPlay()
	if len(v.joined) != 2 || len(v.keys) != 1 || v.keys[0] != v.of(a).ResumeID() || v.of(a).PreviousResumeID() != (netcode.ResumeID{}) {
		t.Errorf("%d have joined, and %x were confirmed, want the second alone", len(v.joined), v.keys)
	}
	v.stranger("used up")
}

// An invited player returns after the server was killed, or was out of reach for longer than Grace,
// even if the first welcome is then lost. The player needs no second invitation, and frees none.
func TestInvitedPlayersResume(t *testing.T) {
	for _, how := range []string{"killed", "killed, and deaf at first", "killed twice", "out of reach"} {
		t.Run(how, func(t *testing.T) {
			v := newInvited(t)
			a := v.comes(perfect())
			v.run(2*time.Second, nil)
			v.mustPlay()
			first := v.of(a).ResumeID()
			switch how {
			case "out of reach":
				if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
					t.Fatal(err)
				}
				a.Path = linksim.Symmetric(linksim.Condition{Loss: 1})
				v.run(25*time.Second, nil)
				if len(v.left) == 0 {
					t.Fatal("the server waits for ever")
				}
				a.Path = perfect()
			case "killed, and deaf at first":
				v.kill()
				a.Path = deaf
				v.run(8*time.Second, nil)
				if len(v.joined) != 1 || v.joined[0].PreviousResumeID() != first {
					t.Fatal("the client has not tried to resume")
				}
				a.Path = perfect()
			default:
				v.kill()
			}
			v.stranger("used up")
			v.run(12*time.Second, nil)
			v.mustPlay()
			if how == "killed twice" {
				v.kill()
				first = v.keys[len(v.keys)-1]
				v.run(12*time.Second, nil)
				v.mustPlay()
			}
			if p := v.of(a); p.PreviousResumeID() != first || p.ResumeID() == first || v.keys[len(v.keys)-1] != p.ResumeID() {
				t.Errorf("the player joined as %x with the ResumeID %x, and was given %x", first, p.PreviousResumeID(), p.ResumeID())
			}
			v.stranger("used up")
			// No client joins with the ResumeID of a present player, whichever number it claims.
			twin := v.listener.Dial()
			v.run(time.Second/30, func() { twin.Poll(v.now) })
			hello := netcode.NewWriter(make([]byte, 512))
			v.protocol.WriteHelloAsForTest(&hello, v.of(a).Number()+1, v.of(a))
			if err := twin.Send(append([]byte{0x48}, hello.Bytes()...)); err != nil {
				t.Fatal(err)
			}
			before := len(v.joined)
			v.run(time.Second/10, func() { twin.Poll(v.now) })
			if r := twin.CloseReason(); r.Code != transport.Refused || len(v.joined) != before {
				t.Errorf("a second one with its ResumeID: %v, %d of %d have joined", r, before, len(v.joined))
			}
			v.mustPlay()
		})
	}
}

// A player that was kicked does not return with its resume secret, neither to this server nor to
// the next one. A player that was not kicked uses no invitation when it resumes, and is confirmed
// once.
func TestKickedPlayersDoNotResume(t *testing.T) {
	v := newInvited(t)
	a := v.comes(perfect())
	v.run(2*time.Second, nil)
	if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
		t.Fatal(err)
	}
	v.run(7*time.Second, nil)
	v.mustPlay()
	if len(v.keys) != 1 || len(v.joined) != 1 || a.client.Stats().Reconnects != 1 {
		t.Errorf("after the player resumed, %d were confirmed and %d have joined, in %d reconnects", len(v.keys), len(v.joined), a.client.Stats().Reconnects)
	}
	p := v.of(a)
	p.Kick("enough")
	v.run(time.Second, nil)
	back := func() {
		t.Helper()
		again := v.listener.Dial()
		v.run(time.Second/30, func() { again.Poll(v.now) })
		hello := netcode.NewWriter(make([]byte, 512))
		v.protocol.WriteHelloAsForTest(&hello, p.Number(), p)
		if err := again.Send(append([]byte{0x48}, hello.Bytes()...)); err != nil {
			t.Fatal(err)
		}
		v.run(time.Second/10, func() { again.Poll(v.now) })
		if r := again.CloseReason(); r.Code != transport.Unauthorized || !strings.Contains(r.Text, "used up") {
			t.Errorf("a kicked player that returns with its ResumeID is refused with %v", r)
		}
	}
	back()
	v.kill()
	v.run(time.Second, nil)
	back()
}
