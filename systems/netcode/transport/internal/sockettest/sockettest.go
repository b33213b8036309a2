// Package sockettest holds what the tests of the transports over sockets share. They run in real
// time, and wait for conditions.
package sockettest

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/transporttest"
)

// Generous accepts all clients at once: all tests are from one network.
var Generous = admission.Rate{PerSecond: 100_000, Burst: 100_000}

// Until polls until the condition holds, and fails the test if that takes far longer than it should
// on the slowest machine.
func Until(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(time.Millisecond / 2) {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}

// Settle fails the test if the number of goroutines does not return to the earlier number.
func Settle(t testing.TB, before int) {
	t.Helper()
	Until(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before })
}

// Accept waits until a dialed client is open, and returns its other end.
func Accept(t testing.TB, l transport.Listener, client transport.Conn) (server transport.Conn) {
	t.Helper()
	Until(t, "both ends are open", func() bool {
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
	return server
}

// Send sends a datagram, unless the queue is full because the sending goroutine has not run for
// long.
func Send(t testing.TB, c transport.Conn, datagram []byte) {
	t.Helper()
	if err := c.Send(datagram); err != nil && !errors.Is(err, transport.ErrQueueFull) {
		t.Fatalf("Send: %v, because %v", err, c.CloseReason())
	}
}

// Exchange sends datagrams from one end until one arrives at the other.
func Exchange(t testing.TB, from, to transport.Conn) {
	t.Helper()
	buf := make([]byte, to.MTU())
	Until(t, "a datagram arrives", func() bool {
		from.Poll(0)
		to.Poll(0)
		Send(t, from, []byte("ping"))
		_, ok := to.Recv(buf)
		return ok
	})
}

// Ends returns an open connection for [transporttest.RunConn].
func Ends(client, server transport.Conn) transporttest.Ends {
	return transporttest.Ends{A: server, B: client, Pass: func() { time.Sleep(time.Millisecond / 2); client.Poll(0); server.Poll(0) }}
}

// Host returns a listener for [transporttest.RunListener].
func Host(l transport.Listener, dial func() transport.Conn) transporttest.Host {
	return transporttest.Host{Listener: l, Dial: dial, Pass: func(conns ...transport.Conn) {
		time.Sleep(time.Millisecond / 2)
		l.Poll(0)
		for _, c := range conns {
			c.Poll(0)
		}
	}}
}
