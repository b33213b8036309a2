//go:build !js

package websocket_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/sockettest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/transporttest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

var (
	generous = sockettest.Generous
	until    = sockettest.Until
	settle   = sockettest.Settle
)

func open(c websocket.Config) websocket.Config {
	if c.HandshakeTimeout == 0 {
		c.HandshakeTimeout = 30 * time.Second // the slowest machine
	}
	c.Upgrades, c.NetworkUpgrades = generous, generous
	return c
}

func listen(t testing.TB, c websocket.Config) *websocket.Listener {
	t.Helper()
	l, err := websocket.Listen("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close(transport.Reason{Code: transport.Shutdown})
		<-l.Done()
	})
	return l
}

func dial(t testing.TB, url string, c websocket.Config) *websocket.Conn {
	t.Helper()
	if c.DialTimeout == 0 {
		c.DialTimeout = time.Minute // the slowest machine
	}
	conn := websocket.Dial(url, c)
	t.Cleanup(func() {
		conn.Close(transport.Reason{})
		<-conn.Done()
	})
	return conn
}

// accept waits for the next connection.
func accept(t testing.TB, l *websocket.Listener) (server transport.Conn) {
	t.Helper()
	until(t, "a client is accepted", func() bool {
		l.Poll(0)
		server, _ = l.Accept()
		return server != nil
	})
	return server
}

// join returns both ends of a new connection.
func join(t testing.TB, l *websocket.Listener, url string, c websocket.Config) (client, server transport.Conn) {
	t.Helper()
	client = dial(t, url, c)
	return client, sockettest.Accept(t, l, client)
}

// ends waits until a connection has closed, and returns why.
func ends(t testing.TB, c transport.Conn) transport.Reason {
	t.Helper()
	until(t, "the connection is closed", func() bool { c.Poll(0); return c.State() == transport.Closed })
	return c.CloseReason()
}

// security returns the configuration of a server that encrypts with a new certificate, and of a
// client that verifies it.
func security(t testing.TB) (server, client websocket.Config) {
	t.Helper()
	certificate, err := dtls.GenerateCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	return open(websocket.Config{TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}}), websocket.Config{Fingerprint: dtls.FingerprintOf(certificate)}
}

func TestConn(t *testing.T) {
	secure, pinned := security(t)
	for name, test := range map[string]struct{ server, client websocket.Config }{
		"ws": {open(websocket.Config{}), websocket.Config{}}, "wss": {secure, pinned},
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			l, err := websocket.Listen("127.0.0.1:0", test.server)
			if err != nil {
				t.Fatal(err)
			}
			transporttest.RunConn(t, func(t *testing.T) transporttest.Ends {
				client, server := join(t, l, l.Addr(), test.client)
				return sockettest.Ends(client, server)
			})
			l.Close(transport.Reason{})
			<-l.Done()
			settle(t, before)
		})
	}
}

func TestListener(t *testing.T) {
	transporttest.RunListener(t, func(t *testing.T) transporttest.Host { return host(t, listen(t, open(websocket.Config{})), "") })
}

// The listener works as a handler of a program's own server, at a path of its own.
func TestHandler(t *testing.T) {
	transporttest.RunListener(t, func(t *testing.T) transporttest.Host {
		l := websocket.NewHandler(open(websocket.Config{}))
		mux := http.NewServeMux()
		mux.Handle("/arena", l)
		server := httptest.NewServer(mux)
		t.Cleanup(func() {
			l.Close(transport.Reason{})
			<-l.Done()
			server.Close()
		})
		return host(t, l, "ws"+strings.TrimPrefix(server.URL, "http")+"/arena")
	})
}

func host(t *testing.T, l *websocket.Listener, url string) transporttest.Host {
	if url == "" {
		url = l.Addr()
	}
	return sockettest.Host(l, func() transport.Conn { return dial(t, url, websocket.Config{}) })
}
