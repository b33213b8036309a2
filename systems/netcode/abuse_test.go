package netcode_test

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// One client acknowledges nothing, one acknowledges packets that were never sent, and one floods
// the server with messages. The other clients play on, and the server's memory does not grow.
func TestAbuseDoesNotAffectOtherPlayers(t *testing.T) {
	for _, how := range []string{"acknowledges nothing", "acknowledges what was never sent", "floods with messages", "floods with greetings", "floods with nonsense"} {
		heard := 0
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Message = func(*netcode.Player[runner, input], []byte, bool) { heard++ }
		})
		var all []arche.Entity
		for i := range 200 {
			all = append(all, m.crate(kindCrate, components.At3D(float32(i), 0, 0)))
		}
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			for i, e := range all {
				m.transform(e).Set(components.At3D(float32(i), float32(m.engine.Time().Tick%100), 0))
			}
		}))
		a := m.join(perfect(), nil)
		a.input = func(netcode.Tick) input { return input{X: 1} }
		c := m.joinByHand()
		bad := m.joined[len(m.joined)-1]
		m.run(2*time.Second, nil)
		abuse := func() {
			if !bad.Connected() {
				return
			}
			c.conn.Poll(m.now)
			for {
				if _, ok := c.conn.Recv(c.buf[:]); !ok {
					break
				}
			}
			switch how {
			case "acknowledges what was never sent":
				c.buf[0] = 0x53
				h := packet.Header{Sequence: packet.Sequence(m.now / (time.Second / 120)), HasAck: true, Ack: 40000, AckMask: 0xffffffff}
				p := h.Append(c.buf[1:1])
				w := netcode.NewWriter(c.buf[1+len(p):])
				w.Bool(false)
				w.Bits(uint64(m.server.Tick()), 32)
				w.Bits(0, 4)
				w.Bool(false)
				_ = c.conn.Send(c.buf[:1+len(p)+len(w.Bytes())])
			case "floods with messages":
				for range 50 {
					_ = c.endpoint.SendUnreliable(make([]byte, 900))
					c.send(m.server.Tick())
				}
			case "floods with greetings": // each of them would be answered
				w := netcode.NewWriter(c.buf[1:])
				c.buf[0] = 0x48
				m.protocol.WriteHelloForTest(&w)
				for range 50 {
					_ = c.conn.Send(c.buf[:1+len(w.Bytes())])
				}
			case "floods with nonsense":
				for range 50 {
					_ = c.conn.Send([]byte{0xff, 1, 2, 3})
				}
			default: // its endpoint never opens a datagram, so it acknowledges nothing
				c.send(m.server.Tick())
			}
		}
		m.run(2*time.Second, abuse)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		x := m.of(a).State.X
		m.run(8*time.Second, abuse)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if moved := m.of(a).State.X - x; moved < 45 || moved > 51 {
			t.Errorf("%s: the other one ran %.1f m in 8 s, want 48", how, moved)
		}
		m.mustPlay()
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 {
			t.Errorf("%s: the heap grew by %d bytes", how, grown)
		}
		switch how {
		case "floods with messages", "floods with greetings", "floods with nonsense":
			if len(m.left) != 1 || m.left[0].Code != transport.Kicked {
				t.Errorf("%s: was not removed: %v", how, m.left)
			}
		case "acknowledges what was never sent":
			bad.Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) { at(all[0]) })
		default:
			if !bad.Connected() {
				t.Errorf("%s: was removed, though acknowledgements may all be lost: %v", how, m.left)
			}
		}
	}
}

// Sixty-four connections claim one player's place with its secret. The last one gets it. The player
// exists once, and no other connection remains.
func TestManyConnectionsResumeOnePlayer(t *testing.T) {
	m := newMatch(t, nil)
	conn := m.listener.Dial()
	buf := make([]byte, transport.MaxMTU)
	hello := func(c transport.Conn, welcome []byte) {
		w := netcode.NewWriter(buf[1:])
		buf[0] = 0x48
		m.protocol.WriteHelloForTest(&w)
		p := append([]byte(nil), buf[:1+len(w.Bytes())]...)
		if welcome != nil { // behind the schema: resume, number, secret, rate, token
			w := netcode.NewWriter(buf[1:])
			m.protocol.WriteResumeForTest(&w, binary.LittleEndian.Uint16(welcome[1:]), [16]byte(welcome[3:19]))
			p = append([]byte{0x48}, w.Bytes()...)
		}
		_ = c.Send(p)
	}
	m.run(time.Second/30, func() { conn.Poll(m.now) })
	hello(conn, nil)
	var welcome []byte
	m.run(time.Second/10, func() {
		conn.Poll(m.now)
		if n, ok := conn.Recv(buf); ok && welcome == nil && buf[0] == 0x57 {
			welcome = append(welcome, buf[:n]...)
		}
	})
	if welcome == nil {
		t.Fatal("no welcome")
	}
	p := m.joined[0]
	var conns []transport.Conn
	for range 60 { // of the 64 that may be pending
		conns = append(conns, m.listener.Dial())
	}
	m.run(time.Second/30, nil)
	for _, c := range conns {
		c.Poll(m.now)
		hello(c, welcome)
	}
	m.run(time.Second/10, nil)
	open := 0
	for _, c := range append(conns, conn) {
		c.Poll(m.now)
		if c.State() == transport.Open {
			open++
		} else if r := c.CloseReason(); r.Code != transport.Replaced {
			t.Errorf("one of them was closed by %v", r)
		}
	}
	if s := m.server.Stats(); open != 1 || s.Players != 1 || s.Resumed != 60 || s.Entities != 1 || len(m.joined) != 1 || m.joined[0] != p || !p.Connected() {
		t.Errorf("%d connections are open; %+v; %d joined", open, s, len(m.joined))
	}
}

// Reasons written by strangers and operators cannot put control characters into logs.
func TestReasonsAreOneLine(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.Authenticate = func(c netcode.JoinRequest) error {
			if len(c.Token) > 0 {
				return fmt.Errorf("no \x1b[31m%s", c.Token)
			}
			return nil
		}
	})
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Token = []byte("a\nb\x00\x07") })
	m.run(time.Second, nil)
	_, reason := a.client.Status()
	wire := reason.Append(nil)
	parsed, err := transport.ParseReason(wire)
	if err != nil || parsed.Code != transport.Unauthorized {
		t.Fatalf("%v: %v", parsed, err)
	}
	for _, r := range parsed.Text {
		if r < ' ' || r == 0x7f {
			t.Errorf("%q would upset a terminal", parsed.Text)
		}
	}
}
