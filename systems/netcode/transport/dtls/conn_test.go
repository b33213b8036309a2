package dtls_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/transporttest"
)

// generous accepts all clients at once: all tests are from one network.
var generous = dtls.Rate{PerSecond: 100_000, Burst: 100_000}

func open(c dtls.Config) dtls.Config {
	if c.HandshakeTimeout == 0 {
		c.HandshakeTimeout = 30 * time.Second // the slowest machine
	}
	c.Handshakes, c.NetworkHandshakes, c.Cookies, c.NetworkCookies = generous, generous, generous, generous
	return c
}

// until polls until the condition holds, and fails the test if that takes far longer than it should
// on the slowest machine.
func until(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(time.Millisecond / 2) {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}

func listen(t testing.TB, c dtls.Config) *dtls.Listener {
	t.Helper()
	l, err := dtls.Listen("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close(transport.Reason{Code: transport.Shutdown})
		<-l.Done()
	})
	return l
}

func dial(t testing.TB, l *dtls.Listener, addr string, c dtls.Config) *dtls.Conn {
	t.Helper()
	if c.DialTimeout == 0 {
		c.DialTimeout, c.HandshakeTimeout = time.Minute, 30*time.Second // the slowest machine
	}
	conn := dtls.Dial(addr, l.Fingerprint(), c)
	t.Cleanup(func() {
		conn.Close(transport.Reason{})
		<-conn.Done()
	})
	return conn
}

// join returns both ends of a new connection through an address, which may be the listener's.
func join(t testing.TB, l *dtls.Listener, addr string, c dtls.Config) (client, server transport.Conn) {
	t.Helper()
	client = dial(t, l, addr, c)
	until(t, "both ends are open", func() bool {
		client.Poll(0)
		l.Poll(0)
		if server == nil {
			server, _ = l.Accept()
		}
		if client.State() == transport.Closed {
			t.Fatalf("the client was closed: %v", client.CloseReason())
		}
		return server != nil && client.State() == transport.Open
	})
	return client, server
}

// exchange sends datagrams from one end until one arrives at the other.
func exchange(t testing.TB, from, to transport.Conn) {
	t.Helper()
	buf := make([]byte, to.MTU())
	until(t, "a datagram arrives", func() bool {
		from.Poll(0)
		to.Poll(0)
		send(t, from, []byte("ping"))
		_, ok := to.Recv(buf)
		return ok
	})
}

// send sends a datagram, unless the queue is full because the sending goroutine has not run for
// long.
func send(t testing.TB, c transport.Conn, datagram []byte) {
	t.Helper()
	if err := c.Send(datagram); err != nil && !errors.Is(err, transport.ErrQueueFull) {
		t.Fatalf("Send: %v, because %v", err, c.CloseReason())
	}
}

// settle fails the test if the number of goroutines does not return to the earlier number.
func settle(t *testing.T, before int) {
	t.Helper()
	until(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before })
}

func TestConn(t *testing.T) {
	before := runtime.NumGoroutine()
	l, err := dtls.Listen("127.0.0.1:0", open(dtls.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	transporttest.RunConn(t, func(t *testing.T) transporttest.Ends {
		client, server := join(t, l, l.Addr(), dtls.Config{})
		return transporttest.Ends{A: server, B: client, Pass: func() { time.Sleep(time.Millisecond / 2); client.Poll(0); server.Poll(0) }}
	})
	l.Close(transport.Reason{})
	<-l.Done()
	settle(t, before)
}

func TestListener(t *testing.T) {
	transporttest.RunListener(t, func(t *testing.T) transporttest.Host {
		l := listen(t, open(dtls.Config{}))
		return transporttest.Host{
			Listener: l, Dial: func() transport.Conn { return dial(t, l, l.Addr(), dtls.Config{}) },
			Pass: func(conns ...transport.Conn) {
				time.Sleep(time.Millisecond / 2)
				l.Poll(0)
				for _, c := range conns {
					c.Poll(0)
				}
			},
		}
	})
}
