package netcode_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// elsewhere is a listener whose connections have addresses that a test chooses.
type elsewhere struct {
	transport.Listener
	addr *string
}

type located struct {
	transport.Conn
	addr string
}

func (l located) RemoteAddr() string { return l.addr }

func (l elsewhere) Accept() (transport.Conn, bool) {
	conn, ok := l.Listener.Accept()
	if ok {
		conn = located{conn, *l.addr}
	}
	return conn, ok
}

// A stranger with a link that is good for all takes only as many places as one address may have, by
// any means, and other clients still join. The stranger's client receives the reason, and joins
// when one of its places is free.
func TestOneAddressCannotTakeAllPlaces(t *testing.T) {
	for _, test := range []struct {
		name          string
		players, most int // of the configuration
		addr          func(i int) string
		want          int // of 12
	}{
		{"by default a quarter", 40, 0, func(i int) string { return fmt.Sprintf("203.0.113.7:%d", 1000+i) }, 10},
		{"by default at least four", 8, 0, func(i int) string { return fmt.Sprintf("203.0.113.7:%d", 1000+i) }, 4},
		{"as configured", 40, 3, func(i int) string { return fmt.Sprintf("203.0.113.7:%d", 1000+i) }, 3},
		{"not bounded", 40, -1, func(i int) string { return fmt.Sprintf("203.0.113.7:%d", 1000+i) }, 12},
		{"without a port", 40, 3, func(int) string { return "203.0.113.7" }, 3},
		{"IPv4 in IPv6", 40, 3, func(i int) string { return fmt.Sprintf("[::ffff:203.0.113.7]:%d", 1000+i) }, 3},
		{"one customer's IPv6", 40, 3, func(i int) string { return fmt.Sprintf("[2001:db8:0:a0%d::%d]:7", i%10, 1+i) }, 3},
		{"with a zone", 40, 3, func(i int) string { return fmt.Sprintf("[2001:db8::1%%eth%d]:7", i) }, 3},
		{"customers of IPv6", 40, 3, func(i int) string { return fmt.Sprintf("[2001:db8:0:%x00::1]:7", 1+i) }, 12},
		{"neighbours", 40, 3, func(i int) string { return fmt.Sprintf("203.0.113.%d:7", i) }, 12},
		{"this machine", 40, 3, func(i int) string { return fmt.Sprintf("127.0.0.1:%d", 1000+i) }, 12},
		{"this machine by IPv6", 40, 3, func(i int) string { return fmt.Sprintf("[::1]:%d", 1000+i) }, 12},
		{"a private network", 40, 3, func(i int) string { return fmt.Sprintf("192.168.1.1:%d", 1000+i) }, 12},
		{"a link", 40, 3, func(i int) string { return fmt.Sprintf("[fe80::1%%eth0]:%d", 1000+i) }, 12},
		{"no address", 40, 3, func(i int) string { return "loopback:1" }, 12},
		{"nonsense", 40, 3, func(i int) string { return "" }, 12},
	} {
		addr := ""
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Listener = elsewhere{c.Listener, &addr}
			c.MaxPlayers, c.MaxPerAddress = test.players, test.most
		})
		for i := range 12 {
			addr = test.addr(i)
			m.join(perfect(), nil)
			m.run(50*time.Millisecond, nil)
		}
		m.run(time.Second/4, nil)
		if n := m.server.Stats().Players; n != min(test.want, test.players) || len(m.joined) != n {
			t.Errorf("%s: %d of 12 play, want %d", test.name, n, test.want)
		}
		if test.want == 12 {
			continue
		}
		want := fmt.Sprintf("%d play from your address", test.want)
		if s, r := m.clients[11].client.Status(); s != netcode.Joining || r.Code != transport.Refused || !strings.Contains(r.Text, want) || len(r.Text) > transport.MaxReasonText {
			t.Errorf("%s: the last one is %v: %v", test.name, s, r)
		}
		addr = "198.51.100.1:7"
		other := m.join(perfect(), nil)
		m.run(20*time.Millisecond, nil)
		addr = test.addr(3) // the other clients of the address try again all the time
		m.run(time.Second/4, nil)
		if s, r := other.client.Status(); s != netcode.Playing {
			t.Errorf("%s: somebody else is %v: %v", test.name, s, r)
		}
	}
}

