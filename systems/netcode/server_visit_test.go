package netcode_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// ticket returns a ticket of 16 bytes.
func ticket(n byte) []byte { return bytes.Repeat([]byte{n}, 16) }

// visitor is a hand-made client that visits a server.
type visitor struct {
	m        *match
	conn     transport.Conn
	endpoint *packet.Endpoint
	buf      [transport.MaxMTU]byte
	got      int // packets
}

// visit sends the hello of a visitor that has the secret of a player.
func visit(m *match, p *netcode.Player[runner, input], ticket []byte) *visitor {
	v := &visitor{m: m, conn: m.listener.Dial()}
	v.endpoint, _ = packet.NewEndpoint(packet.Config{MTU: v.conn.MTU() - 1})
	m.run(50*time.Millisecond, func() { v.conn.Poll(m.now) })
	m.protocol.WriteVisitForTest(v.conn, ticket, p)
	return v
}

// run acknowledges what arrives.
func (v *visitor) run(d time.Duration) {
	v.m.run(d, func() {
		v.conn.Poll(v.m.now)
		heard := false
		for n, ok := v.conn.Recv(v.buf[:]); ok; n, ok = v.conn.Recv(v.buf[:]) {
			if v.buf[0] != 0x53 {
				continue
			}
			if pk, err := v.endpoint.Open(v.buf[1:n]); err == nil && v.endpoint.Accept(pk, v.m.now) == nil {
				v.got++
				heard = true
			}
		}
		if heard {
			v.buf[0] = 0x53
			w := v.endpoint.Begin(v.buf[1:], v.m.now, 200)
			w.Bits(0, 1+32+4+1)
			if d, err := v.endpoint.End(); err == nil {
				_ = v.conn.Send(v.buf[:1+len(d)])
			}
		}
	})
}

// A visitor with the ticket and the secret of its player is sent the world ten times a second, and
// is ready when it has acknowledged a snapshot. It is no player.
func TestInvitedVisitors(t *testing.T) {
	m := newMatch(t, nil)
	m.crate(kindCrate, components.At3D(3, 0, 0))
	a := m.join(linksim.Path{}, nil)
	m.run(time.Second, nil)
	p := m.of(a)
	id := p.ResumeID()
	m.server.Invite(ticket(1), id, time.Second)
	for name, wrong := range map[string]*visitor{
		"another ticket": visit(m, p, ticket(2)),
		"no ticket":      visit(m, p, make([]byte, 16)),
	} {
		wrong.run(100 * time.Millisecond)
		if wrong.conn.CloseReason().Code != transport.Refused {
			t.Errorf("a visit with %s: %v, want refused", name, wrong.conn.CloseReason())
		}
	}
	if ready, present := m.server.Visitor(id); ready || present {
		t.Error("a visitor before the visit")
	}
	v := visit(m, p, ticket(1))
	v.run(2 * time.Second)
	if ready, present := m.server.Visitor(id); ready || !present {
		t.Errorf("without inputs the visitor is ready: %v, present: %v", ready, present)
	}
	got := v.got
	v.run(3 * time.Second)
	if ready, present := m.server.Visitor(id); !ready || !present {
		t.Errorf("the visitor is ready: %v, present: %v; state %v (%v)", ready, present, v.conn.State(), v.conn.CloseReason())
	}
	if got < 18 || got > 22 {
		t.Errorf("%d packets in 2 s, want about 20", got)
	}
	again := visit(m, p, ticket(1))
	again.run(100 * time.Millisecond)
	if again.conn.CloseReason().Code != transport.Refused {
		t.Errorf("a ticket used twice: %v, want refused", again.conn.CloseReason())
	}
	if n := len(m.joined); n != 1 || p.Connected() != true {
		t.Errorf("%d players have joined, want 1", n)
	}
	m.server.Invite(ticket(3), id, 0)
	v.run(100 * time.Millisecond)
	if _, present := m.server.Visitor(id); present || v.conn.State() != transport.Closed {
		t.Errorf("a visit that is over: present %v, connection %v", present, v.conn.State())
	}
	m.server.Invite(ticket(4), id, 100*time.Millisecond)
	m.run(200*time.Millisecond, nil)
	late := visit(m, p, ticket(4))
	late.run(100 * time.Millisecond)
	if late.conn.CloseReason().Code != transport.Refused {
		t.Errorf("a ticket used too late: %v, want refused", late.conn.CloseReason())
	}
	m.mustPlay()
}

// Mistakes in Invite and Move are reported.
func TestMistakesInMoves(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(linksim.Path{}, nil)
	m.run(time.Second, nil)
	p := m.of(a)
	for name, err := range map[string]error{
		"a short ticket":     p.Move("there", []byte("short")),
		"a long address":     p.Move(strings.Repeat("x", netcode.MaxAddress+1), ticket(1)),
		"a line in it":       p.Move("a\nb", ticket(1)),
		"a visit's end (ok)": p.Move("", nil),
	} {
		if (err == nil) != strings.HasSuffix(name, "(ok)") {
			t.Errorf("%s: %v", name, err)
		}
	}
	mustPanic(t, "a short ticket", func() { m.server.Invite([]byte("short"), p.ResumeID(), time.Second) }, "16 random")
	arrival := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = netcode.OnArrival })
	mustPanic(t, "visitors on arrival", func() { arrival.server.Invite(ticket(1), p.ResumeID(), time.Second) }, "OnTicks")
}
