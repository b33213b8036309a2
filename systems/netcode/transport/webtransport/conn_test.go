//go:build !js

package webtransport_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/transporttest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

// generous accepts all clients at once: all tests are from one network.
var generous = webtransport.Rate{PerSecond: 100_000, Burst: 100_000}

func open(c webtransport.Config) webtransport.Config {
	if c.HandshakeTimeout == 0 {
		c.HandshakeTimeout = 30 * time.Second // the slowest machine
	}
	c.Handshakes, c.NetworkHandshakes = generous, generous
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

// server is a listener, and what its clients need to know.
type server struct {
	*webtransport.Listener
	pins []joinlink.Fingerprint
}

func certificates(t testing.TB) *webtransport.Certificates {
	t.Helper()
	c, err := webtransport.NewCertificates(nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func listen(t testing.TB, c webtransport.Config) server {
	t.Helper()
	if c.Certificates == nil {
		c.Certificates = certificates(t)
	}
	l, err := webtransport.Listen("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close(transport.Reason{Code: transport.Shutdown})
		<-l.Done()
	})
	pins, err := c.Certificates.Fingerprints()
	if err != nil {
		t.Fatal(err)
	}
	return server{l, pins}
}

func dial(t testing.TB, l server, address string, c webtransport.Config) *webtransport.Conn {
	t.Helper()
	if c.DialTimeout == 0 {
		c.DialTimeout = time.Minute // the slowest machine
	}
	if c.Pins == nil {
		c.Pins = l.pins
	}
	conn := webtransport.Dial(address, c)
	t.Cleanup(func() {
		conn.Close(transport.Reason{})
		<-conn.Done()
	})
	return conn
}

// join returns both ends of a new connection.
func join(t testing.TB, l server, address string, c webtransport.Config) (client, server transport.Conn) {
	t.Helper()
	client = dial(t, l, address, c)
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
		if err := from.Send([]byte("ping")); err != nil && !errors.Is(err, transport.ErrQueueFull) {
			t.Fatalf("Send: %v, because %v", err, from.CloseReason())
		}
		_, ok := to.Recv(buf)
		return ok
	})
}

// settle fails the test if the number of goroutines does not return to the earlier number.
func settle(t *testing.T, before int) {
	t.Helper()
	until(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before })
}

func TestConn(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("all", func(t *testing.T) {
		l := listen(t, open(webtransport.Config{}))
		transporttest.RunConn(t, func(t *testing.T) transporttest.Ends {
			client, server := join(t, l, l.Addr(), webtransport.Config{})
			return transporttest.Ends{A: server, B: client, Pass: func() { time.Sleep(time.Millisecond / 2); client.Poll(0); server.Poll(0) }}
		})
	})
	settle(t, before)
}

func TestListener(t *testing.T) {
	transporttest.RunListener(t, func(t *testing.T) transporttest.Host {
		l := listen(t, open(webtransport.Config{}))
		return transporttest.Host{
			Listener: l, Dial: func() transport.Conn { return dial(t, l, l.Addr(), webtransport.Config{}) },
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

// A client that knows the address alone reads the certificates from the web server on the same port
// number.
func TestDialAsksForTheCertificates(t *testing.T) {
	certificates := certificates(t)
	mux := http.NewServeMux()
	mux.Handle("/webtransport", certificates)
	for _, web := range []*httptest.Server{httptest.NewServer(mux), httptest.NewTLSServer(mux)} {
		defer web.Close()
		l, err := webtransport.Listen(web.Listener.Addr().String(), open(webtransport.Config{Certificates: certificates}))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close(transport.Reason{})
		config := webtransport.Config{}
		if strings.HasPrefix(web.URL, "https:") {
			config.Fingerprint = joinlink.FingerprintOf(web.Certificate().Raw)
		}
		config.Pins = nil
		conn := webtransport.Dial(web.URL+"/webtransport", config)
		until(t, "it is open", func() bool {
			conn.Poll(0)
			if conn.State() == transport.Closed {
				t.Fatalf("closed: %v", conn.CloseReason())
			}
			return conn.State() == transport.Open
		})
		conn.Close(transport.Reason{})
		<-conn.Done()
	}
}