// A player that is away keeps its place among those of its address, and gets it back from there or
// from another address. Its place always counts for the address from which it joined. Otherwise a
// customer with two addresses could take all places by moving from one to the other.
func TestPlacesOfAnAddressAreKept(t *testing.T) {
	const home, away = "203.0.113.7:1000", "198.51.100.1:7"
	addr := home
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.Listener = elsewhere{c.Listener, &addr}
		c.MaxPerAddress, c.Timeout = 1, time.Second
	})
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Timeout = time.Second })
	m.run(time.Second, nil)
	m.mustPlay()
	lose := func() {
		t.Helper()
		if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
			t.Fatal(err)
		}
		a.Path = linksim.Symmetric(linksim.Condition{Loss: 1})
		m.run(1500*time.Millisecond, nil)
		if m.of(a).Connected() {
			t.Fatal("the player is not lost")
		}
	}
	lose()
	b := m.join(perfect(), nil)
	m.run(time.Second/2, nil)
	if s, _ := b.client.Status(); s != netcode.Joining {
		t.Errorf("when the place of the address is kept for somebody another one is %v", s)
	}
	a.Path = perfect()
	m.run(3*time.Second, nil)
	if s, r := a.client.Status(); s != netcode.Playing || len(m.joined) != 1 {
		t.Errorf("a returning player is %v: %v", s, r)
	}
	lose()
	b.Freeze(3 * time.Second)
	addr, a.Path = away, perfect()
	m.run(3*time.Second, nil)
	if s, r := a.client.Status(); s != netcode.Playing || m.of(a).Addr() != away {
		t.Errorf("a player that returns from elsewhere is %v: %v", s, r)
	}
	addr = home
	m.run(2*time.Second, nil)
	if s, _ := b.client.Status(); s != netcode.Joining {
		t.Errorf("while the player plays elsewhere on the place of its address, another one from there is %v", s)
	}
	a.client.Leave()
	m.run(2*time.Second, nil)
	if s, r := b.client.Status(); s != netcode.Playing || len(m.joined) != 2 {
		t.Errorf("after the player has left the other one is %v: %v", s, r)
	}
}

// Strangers that connect as fast as transports accept them, and never send a hello, keep no player
// out.
func TestSilentConnectionsBlockNoPlayer(t *testing.T) {
	m := newMatch(t, nil)
	var silent []transport.Conn
	next, most := m.now, 0
	connect := func() {
		for next <= m.now {
			silent = append(silent, m.listener.Dial())
			next += time.Second / 100
		}
		for _, c := range silent {
			c.Poll(m.now)
		}
		most = max(most, m.server.Stats().Waiting)
	}
	m.run(5*time.Second, connect)
	for i := range 5 {
		p := m.join(linksim.Symmetric(linksim.Condition{Delay: 100 * time.Millisecond, Seed: uint64(i)}), nil)
		m.run(time.Second, connect)
		if s, r := p.client.Status(); s != netcode.Playing {
			t.Errorf("a second after its connection, the %d. is %v: %v", i+1, s, r)
		}
	}
	m.mustPlay()
	if most != 64 {
		t.Errorf("at most %d waited, want 64: the test shows nothing", most)
	}
	refused := 0
	for _, c := range silent {
		if c.CloseReason().Code == transport.Refused {
			refused++
		}
	}
	if refused < 800 {
		t.Errorf("%d of %d silent ones were sent away", refused, len(silent))
	}
}

// inOrder is a listener whose connections have addresses in the order of their dialling.
type inOrder struct {
	transport.Listener
	addrs *[]string
}

