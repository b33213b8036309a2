package transport_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A connection's own times of arrival are used. Without them the time is that of the call.
func TestRecvAt(t *testing.T) {
	const ms = time.Millisecond
	for _, hidden := range []bool{false, true} {
		a, b := loopback.Pair(loopback.Config{})
		a.Poll(10 * ms)
		if err := a.Send([]byte("hello")); err != nil {
			t.Fatal(err)
		}
		b.Poll(40 * ms)
		conn, want := transport.Conn(b), 10*ms
		if hidden {
			conn, want = struct{ transport.Conn }{b}, 40*ms
		}
		buf := make([]byte, b.MTU())
		if n, at, ok := transport.RecvAt(conn, 40*ms, buf); n != 5 || at != want || !ok {
			t.Errorf("hidden %v: %d bytes at %v, %v; want 5 at %v", hidden, n, at, ok, want)
		}
		if n, _, ok := transport.RecvAt(conn, 40*ms, buf); n != 0 || ok {
			t.Errorf("hidden %v: %d bytes, %v though there is nothing more", hidden, n, ok)
		}
	}
}
