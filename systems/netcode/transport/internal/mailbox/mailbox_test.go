package mailbox_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/transporttest"
)

var config = mailbox.Config{Name: "test", MTU: 1200, Overhead: 50, Send: 64, Receive: 64, Remote: "there"}

// wire carries datagrams and the close reason from one worker to the other, as a transport's
// goroutines do.
func wire(from, to *mailbox.Worker, wg *sync.WaitGroup) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer from.Finish()
		from.SendAll(nil, func(b []byte) error { to.Deliver(b); return nil })
		reason, _ := from.Reason()
		to.End(reason)
	}()
}

func TestConn(t *testing.T) {
	transporttest.RunConn(t, func(t *testing.T) transporttest.Ends {
		a, wa := mailbox.New(config, transport.Open)
		b, wb := mailbox.New(config, transport.Open)
		var wg sync.WaitGroup
		wire(wa, wb, &wg)
		wire(wb, wa, &wg)
		t.Cleanup(func() { a.Close(transport.Reason{}); b.Close(transport.Reason{}); wg.Wait(); <-a.Done(); <-b.Done() })
		return transporttest.Ends{A: a, B: b, Pass: func() { time.Sleep(time.Millisecond / 4); a.Poll(0); b.Poll(0) }}
	})
}

func TestStateIsThatOfTheLastPoll(t *testing.T) {
	c, w := mailbox.New(config, transport.Connecting)
	if err := c.Send([]byte{1}); !errors.Is(err, transport.ErrNotOpen) {
		t.Errorf("Send while connecting returned %v", err)
	}
	w.Open()
	if c.State() != transport.Connecting {
		t.Error("the state changed without Poll")
	}
	if c.Poll(0); c.State() != transport.Open {
		t.Errorf("the state is %v, want open", c.State())
	}
	w.Deliver([]byte("before"))
	w.End(transport.Reason{Code: transport.Kicked})
	w.End(transport.Reason{Code: transport.Failed})
	w.Deliver([]byte("after"))
	if c.State() != transport.Open || c.Send([]byte{1}) != nil {
		t.Error("the end showed before Poll")
	}
	if c.Poll(0); c.State() != transport.Closed || c.CloseReason().Code != transport.Kicked {
		t.Errorf("%v because of %q, want closed and kicked", c.State(), c.CloseReason())
	}
	buf := make([]byte, c.MTU())
	if n, ok := c.Recv(buf); !ok || string(buf[:n]) != "before" {
		t.Errorf("received %q, %v, want what arrived before the end", buf[:n], ok)
	}
	if _, ok := c.Recv(buf); ok {
		t.Error("received what arrived after the end")
	}
	w.Open()
	if c.Poll(0); c.State() != transport.Closed {
		t.Error("an ended connection opened")
	}
	select {
	case <-w.Context().Done():
	default:
		t.Error("the worker does not learn of the end")
	}
	if _, byOwner := w.Reason(); byOwner {
		t.Error("the other end's close counts as the owner's")
	}
	w.Finish()
	<-c.Done()
}

// An owner that does not receive for a while gets the newest datagrams afterwards, and the
// statistics show the loss.
func TestReceiveQueueKeepsTheNewest(t *testing.T) {
	c, w := mailbox.New(mailbox.Config{Name: "test", MTU: 10, Send: 1, Receive: 8}, transport.Open)
	for i := range 20 {
		w.Deliver([]byte{byte(i)})
	}
	w.Deliver(make([]byte, 11))
	w.Deliver(nil)
	buf := make([]byte, 10)
	for want := byte(12); want < 20; want++ {
		if n, ok := c.Recv(buf); !ok || n != 1 || buf[0] != want {
			t.Errorf("received %v, %v, want %d", buf[:n], ok, want)
		}
	}
	if s := c.Stats(); s.ReceiveDropped != 12+2 || s.Received != 8 {
		t.Errorf("%+v, want 8 received, 12 pushed out, and 2 of a size that cannot be", s)
	}
}

