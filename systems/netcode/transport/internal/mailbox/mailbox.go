// Package mailbox connects a connection's owner, which polls and never waits, with the connection's
// goroutines, which wait most of the time.
//
// The owner has a [Conn], which implements transport.Conn in full. The goroutines have the [Worker]
// of the same connection. Between the two are two bounded queues and a little state under one lock,
// which is never held during a wait.
package mailbox

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/fifo"
)

// Config describes a connection.
type Config struct {
	Name     string // of the transport's package, for panics
	MTU      int    // largest datagram
	Overhead int    // bytes on the wire in addition to each datagram; see [transport.Stats]
	Send     int    // maximum number of datagrams that wait for the network; Send refuses more
	// Receive is the maximum number of datagrams that wait for Recv. A further one displaces the
	// oldest, so that an owner gets the newest ones after a pause.
	Receive int
	Remote  string // the other end's address

	// Clock is a monotonic clock of any epoch, for any goroutine. It gives the times of arrival.
	// Nil: datagrams arrive at the owner's Poll.
	Clock func() time.Duration
}

// SystemClock returns a clock of this machine, for Config.Clock.
func SystemClock() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// box is the state that Conn and Worker share.
type box struct {
	config Config

	mu      sync.Mutex
	in      fifo.Queue[time.Duration] // with the times of arrival by the clock
	out     fifo.Queue[struct{}]
	stats   transport.Stats
	state   transport.State // as the goroutines left it
	reason  transport.Reason
	remote  string
	byOwner bool // the owner closed it

	untrusted atomic.Bool // as the owner has set it

	wake  chan struct{} // something waits to be sent
	ended chan struct{} // closed when the connection ends, for whatever reason
	done  chan struct{} // closed when the goroutines are gone
}

// Conn is the owner's side.
type Conn struct {
	box    *box
	state  transport.State // as of the last Poll
	reason transport.Reason

	now   time.Duration // of the last Poll
	ahead time.Duration // lead of the clock, when Poll first received that time
	last  time.Duration // arrival of what RecvAt returned
}

var (
	_ transport.Stamper  = (*Conn)(nil)
	_ transport.Budgeted = (*Conn)(nil)
)

// Worker is the goroutines' side. Its methods may be called from any goroutine.
type Worker struct{ box *box }

// New returns both sides of a connection in the state.
func New(c Config, state transport.State) (*Conn, *Worker) {
	b := &box{
		config: c, in: fifo.New[time.Duration](c.Receive), out: fifo.New[struct{}](c.Send), state: state, remote: c.Remote,
		wake: make(chan struct{}, 1), ended: make(chan struct{}), done: make(chan struct{}),
	}
	b.stats.Overhead = c.Overhead
	return &Conn{box: b, state: state, now: math.MinInt64, last: math.MinInt64}, &Worker{box: b}
}

// Poll implements [transport.Conn]. It takes over the present state. Only the first Poll at a time
// compares it with the clock, since a frame may poll several times, and began before the first one.
func (c *Conn) Poll(now time.Duration) {
	if now > c.now {
		c.now = now
		if c.box.config.Clock != nil {
			c.ahead = c.box.config.Clock() - now
		}
	}
	if c.state == transport.Closed {
		return
	}
	c.box.mu.Lock()
	c.state, c.reason = c.box.state, c.box.reason
	c.box.mu.Unlock()
}

// Send implements [transport.Conn].
func (c *Conn) Send(datagram []byte) error {
	b := c.box
	switch {
	case len(datagram) == 0:
		return transport.ErrEmpty
	case len(datagram) > b.config.MTU:
		return transport.ErrTooLarge
	case c.state == transport.Connecting:
		return transport.ErrNotOpen
	case c.state == transport.Closed:
		return transport.ErrClosed
	}
	b.mu.Lock()
	// After the other end closed, and until Poll reports that, there is no receiver and nothing to
	// wait for.
	if b.state != transport.Closed && !b.out.Push(struct{}{}, datagram) {
		b.stats.SendDropped++
		b.mu.Unlock()
		return transport.ErrQueueFull
	}
	b.stats.Sent++
	b.stats.SentBytes += uint64(len(datagram))
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default: // it is awake already
	}
	return nil
}

// Recv implements [transport.Conn].
func (c *Conn) Recv(buf []byte) (n int, ok bool) {
	n, _, ok = c.RecvAt(buf)
	return n, ok
}

// RecvAt implements [transport.Stamper].
func (c *Conn) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	b := c.box
	if len(buf) < b.config.MTU {
		panic(fmt.Sprintf("%s: Recv into a buffer of %d bytes: give it room for Conn.MTU() = %d", b.config.Name, len(buf), b.config.MTU))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n, at, ok = b.in.Pop(buf)
	if !ok {
		return 0, 0, false
	}
	b.stats.Received++
	b.stats.ReceivedBytes += uint64(n)
	if at -= c.ahead; b.config.Clock == nil || at > c.now {
		at = c.now
	}
	c.last = max(c.last, at)
	return n, c.last, true
}

// MTU implements [transport.Conn].
func (c *Conn) MTU() int { return c.box.config.MTU }

// State implements [transport.Conn].
func (c *Conn) State() transport.State { return c.state }

