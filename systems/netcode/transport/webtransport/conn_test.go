//go:build !js

package webtransport_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/sockettest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/transporttest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

var (
	generous    = sockettest.Generous
	until       = sockettest.Until
	settle      = sockettest.Settle
	exchange    = sockettest.Exchange
	localSocket = sockettest.LocalSocket
)

func open(c webtransport.Config) webtransport.Config {
	if c.HandshakeTimeout == 0 {
		c.HandshakeTimeout = 30 * time.Second // the slowest machine
	}
	c.Handshakes, c.NetworkHandshakes = generous, generous
	return c
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
	return client, sockettest.Accept(t, l, client)
}

func TestConn(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("all", func(t *testing.T) {
		l := listen(t, open(webtransport.Config{}))
		transporttest.RunConn(t, func(t *testing.T) transporttest.Ends {
			client, server := join(t, l, l.Addr(), webtransport.Config{})
			return sockettest.Ends(client, server)
		})
	})
	settle(t, before)
}

func TestListener(t *testing.T) {
	transporttest.RunListener(t, func(t *testing.T) transporttest.Host {
		l := listen(t, open(webtransport.Config{}))
		return sockettest.Host(l, func() transport.Conn { return dial(t, l, l.Addr(), webtransport.Config{}) })
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
