package dtls_test

import (
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// ends waits until a connection has closed, and returns why.
func ends(t *testing.T, c transport.Conn) transport.Reason {
	t.Helper()
	until(t, "the connection is closed", func() bool { c.Poll(0); return c.State() == transport.Closed })
	return c.CloseReason()
}

func TestDialThatCannotSucceed(t *testing.T) {
	before := runtime.NumGoroutine()
	l := listen(t, open(dtls.Config{}))
	silent := localSocket(t) // receives everything and never answers
	defer silent.Close()
	// This socket accepts nothing from other senders, and no other socket gets its port.
	gone := connected(t, silent.LocalAddr())
	defer gone.Close()
	full := listen(t, dtls.Config{HalfOpen: 1, Handshakes: dtls.Rate{PerSecond: 1, Burst: 1}, HandshakeTimeout: time.Hour})
	r := newRelay(t, full.Addr())
	// The handshake of this connection never ends.
	r.setDrop(func(b []byte, up bool) bool { return up && b[0] != 22 || !up && len(b) > 200 })
	dial(t, full, r.addr(), dtls.Config{HandshakeTimeout: time.Second, DialTimeout: time.Minute})
	until(t, "the server has its hands full", func() bool { return full.Stats().Pending == 1 })

	other := joinlink.FingerprintOf([]byte("another certificate"))
	t.Run("all", func(t *testing.T) {
		for name, test := range map[string]struct {
			addr    string
			pin     joinlink.Fingerprint
			timeout time.Duration
			code    transport.Code
			text    string
		}{
			"another certificate":  {l.Addr(), other, time.Minute, transport.Unauthorized, "ask for a new link"},
			"no fingerprint":       {l.Addr(), joinlink.Fingerprint{}, 0, transport.Unauthorized, "use the join link"},
			"a server that is off": {gone.LocalAddr().String(), other, 0, transport.Failed, "start the server"},
			"no answer":            {silent.LocalAddr().String(), other, 300 * time.Millisecond, transport.TimedOut, "firewall"},
			"no time to try":       {silent.LocalAddr().String(), other, time.Nanosecond, transport.TimedOut, "firewall"},
			"a busy server":        {full.Addr(), full.Fingerprint(), 3 * time.Second, transport.TimedOut, "try again later"},
			"no port":              {"127.0.0.1", other, 0, transport.Failed, "check the join link"},
			"a port too high":      {"127.0.0.1:70000", other, 0, transport.Failed, "check the join link"},
		} {
			if name == "a server that is off" && runtime.GOOS == "windows" {
				// Go drops the report of a closed port there: the server does not answer.
				test.timeout, test.code, test.text = 300*time.Millisecond, transport.TimedOut, "is the server running"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel() // they wait most of the time
				c := dtls.Dial(test.addr, test.pin, dtls.Config{DialTimeout: test.timeout})
				if c.State() != transport.Connecting {
					t.Errorf("Dial returned a connection that is %v", c.State())
				}
				if got := ends(t, c); got.Code != test.code || !strings.Contains(got.Text, test.text) || len(got.Text) > transport.MaxReasonText {
					t.Errorf("closed because %q, want %v with %q", got, test.code, test.text)
				}
				<-c.Done()
			})
		}
	})
	if _, ok := l.Accept(); ok {
		t.Error("the server has a connection to a client that refused it")
	}
	full.Close(transport.Reason{})
	<-full.Done()
	l.Close(transport.Reason{})
	<-l.Done()
	settle(t, before+4) // the relay's, and those of the client that dials through it
}

func TestCloseWhileConnecting(t *testing.T) {
	before := runtime.NumGoroutine()
	silent := localSocket(t)
	defer silent.Close()
	c := dtls.Dial(silent.LocalAddr().String(), joinlink.FingerprintOf(nil), dtls.Config{})
	c.Close(transport.Reason{Code: transport.Left, Text: "changed my mind"})
	if c.State() != transport.Closed || c.CloseReason().Text != "changed my mind" {
		t.Errorf("%v because of %q", c.State(), c.CloseReason())
	}
	<-c.Done()
	settle(t, before)
}

// connected returns a socket that is connected to an address.
func connected(t *testing.T, to net.Addr) *net.UDPConn {
	t.Helper()
	c, err := net.DialUDP("udp", nil, to.(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A client that proves its address and then sends nothing more is removed when its time is up.
func TestHandshakeThatStops(t *testing.T) {
	before := runtime.NumGoroutine()
	l, err := dtls.Listen("127.0.0.1:0", open(dtls.Config{HandshakeTimeout: 500 * time.Millisecond}))
	if err != nil {
		t.Fatal(err)
	}
	r := newRelay(t, l.Addr())
	// These are the server's datagrams of the handshake.
	r.setDrop(func(b []byte, up bool) bool { return !up && len(b) > 200 })
	c := dtls.Dial(r.addr(), l.Fingerprint(), dtls.Config{HandshakeTimeout: 500 * time.Millisecond})
	until(t, "two handshakes have run out", func() bool { return l.Stats().Failed >= 2 })
	if got := l.Stats(); got.Accepted != 0 {
		t.Errorf("counted %+v", got)
	}
	c.Close(transport.Reason{})
	<-c.Done()
	until(t, "nothing is left of them", func() bool { return l.Stats().Pending == 0 })
	// The failed handshake did not end the listener.
	client, server := join(t, l, l.Addr(), dtls.Config{HandshakeTimeout: time.Second, DialTimeout: time.Minute})
	exchange(t, client, server)
	l.Close(transport.Reason{})
	<-l.Done()
	client.Close(transport.Reason{})
	<-client.(*dtls.Conn).Done()
	settle(t, before+2) // the relay's
}