// Close implements [transport.Conn]. It does not wait; see [Conn.Done].
func (c *Conn) Close(reason transport.Reason) {
	if reason.Code == transport.NoReason {
		reason.Code = transport.Left
	}
	b := c.box
	b.mu.Lock()
	defer b.mu.Unlock()
	b.in.Release()
	if b.state != transport.Closed {
		b.state, b.reason, b.byOwner = transport.Closed, reason, true
		close(b.ended)
	}
	c.state, c.reason = b.state, b.reason
}

// CloseReason implements [transport.Conn].
func (c *Conn) CloseReason() transport.Reason { return c.reason }

// Stats implements [transport.Conn].
func (c *Conn) Stats() transport.Stats {
	c.box.mu.Lock()
	defer c.box.mu.Unlock()
	s := c.box.stats
	s.SendQueued, s.SendQueuedBytes = c.box.out.Len(), c.box.out.Bytes()
	return s
}

// RemoteAddr implements [transport.Conn].
func (c *Conn) RemoteAddr() string {
	c.box.mu.Lock()
	defer c.box.mu.Unlock()
	return c.box.remote
}

// Done returns a channel that is closed when the connection's goroutines have ended and its socket
// is closed. A program that exits after Close waits for it, so that the close reason is sent.
func (c *Conn) Done() <-chan struct{} { return c.box.done }

// SetUntrusted implements [transport.Budgeted].
func (c *Conn) SetUntrusted(untrusted bool) { c.box.untrusted.Store(untrusted) }

// Cost returns how many tokens of the client's budget one frame or byte takes: more while the
// client is untrusted.
func (w *Worker) Cost() int {
	if w.box.untrusted.Load() {
		return admission.UntrustedShare
	}
	return 1
}

// Open notes that datagrams can now pass.
func (w *Worker) Open() {
	w.box.mu.Lock()
	defer w.box.mu.Unlock()
	if w.box.state == transport.Connecting {
		w.box.state = transport.Open
	}
}

// End notes that the connection ended from outside: the other end closed it, or it failed. Only the
// first end counts.
func (w *Worker) End(reason transport.Reason) {
	b := w.box
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != transport.Closed {
		b.state, b.reason = transport.Closed, reason
		close(b.ended)
	}
}

// Ended returns a channel that is closed when the connection ends, from either side.
func (w *Worker) Ended() <-chan struct{} { return w.box.ended }

// Reason returns why the connection ended, and whether its owner closed it. In that case the other
// end has to receive the reason.
func (w *Worker) Reason() (reason transport.Reason, byOwner bool) {
	w.box.mu.Lock()
	defer w.box.mu.Unlock()
	return w.box.reason, w.box.byOwner
}

// Take copies the next datagram for the network into buf, which has room for the MTU.
func (w *Worker) Take(buf []byte) (n int, ok bool) {
	w.box.mu.Lock()
	defer w.box.mu.Unlock()
	n, _, ok = w.box.out.Pop(buf)
	return n, ok
}

// SendAll calls send for each datagram of the owner, with the prefix in front of it, until the
// connection ends. After the owner's Close it still sends the datagrams that wait. A datagram for
// which send returns an error counts as dropped.
func (w *Worker) SendAll(prefix []byte, send func(datagram []byte) error) {
	b := w.box
	buf := make([]byte, len(prefix)+b.config.MTU)
	next := func() bool {
		n, ok := w.Take(buf[copy(buf, prefix):])
		if ok && send(buf[:len(prefix)+n]) != nil {
			b.mu.Lock()
			b.stats.SendDropped++
			b.mu.Unlock()
		}
		return ok
	}
	for {
		if next() {
			continue
		}
		select {
		case <-b.wake:
		case <-b.ended:
			_, byOwner := w.Reason()
			for byOwner && next() {
			}
			return
		}
	}
}

// Deliver copies a datagram that arrived into the queue for Recv. It returns false for one of no
// bytes, or of more than the MTU, which it counts and drops.
func (w *Worker) Deliver(datagram []byte) bool {
	if len(datagram) == 0 || len(datagram) > w.box.config.MTU {
		w.Lost(1)
		return false
	}
	b := w.box
	at := time.Duration(0)
	if b.config.Clock != nil {
		at = b.config.Clock()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == transport.Closed {
		return true
	}
	if b.in.Full() {
		b.in.Pop(nil)
		b.stats.ReceiveDropped++
	}
	b.in.Push(at, datagram)
	return true
}

// Overdone ends the connection because the other end sends too much without a datagram.
func (w *Worker) Overdone() {
	w.End(transport.Reason{Code: transport.Overload, Text: "sent too much that is no data"})
}

// Lost counts datagrams that arrived and could not be delivered.
func (w *Worker) Lost(n int) {
	w.box.mu.Lock()
	defer w.box.mu.Unlock()
	w.box.stats.ReceiveDropped += uint64(n)
}

// SetRemote sets the other end's address.
func (w *Worker) SetRemote(addr string) {
	w.box.mu.Lock()
	defer w.box.mu.Unlock()
	w.box.remote = addr
}

// Finish notes that the last goroutine ends. Datagrams that still wait to be sent are lost. The
// connection has already ended.
func (w *Worker) Finish() {
	b := w.box
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != transport.Closed {
		panic(b.config.Name + ": the goroutines of a connection went before it ended")
	}
	b.stats.SendDropped += uint64(b.out.Len())
	b.out.Release()
	close(b.done)
}
