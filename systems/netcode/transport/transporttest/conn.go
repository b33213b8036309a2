// Package transporttest holds the tests that every implementation of [transport.Conn] and
// [transport.Listener] has to pass.
package transporttest

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Ends is an open connection, together with a function that lets time pass for it.
type Ends struct {
	A, B transport.Conn
	// Pass lets a little time pass and polls both ends: about a millisecond, real or virtual.
	Pass func()
}

// patience is how often tests let time pass before they fail. Sockets on one machine are quick, but
// a slow machine needs half a minute and more.
const patience = 50_000

// until lets time pass until the condition holds, and fails the test if it never does.
func until(t testing.TB, pass func(), what string, condition func() bool) {
	t.Helper()
	for range patience {
		if condition() {
			return
		}
		pass()
	}
	t.Fatalf("gave up waiting until %s", what)
}

// RunConn runs the tests. connect returns a new open connection, and registers with t.Cleanup the
// functions that release it. The connection may lose datagrams now and then, or deliver some twice,
// but not most of them.
func RunConn(t *testing.T, connect func(t *testing.T) Ends) {
	for name, test := range map[string]func(*testing.T, Ends){
		"Sizes": sizes, "RefusedDatagrams": refused, "SendCopies": sendCopies, "ShortBufferPanics": shortBuffer, "EmptyRecv": emptyRecv,
		"CloseTellsTheReason": closeTells, "FirstCloseCounts": firstClose, "RecvAfterRemoteClose": recvAfterClose, "FloodDoesNotBlock": flood,
		"Stats": statistics, "TimeGoingBack": timeBack, "TimesOfArrival": arrivals,
	} {
		t.Run(name, func(t *testing.T) { test(t, connect(t)) })
	}
}

// offer sends a datagram, and returns false if there is no room for it, since the sending goroutine
// may not have run for long.
func offer(t testing.TB, c transport.Conn, datagram []byte) bool {
	t.Helper()
	err := c.Send(datagram)
	if err != nil && !errors.Is(err, transport.ErrQueueFull) {
		t.Fatalf("Send of %d bytes: %v", len(datagram), err)
	}
	return err == nil
}

// transfer sends the datagram again and again until it arrives, and fails if it never does.
func transfer(t testing.TB, e Ends, from, to transport.Conn, datagram []byte) {
	t.Helper()
	until(t, e.Pass, "a datagram arrives", func() bool {
		offer(t, from, datagram)
		e.Pass()
		return slices.Contains(received(to), string(datagram))
	})
}

// received receives everything that has arrived.
func received(c transport.Conn) (all []string) {
	buf := make([]byte, c.MTU())
	for n, ok := c.Recv(buf); ok; n, ok = c.Recv(buf) {
		all = append(all, string(buf[:n]))
	}
	return all
}

// closes waits until the other end has closed the connection, and checks the reason.
func closes(t testing.TB, pass func(), c transport.Conn, want transport.Reason) {
	t.Helper()
	until(t, pass, "the connection is closed", func() bool { return c.State() == transport.Closed })
	if got := c.CloseReason(); got != want {
		t.Errorf("the connection ended for the reason %q, want %q", got, want)
	}
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + n)
	}
	return b
}

func sizes(t *testing.T, e Ends) {
	for _, c := range []transport.Conn{e.A, e.B} {
		if mtu := c.MTU(); mtu < 1 || mtu > transport.MaxMTU {
			t.Fatalf("MTU is %d, want 1 to %d", mtu, transport.MaxMTU)
		}
		if c.State() != transport.Open || c.CloseReason() != (transport.Reason{}) {
			t.Fatalf("state %v with reason %q, want open without one", c.State(), c.CloseReason())
		}
		if c.RemoteAddr() == "" {
			t.Error("the remote address is empty")
		}
	}
	for _, n := range []int{1, 2, 100, e.A.MTU() - 1, e.A.MTU()} {
		transfer(t, e, e.A, e.B, pattern(n))
		transfer(t, e, e.B, e.A, pattern(n))
	}
}

func refused(t *testing.T, e Ends) {
	if err := e.A.Send(make([]byte, e.A.MTU()+1)); !errors.Is(err, transport.ErrTooLarge) {
		t.Errorf("Send of MTU+1 bytes returned %v, want ErrTooLarge", err)
	}
	if err := e.A.Send(nil); !errors.Is(err, transport.ErrEmpty) {
		t.Errorf("Send of nothing returned %v, want ErrEmpty", err)
	}
	if got := e.A.Stats().Sent; got != 0 {
		t.Errorf("%d counted as sent, want none", got)
	}
	transfer(t, e, e.A, e.B, []byte("still alive"))
}

func sendCopies(t *testing.T, e Ends) {
	until(t, e.Pass, "a datagram arrives", func() bool {
		buf := bytes.Repeat([]byte{1}, 100)
		offer(t, e.A, buf)
		clear(buf)
		e.Pass()
		got := received(e.B)
		if slices.ContainsFunc(got, func(s string) bool { return s != strings.Repeat("\x01", 100) }) {
			t.Fatalf("received %q: Send kept the caller's bytes", got)
		}
		return len(got) > 0
	})
}

func shortBuffer(t *testing.T, e Ends) {
	defer func() {
		if recover() == nil {
			t.Error("Recv into a buffer shorter than the MTU did not panic")
		}
	}()
	e.A.Recv(make([]byte, e.A.MTU()-1))
}