func (l inOrder) Accept() (transport.Conn, bool) {
	conn, ok := l.Listener.Accept()
	if ok {
		conn = located{conn, (*l.addrs)[0]}
		*l.addrs = (*l.addrs)[1:]
	}
	return conn, ok
}

// Strangers from a few networks connect faster than a hello crosses a line. They make room only for
// each other.
func TestConnectionFloodsFromFewNetworksBlockNoPlayer(t *testing.T) {
	for name, stranger := range map[string]func(i int) string{
		"one address":    func(i int) string { return fmt.Sprintf("203.0.113.7:%d", 1000+i) },
		"one network":    func(i int) string { return fmt.Sprintf("203.0.113.%d:7", i%256) },
		"ten networks":   func(i int) string { return fmt.Sprintf("203.0.%d.%d:7", i%10, i%256) },
		"one of IPv6":    func(i int) string { return fmt.Sprintf("[2001:db8::%x:1]:7", i) },
		"ten of IPv6":    func(i int) string { return fmt.Sprintf("[2001:db8:0:%d00::%x]:7", i%10, 1+i) },
		"one in another": func(i int) string { return fmt.Sprintf("[::ffff:203.0.113.7]:%d", 1000+i) },
	} {
		var addrs []string
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Listener = inOrder{c.Listener, &addrs} })
		next, dialled := m.now, 0
		connect := func() {
			for ; next <= m.now; next += time.Millisecond {
				m.listener.Dial()
				addrs = append(addrs, stranger(dialled))
				dialled++
			}
		}
		m.run(time.Second/2, connect)
		for i, home := range []string{"198.51.100.1:7", "192.168.1.1:7", "loopback"} {
			p := m.join(linksim.Symmetric(linksim.Condition{Delay: 150 * time.Millisecond, Seed: uint64(i)}), func(c *netcode.ClientConfig[runner, input]) {
				dial := c.Dial
				c.Dial = func() (transport.Conn, error) {
					addrs = append(addrs, home)
					return dial()
				}
			})
			m.run(time.Second/2, connect)
			if s, r := p.client.Status(); s != netcode.Playing || len(p.log) != 1 {
				t.Errorf("%s: a client from %s is %v after %v: %v", name, home, s, p.log, r)
			}
		}
		if s := m.server.Stats(); s.Waiting != 64 || s.Refused < uint64(dialled)-64-20 {
			t.Errorf("%s: %+v of %d strangers: the test shows nothing", name, s, dialled)
		}
	}
}

// A client whose hello has arrived during a rush of strangers is accepted. It is not removed unread
// to make room for them. All of them connect between two polls of a server that was held up.
func TestConnectionFloodKeepsReceivedHellos(t *testing.T) {
	m := newMatch(t, nil)
	for range 10 {
		m.join(perfect(), nil)
	}
	// a frame in which they dial, and one in which the transport accepts them and they send
	m.run(2*time.Second/120, nil)
	if s := m.server.Stats(); s.Waiting != 10 || s.Joined != 0 {
		t.Fatalf("%+v, want 10 that wait: the test shows nothing", s)
	}
	var silent []transport.Conn
	for range 64 {
		silent = append(silent, m.listener.Dial())
	}
	m.run(time.Second/120, nil)
	if s := m.server.Stats(); s.Joined != 10 || s.Refused != 0 || s.Waiting != 64 {
		t.Errorf("%+v, want 10 that joined, 64 that wait, and none removed", s)
	}
	for _, c := range silent {
		if c.Poll(m.now); c.State() != transport.Open {
			t.Errorf("a stranger is %v: %v", c.State(), c.CloseReason())
		}
	}
	m.run(time.Second/4, nil)
	m.mustPlay()
	for i, p := range m.clients {
		if len(p.log) != 1 {
			t.Errorf("client %d was %v", i, p.log)
		}
	}
}
