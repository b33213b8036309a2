package linksim_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/transporttest"
)

const ms = time.Millisecond

func mustPath(t testing.TB, text string) linksim.Path {
	t.Helper()
	p, err := linksim.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustWrap(t testing.TB, inner transport.Conn, path string) *linksim.Conn {
	t.Helper()
	c, err := linksim.Wrap(inner, mustPath(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Under every condition, a wrapped connection is a transport like any other.
func TestConn(t *testing.T) {
	for _, condition := range []string{"", "delay=20ms jitter=20ms loss=10% dup=20% reorder=10% seed=1", "delay=20ms loss=15% ordered seed=2", "rate=200000 seed=3 | delay=50ms"} {
		t.Run(condition, func(t *testing.T) {
			transporttest.RunConn(t, func(t *testing.T) transporttest.Ends {
				a, b := loopback.Pair(loopback.Config{})
				wa, now := mustWrap(t, a, condition), time.Duration(0)
				return transporttest.Ends{A: wa, B: b, Pass: func() { now += ms; wa.Poll(now); b.Poll(now) }}
			})
			transporttest.RunConn(t, func(t *testing.T) transporttest.Ends {
				a, b := loopback.Pair(loopback.Config{})
				wb, now := mustWrap(t, b, condition), time.Duration(0)
				return transporttest.Ends{A: a, B: wb, Pass: func() { now += ms; a.Poll(now); wb.Poll(now) }}
			})
		})
	}
}

func TestListener(t *testing.T) {
	transporttest.RunListener(t, func(t *testing.T) transporttest.Host {
		inner, now := loopback.Listen(loopback.Config{}), time.Duration(0)
		l, err := linksim.WrapListener(inner, mustPath(t, "delay=30ms jitter=10ms loss=10% seed=5"))
		if err != nil {
			t.Fatal(err)
		}
		return transporttest.Host{
			Listener: l, Dial: func() transport.Conn { return inner.Dial() },
			Pass: func(conns ...transport.Conn) {
				now += ms
				l.Poll(now)
				for _, c := range conns {
					c.Poll(now)
				}
			},
		}
	})
}

func TestBothDirectionsHaveTheirOwnCondition(t *testing.T) {
	a, b := loopback.Pair(loopback.Config{})
	w := mustWrap(t, a, "delay=30ms | delay=70ms")
	buf := make([]byte, w.MTU())
	var there, back time.Duration
	for now := time.Duration(0); now < time.Second; now += ms {
		w.Poll(now)
		b.Poll(now)
		if now == 0 {
			if err := w.Send([]byte{1}); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := b.Recv(buf); ok {
			there = now
			if err := b.Send([]byte{2}); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := w.Recv(buf); ok {
			back = now - there
		}
	}
	if there != 30*ms || back != 70*ms {
		t.Errorf("%v there and %v back, want 30 ms and 70 ms", there, back)
	}
}

// However rarely its owner polls, the times of arrival are right: a datagram travels from the time
// at which it was sent, and reports when it arrived.
func TestTimesOfArrivalDoNotDependOnPolls(t *testing.T) {
	for _, every := range []time.Duration{ms, 16 * ms, 33 * ms, 400 * ms} {
		a, b := loopback.Pair(loopback.Config{})
		w := mustWrap(t, a, "delay=70ms")
		buf := make([]byte, w.MTU())
		next := 0
		for now := time.Duration(0); now <= 2*time.Second; now += ms {
			b.Poll(now)
			if now%(10*ms) == 0 && now < time.Second {
				if err := b.Send([]byte{byte(now / (10 * ms))}); err != nil {
					t.Fatal(err)
				}
			}
			if now%every != 0 {
				continue
			}
			w.Poll(now)
			for {
				n, at, ok := w.RecvAt(buf)
				if !ok {
					break
				}
				if want := time.Duration(buf[0])*10*ms + 70*ms; n != 1 || int(buf[0]) != next || at != want || at > now {
					t.Errorf("looking every %v at %v: datagram %d arrived at %v, want %d at %v", every, now, buf[0], at, next, want)
				}
				next++
			}
		}
		if next != 100 {
			t.Errorf("looking every %v: %d datagrams, want 100", every, next)
		}
	}
}

func TestDirectionsAndConnectionsLoseDifferently(t *testing.T) {
	send, receive, err := mustPath(t, "loss=50% seed=1").Links()
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for range 1000 {
		before := [2]int{send.Len(), receive.Len()}
		send.Push(0, []byte{1})
		receive.Push(0, []byte{1})
		if send.Len()-before[0] == receive.Len()-before[1] {
			same++
		}
	}
	if same < 400 || same > 600 {
		t.Errorf("%d of 1000 share their fate, want about half", same)
	}
}

func TestConnectionsOfOneListenerLoseDifferently(t *testing.T) {
	inner := loopback.Listen(loopback.Config{})
	l, err := linksim.WrapListener(inner, mustPath(t, "loss=50% seed=1"))
	if err != nil {
		t.Fatal(err)
	}
	var clients, servers [2]transport.Conn
	for i := range clients {
		clients[i] = inner.Dial()
		l.Poll(0)
		servers[i], _ = l.Accept()
		clients[i].Poll(0)
	}
	buf, same := make([]byte, transport.MaxMTU), 0
	for range 1000 {
		var got [2]bool
		for i := range clients {
			if err := servers[i].Send([]byte{1}); err != nil {
				t.Fatal(err)
			}
			_, got[i] = clients[i].Recv(buf)
		}
		if got[0] == got[1] {
			same++
		}
	}
	if same < 400 || same > 600 {
		t.Errorf("%d of 1000 datagrams to two clients share their fate, want about half", same)
	}
}

// waited gives a connection or a listener an end for which a program may wait.
type waited struct{ done chan struct{} }

func (w waited) Done() <-chan struct{} { return w.done }

// A program that waits for the end of a wrapped connection or listener waits for that of the inner
// one, and not at all if that has nothing to wait for.
func TestDoneIsThatOfTheInnerEnd(t *testing.T) {
	a, _ := loopback.Pair(loopback.Config{})
	l := loopback.Listen(loopback.Config{})
	done := make(chan struct{})
	wrapListener := func(inner transport.Listener) *linksim.Listener {
		wrapped, err := linksim.WrapListener(inner, linksim.Path{})
		if err != nil {
			t.Fatal(err)
		}
		return wrapped
	}
	type waiter interface{ Done() <-chan struct{} }
	waiting := []waiter{
		mustWrap(t, struct {
			transport.Conn
			waited
		}{a, waited{done}}, ""),
		wrapListener(struct {
			transport.Listener
			waited
		}{l, waited{done}}),
	}
	ended := func(w waiter) bool {
		select {
		case <-w.Done():
			return true
		default:
			return false
		}
	}
	for _, w := range waiting {
		if ended(w) {
			t.Errorf("%T has ended before the inner one", w)
		}
	}
	close(done)
	for _, w := range append(waiting, mustWrap(t, a, ""), wrapListener(l)) {
		if !ended(w) {
			t.Errorf("%T does not end", w)
		}
	}
}

func TestWrapRefusesNonsense(t *testing.T) {
	a, _ := loopback.Pair(loopback.Config{})
	bad := linksim.Path{Send: linksim.Condition{Loss: -1}}
	if _, err := linksim.Wrap(a, bad); err == nil {
		t.Error("Wrap took a loss of -1")
	}
	if _, err := linksim.WrapListener(loopback.Listen(loopback.Config{}), bad); err == nil {
		t.Error("WrapListener took a loss of -1")
	}
	w := mustWrap(t, a, "delay=5ms seed=1")
	if err := w.SetPath(linksim.Path{Receive: bad.Send}); err == nil || w.Path().Send.Delay != 5*ms {
		t.Errorf("SetPath gave %v and left %v, want an error and no change", err, w.Path())
	}
	if err := w.SetPath(mustPath(t, "delay=6ms")); err != nil || w.Path().Receive.Delay != 6*ms {
		t.Errorf("SetPath gave %v and left %v, want 6 ms", err, w.Path())
	}
}

// A slow reader on an ordered path causes a queue that the sender can see.
func TestOrderedBacklogIsVisible(t *testing.T) {
	a, _ := loopback.Pair(loopback.Config{})
	w := mustWrap(t, a, "rate=1000 queue=2000 ordered | seed=0")
	full := 0
	for range 30 {
		if err := w.Send(make([]byte, 100)); errors.Is(err, transport.ErrQueueFull) {
			full++
		}
	}
	if s := w.Stats(); s.SendQueued != 20 || s.SendQueuedBytes != 2000 || full != 10 || s.SendDropped != 10 {
		t.Errorf("%d refused, %+v, want 20 datagrams waiting and 10 refused", full, s)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	a, b := loopback.Pair(loopback.Config{})
	w := mustWrap(t, a, "delay=50ms jitter=10ms loss=5% dup=5% seed=1")
	buf, now := make([]byte, w.MTU()), time.Duration(0)
	step := func() {
		now += 5 * ms
		w.Poll(now)
		b.Poll(now)
		_ = w.Send(buf)
		_ = b.Send(buf)
		for _, c := range []transport.Conn{w, b} {
			for {
				if _, ok := c.Recv(buf); !ok {
					break
				}
			}
		}
	}
	for range 5000 {
		step()
	}
	if allocs := testing.AllocsPerRun(1000, step); allocs != 0 {
		t.Errorf("%v allocations per step, want 0", allocs)
	}
}

func ExampleWrap() {
	client, server := loopback.Pair(loopback.Config{})
	path, err := linksim.ParsePath("delay=100ms jitter=10ms loss=15% seed=7")
	if err != nil {
		fmt.Println(err)
		return
	}
	bad, err := linksim.Wrap(client, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	buf, arrived := make([]byte, server.MTU()), 0
	for now := time.Duration(0); now < 10*time.Second; now += 10 * time.Millisecond {
		bad.Poll(now)
		bad.Send([]byte("hello"))
		server.Poll(now)
		for {
			if _, ok := server.Recv(buf); !ok {
				break
			}
			arrived++
		}
	}
	send, _ := bad.Links()
	fmt.Println("sent 1000, lost", send.Stats().Lost, "arrived", arrived, "on the way", send.Len())
	// Output: sent 1000, lost 133 arrived 858 on the way 9
}

func ExampleLink() {
	condition, err := linksim.Parse("delay=50ms cut=1s:500ms")
	if err != nil {
		fmt.Println(err)
		return
	}
	link, err := linksim.NewLink(condition)
	if err != nil {
		fmt.Println(err)
		return
	}
	link.Push(900*time.Millisecond, []byte("before"))
	link.Push(1200*time.Millisecond, []byte("during"))
	link.Push(1500*time.Millisecond, []byte("after"))
	for {
		datagram, at, ok := link.Pop(2 * time.Second)
		if !ok {
			break
		}
		fmt.Println(at, string(datagram))
	}
	fmt.Println(link.Condition())
	// Output:
	// 950ms before
	// 1.55s after
	// delay=50ms cut=1s:500ms seed=0
}
