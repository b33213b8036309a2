package netcode_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Cases 38 and 39: a player returns on another connection and keeps its place.
func TestResume(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Timeout = 2 * time.Second })
	a, b := m.join(seeds(8), nil), m.join(seeds(9), nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	number, entity := a.client.Number(), m.of(a).Entity
	cut := linksim.Condition{Loss: 1}
	if err := a.Conn.SetPath(linksim.Symmetric(cut)); err != nil {
		t.Fatal(err)
	}
	m.run(8*time.Second, nil)
	m.mustPlay()
	if a.client.Stats().Reconnects != 1 {
		t.Errorf("%d reconnects, want 1 (%v)", a.client.Stats().Reconnects, a.log)
	}
	if a.client.Number() != number || m.of(a).Entity != entity || !m.of(a).Connected() || len(m.joined) != 2 {
		t.Errorf("came back as %d, was %d; %d have joined", a.client.Number(), number, len(m.joined))
	}
	a.input = func(netcode.Tick) input { return input{X: 1} }
	x := m.of(a).State.X
	m.run(3*time.Second, nil)
	if moved := m.of(a).State.X - x; moved < 14 {
		t.Errorf("after coming back the player ran %.1f m in 3 s, want about 17", moved)
	}
	if s := b.client.Stats(); s.Replicas != 2 || s.Reconnects != 0 {
		t.Errorf("the other client has %d replicas and reconnected %d times", s.Replicas, s.Reconnects)
	}
}

func TestLeavingAndTimingOut(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Timeout, c.Grace = time.Second, 2*time.Second })
	a, b, c := m.join(seeds(11), nil), m.join(seeds(12), nil), m.join(seeds(13), nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	a.client.Leave()
	b.Freeze(time.Hour)
	m.run(6*time.Second, nil)
	if len(m.left) != 2 || m.left[0].Code != transport.Left || m.left[1].Code != transport.TimedOut {
		t.Errorf("left: %v, want one that left and one that timed out", m.left)
	}
	if st := m.server.Stats(); st.Players != 1 || st.Away != 0 || st.Entities != 1 {
		t.Errorf("%+v, want one player and its entity", st)
	}
	if n := c.client.Stats().Replicas; n != 1 {
		t.Errorf("the player that stayed sees %d replicas, want its own", n)
	}
	m.of(c).Kick("enough")
	m.run(time.Second, nil)
	if s, r := c.client.Status(); s != netcode.Ended || r.Code != transport.Kicked || r.Text != "enough" {
		t.Errorf("the kicked client is %v: %v", s, r)
	}
}

// Case 50, and all other clients that are refused.
func TestRefusals(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.MaxPlayers = 1
		c.Authenticate = func(c netcode.JoinRequest) error {
			if string(c.Token) != "sesame" {
				return errWrongToken
			}
			return nil
		}
	})
	token := func(c *netcode.ClientConfig[runner, input]) { c.Token = []byte("sesame") }
	first := m.join(perfect(), token)
	m.run(time.Second, nil)
	if s, r := first.client.Status(); s != netcode.Playing {
		t.Fatalf("the first is %v: %v", s, r)
	}
	full := m.join(perfect(), token)
	wrong := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Token = []byte("please") })
	mine := m.protocol
	m.protocol = newProtocol(t, netcode.Config{Version: 2})
	other := m.join(perfect(), token)
	m.protocol = mine
	m.run(time.Second, nil)
	if s, r := full.client.Status(); s != netcode.Joining || r.Code != transport.Refused || !strings.Contains(r.Text, "full") {
		t.Errorf("one too many is %v: %v", s, r)
	}
	if s, r := wrong.client.Status(); s != netcode.Ended || r.Code != transport.Unauthorized || r.Text != errWrongToken.Error() {
		t.Errorf("a wrong token ends %v: %v", s, r)
	}
	if s, r := other.client.Status(); s != netcode.Ended || r.Code != transport.Mismatch || r.Text == "" {
		t.Errorf("another build ends %v: %v", s, r)
	}
	// When the place is free the waiting client gets it.
	first.client.Leave()
	m.run(5*time.Second, nil)
	if s, r := full.client.Status(); s != netcode.Playing {
		t.Errorf("with a free place the waiting client is %v: %v", s, r)
	}
	m.server.Drain("moving to another machine")
	late := m.join(perfect(), token)
	m.run(time.Second, nil)
	if s, r := late.client.Status(); s != netcode.Joining || r.Code != transport.Shutdown || r.Text != "moving to another machine" {
		t.Errorf("a newcomer to a draining server is %v: %v", s, r)
	}
	if s, _ := full.client.Status(); s != netcode.Playing {
		t.Errorf("draining stopped a present player: %v", s)
	}
}

type constError string

func (e constError) Error() string { return string(e) }

const errWrongToken = constError("that is not the word")
