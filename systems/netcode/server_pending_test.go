//go:build !js

package netcode_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// budgeted is a listener that notes which of its connections belong to strangers.
type budgeted struct {
	transport.Listener
	conns []*budgetedConn
}

type budgetedConn struct {
	transport.Conn
	said []bool
}

func (b *budgetedConn) SetUntrusted(s bool) { b.said = append(b.said, s) }

func (b *budgeted) Accept() (transport.Conn, bool) {
	c, ok := b.Listener.Accept()
	if !ok {
		return nil, false
	}
	b.conns = append(b.conns, &budgetedConn{Conn: c})
	wrapped, err := linksim.Wrap(b.conns[len(b.conns)-1], linksim.Path{}) // passes the mark on
	return wrapped, err == nil
}

// A connection belongs to a stranger until its client is accepted, on every transport, also on a
// simulated path.
func TestConnectionsArePendingUntilAccepted(t *testing.T) {
	var l *budgeted
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		l = &budgeted{Listener: c.Listener}
		c.Listener = l
	})
	m.listener.Dial() // sends nothing
	m.run(time.Second, nil)
	m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	if len(l.conns) != 2 || len(l.conns[0].said) != 1 || !l.conns[0].said[0] {
		t.Fatalf("%d connections; the silent one is %v, want a stranger", len(l.conns), l.conns[0].said)
	}
	if said := l.conns[1].said; len(said) < 2 || !said[0] || said[len(said)-1] {
		t.Errorf("a player is %v, want a stranger first and then none", said)
	}
}

// A connection that sends anything but a hello, of any size, is closed after a number of datagrams
// that no client reaches. Fewer are harmless, and its hello is still accepted.
func TestPendingConnectionsThatSendInvalidData(t *testing.T) {
	m := newMatch(t, nil)
	conns, long := []transport.Conn{m.listener.Dial(), m.listener.Dial()}, make([]byte, transport.MaxMTU)
	long[0] = 0x48
	buf := make([]byte, transport.MaxMTU)
	for i := range 64 {
		m.run(time.Second/120, func() {
			for _, c := range conns {
				c.Poll(m.now)
			}
		})
		for _, c := range conns {
			if err := c.Send([][]byte{{0xff, 1, 2}, long, {0x53, 0}}[i%3]); err != nil {
				t.Fatalf("datagram %d: %v, because %v", i, err, c.CloseReason())
			}
		}
	}
	_ = conns[0].Send([]byte{0xff})
	w := netcode.NewWriter(buf[1:])
	buf[0] = 0x48
	m.protocol.WriteHelloForTest(&w)
	_ = conns[1].Send(buf[:1+len(w.Bytes())])
	m.run(time.Second/10, func() {
		for _, c := range conns {
			c.Poll(m.now)
		}
	})
	if r := conns[0].CloseReason(); r.Code != transport.Overload {
		t.Errorf("after 65 datagrams a stranger is %v, because %v; want overload", conns[0].State(), r)
	}
	if s := m.server.Stats(); s.Refused != 1 || s.Players != 1 || s.Waiting != 0 {
		t.Errorf("%+v, want one refused and one in", s)
	}
}

// Strangers send invalid datagrams, which their transports deliver. All of them are closed, and a
// player joins meanwhile.
func TestPendingConnectionsOverTheNetwork(t *testing.T) {
	many := dtls.Rate{PerSecond: 1e5, Burst: 1e5}
	udp, err := dtls.Listen("127.0.0.1:0", dtls.Config{Handshakes: many, NetworkHandshakes: many, Cookies: many, NetworkCookies: many})
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := websocket.Listen("127.0.0.1:0", websocket.Config{Upgrades: many, NetworkUpgrades: many})
	if err != nil {
		t.Fatal(err)
	}
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.Listener, c.HelloTimeout = transport.Merge(udp, tcp), time.Hour
	})
	defer func() {
		udp.Close(transport.Reason{})
		tcp.Close(transport.Reason{})
		<-udp.Done()
		<-tcp.Done()
	}()
	var strangers []transport.Conn
	for range 4 {
		strangers = append(strangers, dtls.Dial(udp.Addr(), udp.Fingerprint(), dtls.Config{DialTimeout: time.Minute}))
		strangers = append(strangers, websocket.Dial(tcp.Addr(), websocket.Config{DialTimeout: time.Minute}))
	}
	player := dtls.Dial(udp.Addr(), udp.Fingerprint(), dtls.Config{DialTimeout: time.Minute})
	buf := make([]byte, transport.MaxMTU)
	w := netcode.NewWriter(buf[1:])
	buf[0] = 0x48
	m.protocol.WriteHelloForTest(&w)
	hello := append([]byte(nil), buf[:1+len(w.Bytes())]...)
	gone, welcome := 0, false
	for deadline := time.Now().Add(time.Minute); gone < len(strangers) || !welcome; {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d strangers are gone; the player is in: %v", gone, len(strangers), welcome)
		}
		time.Sleep(time.Millisecond)
		m.run(time.Second/60, nil)
		gone = 0
		for _, c := range strangers {
			switch c.Poll(m.now); c.State() {
			case transport.Open:
				for range 10 {
					_ = c.Send([]byte{0xff, 1, 2, 3})
				}
			case transport.Closed:
				gone++
				if r := c.CloseReason(); r.Code != transport.Overload {
					t.Fatalf("a stranger was sent away because %v, want overload", r)
				}
			}
		}
		if player.Poll(m.now); player.State() == transport.Open && !welcome {
			_ = player.Send(hello)
		}
		if _, ok := player.Recv(buf); ok && buf[0] == 0x57 {
			welcome = true
		}
	}
	for _, c := range append(strangers, player) {
		c.Close(transport.Reason{})
	}
}
