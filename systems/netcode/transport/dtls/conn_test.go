package dtls_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/sockettest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/transporttest"
)

var (
	generous    = sockettest.Generous
	until       = sockettest.Until
	settle      = sockettest.Settle
	exchange    = sockettest.Exchange
	localSocket = sockettest.LocalSocket
	send        = sockettest.Send
)

func open(c dtls.Config) dtls.Config {
	if c.HandshakeTimeout == 0 {
		c.HandshakeTimeout = 30 * time.Second // the slowest machine
	}
	c.Handshakes, c.NetworkHandshakes, c.Cookies, c.NetworkCookies = generous, generous, generous, generous
	return c
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
	return client, sockettest.Accept(t, l, client)
}

func TestConn(t *testing.T) {
	before := runtime.NumGoroutine()
	l, err := dtls.Listen("127.0.0.1:0", open(dtls.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	transporttest.RunConn(t, func(t *testing.T) transporttest.Ends {
		client, server := join(t, l, l.Addr(), dtls.Config{})
		return sockettest.Ends(client, server)
	})
	l.Close(transport.Reason{})
	<-l.Done()
	settle(t, before)
}

func TestListener(t *testing.T) {
	transporttest.RunListener(t, func(t *testing.T) transporttest.Host {
		l := listen(t, open(dtls.Config{}))
		return sockettest.Host(l, func() transport.Conn { return dial(t, l, l.Addr(), dtls.Config{}) })
	})
}