func emptyRecv(t *testing.T, e Ends) {
	e.Pass()
	if n, ok := e.A.Recv(make([]byte, e.A.MTU())); n != 0 || ok {
		t.Errorf("Recv without a datagram returned %d, %v, want 0, false", n, ok)
	}
}

func closeTells(t *testing.T, e Ends) {
	transfer(t, e, e.A, e.B, []byte("hello"))
	want := transport.Reason{Code: transport.Kicked, Text: "sent too fast"}
	e.A.Close(want)
	if e.A.State() != transport.Closed || e.A.CloseReason() != want {
		t.Errorf("the closing end is %v with reason %q, want closed with %q at once", e.A.State(), e.A.CloseReason(), want)
	}
	if err := e.A.Send([]byte{1}); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("Send after Close returned %v, want ErrClosed", err)
	}
	closes(t, e.Pass, e.B, want)
	if err := e.B.Send([]byte{1}); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("Send after the remote close returned %v, want ErrClosed", err)
	}
	e.B.Close(transport.Reason{Code: transport.Left})
	if got := e.B.CloseReason(); got != want {
		t.Errorf("after its own Close the other end says %q, want it to keep %q", got, want)
	}
}

func firstClose(t *testing.T, e Ends) {
	transfer(t, e, e.B, e.A, []byte("hello"))
	for range 10 { // these wait for Recv, or are under way
		offer(t, e.B, []byte("too late"))
		e.Pass()
	}
	e.A.Close(transport.Reason{})
	e.A.Close(transport.Reason{Code: transport.Kicked})
	if got := e.A.CloseReason(); got.Code != transport.Left {
		t.Errorf("the reason is %q, want left: the first Close counts, and the zero reason means that", got)
	}
	if _, ok := e.A.Recv(make([]byte, e.A.MTU())); ok {
		t.Error("Recv returned a datagram after Close")
	}
}

func recvAfterClose(t *testing.T, e Ends) {
	transfer(t, e, e.A, e.B, []byte("hello"))
	// Datagrams that Send accepted before Close reach the other end, unless the network loses them.
	// At least one of these arrives for certain.
	const n = 20
	for range n {
		until(t, e.Pass, "there is room for a datagram", func() bool { return offer(t, e.A, []byte("last words")) })
	}
	e.A.Close(transport.Reason{Code: transport.Left})
	closes(t, e.Pass, e.B, transport.Reason{Code: transport.Left})
	if !slices.Contains(received(e.B), "last words") {
		t.Errorf("none of %d datagrams that were sent before the close arrived", n)
	}
}

func flood(t *testing.T, e Ends) {
	datagram := pattern(e.A.MTU())
	const n = 20_000
	full := 0
	for range n {
		if err := e.A.Send(datagram); errors.Is(err, transport.ErrQueueFull) {
			full++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if s := e.A.Stats(); s.SendDropped < uint64(full) || s.Sent+s.SendDropped < n {
		t.Errorf("%d refused of %d, but the statistics say %+v", full, n, s)
	}
	e.Pass()
	got := received(e.B)
	if len(got) > 2*n {
		t.Errorf("%d arrived of %d sent", len(got), n)
	}
	if slices.ContainsFunc(got, func(s string) bool { return s != string(datagram) }) {
		t.Error("a datagram came out that nobody sent")
	}
}

func statistics(t *testing.T, e Ends) {
	transfer(t, e, e.A, e.B, pattern(50))
	sent, received := e.A.Stats(), e.B.Stats()
	if sent.Sent == 0 || sent.SentBytes != 50*sent.Sent {
		t.Errorf("sent counts %d datagrams, %d bytes, want 50 bytes each", sent.Sent, sent.SentBytes)
	}
	if received.Received == 0 || received.Received > 2*sent.Sent || received.ReceivedBytes != 50*received.Received {
		t.Errorf("received counts %d datagrams, %d bytes of %d sent, want 50 bytes each", received.Received, received.ReceivedBytes, sent.Sent)
	}
}

func timeBack(t *testing.T, e Ends) {
	transfer(t, e, e.A, e.B, []byte("before"))
	e.A.Poll(-time.Hour)
	e.B.Poll(-time.Hour)
	transfer(t, e, e.B, e.A, []byte("after"))
}

// arrivals checks that times of arrival are in order, and not later than the last Poll of their
// end. The test sets the times of Poll itself.
func arrivals(t *testing.T, e Ends) {
	b, ok := e.B.(transport.Stamper)
	if !ok {
		t.Fatal("the connection is no Stamper")
	}
	const ahead = 24 * time.Hour // beyond all times that Pass has set and will set
	buf := make([]byte, b.MTU())
	last, got := time.Duration(-1<<62), 0
	now := ahead
	until(t, e.Pass, "ten datagrams arrive", func() bool {
		offer(t, e.A, []byte("when?"))
		e.Pass()
		now += time.Millisecond
		b.Poll(now)
		for _, at, ok := b.RecvAt(buf); ok; _, at, ok = b.RecvAt(buf) {
			if at < last || at > now {
				t.Fatalf("one arrived at %v after one at %v, and the time is %v", at, last, now)
			}
			last = at
			got++
		}
		return got >= 10
	})
}
