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

// elsewhere is a listener whose connections come from addresses that a test chooses.
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

// A stranger with a link that is good for all takes as many places as one address may have,
// whatever he tries, and others still come in. He is told why, and comes in when a place of his is
// free.
func TestOneAddressDoesNotTakeAllPlaces(t *testing.T) {
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
		addr = test.addr(3) // the others try again all the while
		m.run(time.Second/4, nil)
		if s, r := other.client.Status(); s != netcode.Playing {
			t.Errorf("%s: somebody else is %v: %v", test.name, s, r)
		}
	}
}

// Who is awaited back keeps his place among those of his address, and gets it back from there or
// from elsewhere; wherever he goes, his place is one of those of the address from which he joined,
// or one with two addresses could take all places by moving from here to there.
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
		if err := a.conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
			t.Fatal(err)
		}
		a.path = linksim.Symmetric(linksim.Condition{Loss: 1})
		m.run(1500*time.Millisecond, nil)
		if m.of(a).Connected() {
			t.Fatal("he is not lost")
		}
	}
	lose()
	b := m.join(perfect(), nil)
	m.run(time.Second/2, nil)
	if s, _ := b.client.Status(); s != netcode.Joining {
		t.Errorf("when the place of the address is kept for somebody another one is %v", s)
	}
	a.path = perfect()
	m.run(3*time.Second, nil)
	if s, r := a.client.Status(); s != netcode.Playing || len(m.joined) != 1 {
		t.Errorf("who comes back is %v: %v", s, r)
	}
	lose()
	b.stall, addr, a.path = 3*time.Second, away, perfect()
	m.run(3*time.Second, nil)
	if s, r := a.client.Status(); s != netcode.Playing || m.of(a).Addr() != away {
		t.Errorf("who comes back from elsewhere is %v: %v", s, r)
	}
	addr = home
	m.run(2*time.Second, nil)
	if s, _ := b.client.Status(); s != netcode.Joining {
		t.Errorf("when he plays elsewhere by the place of his address, another one from there is %v", s)
	}
	a.client.Leave()
	m.run(2*time.Second, nil)
	if s, r := b.client.Status(); s != netcode.Playing || len(m.joined) != 2 {
		t.Errorf("when he is gone the other one is %v: %v", s, r)
	}
}

// Strangers who connect as fast as transports let them in, and never say a word, keep nobody out.
func TestSilentStrangersKeepNobodyOut(t *testing.T) {
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
			t.Errorf("a second after he came, the %d. is %v: %v", i+1, s, r)
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

// inOrder is a listener whose connections come from addresses in the order in which they were
// dialled.
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

// Strangers from a few networks, who connect faster than anybody's first word comes over a line,
// send away each other only.
func TestRushesFromFewNetworksKeepNobodyOut(t *testing.T) {
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
				t.Errorf("%s: who comes from %s is %v after %v: %v", name, home, s, p.log, r)
			}
		}
		if s := m.server.Stats(); s.Waiting != 64 || s.Refused < uint64(dialled)-64-20 {
			t.Errorf("%s: %+v of %d strangers: the test shows nothing", name, s, dialled)
		}
	}
}

// Who has said who he is when strangers come in a rush is let in, and not sent away unheard to make
// room for them: they all come between two looks of a server that was held up.
func TestARushSendsNobodyAwayUnheard(t *testing.T) {
	m := newMatch(t, nil)
	for range 10 {
		m.join(perfect(), nil)
	}
	// a frame in which they dial and one in which they are let in by the transport, and speak
	m.run(2*time.Second/120, nil)
	if s := m.server.Stats(); s.Waiting != 10 || s.Joined != 0 {
		t.Fatalf("%+v, want 10 who wait: the test shows nothing", s)
	}
	var silent []transport.Conn
	for range 64 {
		silent = append(silent, m.listener.Dial())
	}
	m.run(time.Second/120, nil)
	if s := m.server.Stats(); s.Joined != 10 || s.Refused != 0 || s.Waiting != 64 {
		t.Errorf("%+v, want 10 who joined, 64 who wait, and none sent away", s)
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