func TestSendQueueRefusesTheNewest(t *testing.T) {
	c, w := mailbox.New(mailbox.Config{Name: "test", MTU: 10, Send: 2, Receive: 1, Overhead: 7}, transport.Open)
	for i, want := range []error{nil, nil, transport.ErrQueueFull, transport.ErrQueueFull} {
		if err := c.Send([]byte{byte(i), 0}); !errors.Is(err, want) {
			t.Errorf("Send %d returned %v, want %v", i, err, want)
		}
	}
	if s := c.Stats(); s != (transport.Stats{Sent: 2, SentBytes: 4, SendDropped: 2, SendQueued: 2, SendQueuedBytes: 4, Overhead: 7}) {
		t.Errorf("%+v", s)
	}
	buf := make([]byte, 10)
	if n, ok := w.Take(buf); !ok || n != 2 || buf[0] != 0 {
		t.Errorf("took %v, %v, want the oldest", buf[:n], ok)
	}
	c.Close(transport.Reason{})
	w.SendAll([]byte("tag"), func(b []byte) error {
		if string(b) != "tag\x01\x00" {
			t.Errorf("sends %q, want the other one behind the tag", b)
		}
		return errors.New("the network does not take it")
	})
	w.Finish()
	if s := c.Stats(); s.SendDropped != 3 || s.SendQueued != 0 {
		t.Errorf("%+v, want 3 dropped: two refused, one that the network did not take", s)
	}
	c, w = mailbox.New(config, transport.Open)
	if err := c.Send([]byte{1}); err != nil {
		t.Fatal(err)
	}
	c.Close(transport.Reason{})
	w.Finish() // one still waits
	if s := c.Stats(); s.SendDropped != 1 || s.SendQueued != 0 {
		t.Errorf("%+v, want the one that was left over dropped", s)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	c, w := mailbox.New(config, transport.Open)
	datagram, buf := make([]byte, config.MTU), make([]byte, config.MTU)
	step := func() {
		c.Poll(0)
		for range 4 {
			if c.Send(datagram) != nil {
				t.Fatal("refused")
			}
			w.Deliver(datagram)
		}
		for range 4 {
			w.Take(buf)
			c.Recv(buf)
		}
	}
	for range 20 {
		step()
	}
	if allocs := testing.AllocsPerRun(1000, step); allocs != 0 {
		t.Errorf("%v allocations per step, want 0", allocs)
	}
}

func TestFinishBeforeTheEndPanics(t *testing.T) {
	_, w := mailbox.New(config, transport.Open)
	defer func() {
		if recover() == nil {
			t.Error("did not panic")
		}
	}()
	w.Finish()
}

// A datagram arrives when the goroutine has received it. The time is on the epoch of Poll, whose
// first call at a time compares the two clocks. It is never later than that Poll's time, and never
// earlier than the time before.
func TestTimesOfArrival(t *testing.T) {
	const ms = time.Millisecond
	clock := time.Hour
	config := mailbox.Config{Name: "test", MTU: 10, Send: 1, Receive: 8, Clock: func() time.Duration { return clock }}
	c, w := mailbox.New(config, transport.Open)
	deliver := func(at time.Duration) {
		clock = at
		w.Deliver([]byte{1})
	}
	buf := make([]byte, 10)
	expect := func(want time.Duration) {
		t.Helper()
		if n, at, ok := c.RecvAt(buf); n != 1 || at != want || !ok {
			t.Errorf("RecvAt returned %d bytes at %v, %v; want 1 at %v", n, at, ok, want)
		}
	}
	clock = time.Hour + 100*ms
	c.Poll(100 * ms)
	deliver(time.Hour + 104*ms)
	deliver(time.Hour + 120*ms)
	clock = time.Hour + 133*ms
	c.Poll(133 * ms)
	expect(104 * ms)
	expect(120 * ms)
	deliver(time.Hour + 140*ms) // during the same frame
	c.Poll(133 * ms)
	expect(133 * ms)
	deliver(time.Hour + 150*ms)
	clock = time.Hour + 300*ms // a frame for which the host reports less time
	c.Poll(166 * ms)
	expect(133 * ms)
	if _, _, ok := c.RecvAt(buf); ok {
		t.Error("RecvAt returned a datagram that nobody sent")
	}
}

// Too much without a datagram ends the connection, and its owner gets the reason.
func TestOverdone(t *testing.T) {
	c, w := mailbox.New(config, transport.Open)
	if !w.Deliver([]byte{1}) || w.Deliver(nil) || w.Deliver(make([]byte, config.MTU+1)) {
		t.Error("a datagram is one of 1 to MTU bytes")
	}
	if w.Overdone(); w.Cost() != 1 {
		t.Errorf("a datagram costs %d, want 1", w.Cost())
	}
	if c.Poll(0); c.State() != transport.Closed || c.CloseReason().Code != transport.Overload {
		t.Errorf("%v because of %q, want closed and overload", c.State(), c.CloseReason())
	}
	if transport.SetUntrusted(c, true); w.Cost() != 10 {
		t.Errorf("a stranger's datagram costs %d, want 10", w.Cost())
	}
	if transport.SetUntrusted(c, false); w.Cost() != 1 {
		t.Errorf("a datagram costs %d again, want 1", w.Cost())
	}
}

// With Displace a full queue towards the network takes the newest datagrams and drops the oldest.
func TestDisplace(t *testing.T) {
	owner, worker := mailbox.New(mailbox.Config{Name: "test", MTU: 8, Send: 2, Displace: true, Receive: 2}, transport.Open)
	for _, b := range []string{"a", "b", "c", "d"} {
		if err := owner.Send([]byte(b)); err != nil {
			t.Fatal(err)
		}
	}
	if s := owner.Stats(); s.Sent != 4 || s.SendDropped != 2 || s.SendQueued != 2 {
		t.Errorf("counted %+v", s)
	}
	buf := make([]byte, 8)
	for _, want := range []string{"c", "d"} {
		if n, ok := worker.Take(buf); !ok || string(buf[:n]) != want {
			t.Errorf("took %q, %v; want %q", buf[:n], ok, want)
		}
	}
}
