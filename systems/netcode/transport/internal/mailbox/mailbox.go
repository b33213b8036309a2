// Package mailbox connects a connection's owner, which polls and never waits, with the connection's
// goroutines, which wait most of the time.
//
// The owner has a [Conn], which implements transport.Conn in full. The goroutines have the [Worker]
// of the same connection. Between the two are two bounded queues and a little state under one lock,
// which is never held during a wait.
package mailbox

import (
	"context"
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
	Displace bool   // Send refuses none: a further datagram displaces the oldest that waits
	// Receive is the maximum number of datagrams that wait for Recv. A further one displaces the
	// oldest, so that an owner gets the newest ones after a pause.
	Receive int
	Remote  string // the other end's address

	// Clock is a monotonic clock of any epoch, for any goroutine. It gives the times of arrival.
	// Nil: the system's.
	Clock func() time.Duration
}

// Worker is the goroutines' side, and holds what both sides share. Its methods may be called from
// any goroutine.
type Worker struct {
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

	wake chan struct{}   // something waits to be sent
	life context.Context // ends when the connection ends, for whatever reason
	end  context.CancelFunc
	done chan struct{} // closed when the goroutines are gone
}

// Conn is the owner's side.
type Conn struct {
	worker *Worker
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

// New returns both sides of a connection in the state.
func New(c Config, state transport.State) (*Conn, *Worker) {
	if start := time.Now(); c.Clock == nil {
		c.Clock = func() time.Duration { return time.Since(start) }
	}
	w := &Worker{
		config: c, in: fifo.New[time.Duration](c.Receive), out: fifo.New[struct{}](c.Send), state: state, remote: c.Remote,
		stats: transport.Stats{Overhead: c.Overhead}, wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	w.life, w.end = context.WithCancel(context.Background())
	return &Conn{worker: w, state: state, now: math.MinInt64, last: math.MinInt64}, w
}

// Poll implements [transport.Conn]. It takes over the present state. Only the first Poll at a time
// compares it with the clock, since a frame may poll several times, and began before the first one.
func (c *Conn) Poll(now time.Duration) {
	if now > c.now {
		c.now = now
		c.ahead = c.worker.config.Clock() - now
	}
	if c.state == transport.Closed {
		return
	}
	c.worker.mu.Lock()
	c.state, c.reason = c.worker.state, c.worker.reason
	c.worker.mu.Unlock()
}

// Send implements [transport.Conn].
func (c *Conn) Send(datagram []byte) error {
	w := c.worker
	switch {
	case len(datagram) == 0:
		return transport.ErrEmpty
	case len(datagram) > w.config.MTU:
		return transport.ErrTooLarge
	case c.state == transport.Connecting:
		return transport.ErrNotOpen
	case c.state == transport.Closed:
		return transport.ErrClosed
	}
	w.mu.Lock()
	// After the other end closed, and until Poll reports that, there is no receiver and nothing to
	// wait for.
	if w.state != transport.Closed && w.out.Full() {
		w.stats.SendDropped++
		if !w.config.Displace {
			w.mu.Unlock()
			return transport.ErrQueueFull
		}
		w.out.Pop(nil)
	}
	if w.state != transport.Closed {
		w.out.Push(struct{}{}, datagram)
	}
	w.stats.Sent++
	w.stats.SentBytes += uint64(len(datagram))
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
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
	w := c.worker
	if len(buf) < w.config.MTU {
		panic(fmt.Sprintf("%s: Recv into a buffer of %d bytes: give it room for Conn.MTU() = %d", w.config.Name, len(buf), w.config.MTU))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	n, at, ok = w.in.Pop(buf)
	if !ok {
		return 0, 0, false
	}
	w.stats.Received++
	w.stats.ReceivedBytes += uint64(n)
	c.last = max(c.last, min(at-c.ahead, c.now))
	return n, c.last, true
}

// MTU implements [transport.Conn].
func (c *Conn) MTU() int { return c.worker.config.MTU }

// State implements [transport.Conn].
func (c *Conn) State() transport.State { return c.state }

// Close implements [transport.Conn]. It does not wait; see [Conn.Done].
func (c *Conn) Close(reason transport.Reason) {
	if reason.Code == transport.NoReason {
		reason.Code = transport.Left
	}
	w := c.worker
	w.mu.Lock()
	defer w.mu.Unlock()
	w.in.Release()
	if w.state != transport.Closed {
		w.state, w.reason, w.byOwner = transport.Closed, reason, true
		w.end()
	}
	c.state, c.reason = w.state, w.reason
}

// CloseReason implements [transport.Conn].
func (c *Conn) CloseReason() transport.Reason { return c.reason }

// Stats implements [transport.Conn].
func (c *Conn) Stats() transport.Stats {
	c.worker.mu.Lock()
	defer c.worker.mu.Unlock()
	s := c.worker.stats
	s.SendQueued, s.SendQueuedBytes = c.worker.out.Len(), c.worker.out.Bytes()
	return s
}

// RemoteAddr implements [transport.Conn].
func (c *Conn) RemoteAddr() string {
	c.worker.mu.Lock()
	defer c.worker.mu.Unlock()
	return c.worker.remote
}

// Done returns a channel that is closed when the connection's goroutines have ended and its socket
// is closed. A program that exits after Close waits for it, so that the close reason is sent.
func (c *Conn) Done() <-chan struct{} { return c.worker.done }

// SetUntrusted implements [transport.Budgeted].
func (c *Conn) SetUntrusted(untrusted bool) { c.worker.untrusted.Store(untrusted) }

// Cost returns how many tokens of the client's budget one frame or byte takes: more while the
// client is untrusted.
func (w *Worker) Cost() int {
	if w.untrusted.Load() {
		return admission.UntrustedShare
	}
	return 1
}

// Open notes that datagrams can now pass.
func (w *Worker) Open() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == transport.Connecting {
		w.state = transport.Open
	}
}

// End notes that the connection ended from outside: the other end closed it, or it failed. Only the
// first end counts.
func (w *Worker) End(reason transport.Reason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state != transport.Closed {
		w.state, w.reason = transport.Closed, reason
		w.end()
	}
}

// Context returns a context that ends when the connection ends, from either side.
func (w *Worker) Context() context.Context { return w.life }

// Reason returns why the connection ended, and whether its owner closed it. In that case the other
// end has to receive the reason.
func (w *Worker) Reason() (reason transport.Reason, byOwner bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reason, w.byOwner
}

// Take copies the next datagram for the network into buf, which has room for the MTU.
func (w *Worker) Take(buf []byte) (n int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, _, ok = w.out.Pop(buf)
	return n, ok
}

// SendAll calls send for each datagram of the owner, with the prefix in front of it, until the
// connection ends. After the owner's Close it still sends the datagrams that wait. A datagram for
// which send returns an error counts as dropped.
func (w *Worker) SendAll(prefix []byte, send func(datagram []byte) error) {
	buf := make([]byte, len(prefix)+w.config.MTU)
	next := func() bool {
		n, ok := w.Take(buf[copy(buf, prefix):])
		if ok && send(buf[:len(prefix)+n]) != nil {
			w.mu.Lock()
			w.stats.SendDropped++
			w.mu.Unlock()
		}
		return ok
	}
	for {
		if next() {
			continue
		}
		select {
		case <-w.wake:
		case <-w.life.Done():
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
	if len(datagram) == 0 || len(datagram) > w.config.MTU {
		w.Lost()
		return false
	}
	at := w.config.Clock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == transport.Closed {
		return true
	}
	if w.in.Full() {
		w.in.Pop(nil)
		w.stats.ReceiveDropped++
	}
	w.in.Push(at, datagram)
	return true
}

// Overdone ends the connection because the other end sends too much without a datagram.
func (w *Worker) Overdone() {
	w.End(transport.Reason{Code: transport.Overload, Text: "sent too much that is no data"})
}

// Lost counts a datagram that arrived and could not be delivered.
func (w *Worker) Lost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.ReceiveDropped++
}

// SetRemote sets the other end's address.
func (w *Worker) SetRemote(addr string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remote = addr
}

// Finish notes that the last goroutine ends. Datagrams that still wait to be sent are lost. The
// connection has already ended.
func (w *Worker) Finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state != transport.Closed {
		panic(w.config.Name + ": the goroutines of a connection went before it ended")
	}
	w.stats.SendDropped += uint64(w.out.Len())
	w.out.Release()
	close(w.done)
}
