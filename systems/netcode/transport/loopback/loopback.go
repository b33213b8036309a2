// Package loopback carries datagrams between two ends in one process, on virtual time.
//
// It is a full transport for single player, for a host that plays on its own server, and for tests.
// It is perfect: each datagram arrives once, in order, at the time at which it was sent. Wrap an
// end with package linksim to simulate a worse path.
//
// The ends of a [Pair] share one epoch: a datagram arrives when the receiver's clock (see
// [transport.Conn]) has reached the time at which it was sent. The engines at the ends of a dialed
// connection may have begun at different times, and may stand still for a while: a datagram arrives
// at the receiver's next Poll. The difference of the two clocks is estimated when they are polled:
// any time that the sender's clock has shown lies in the past of the receiver. Clocks that may
// share one epoch are assumed to share it.
//
// It has no goroutines and no locks: both ends belong to one goroutine. In steady state it
// allocates nothing.
package loopback

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/fifo"
)

// Config bounds a loopback. The zero value means the defaults.
type Config struct {
	MTU int // largest datagram in bytes, at most [transport.MaxMTU]; 0 means that
	// Queue is the maximum number of datagrams that wait in one direction until the other end
	// receives them. Send returns ErrQueueFull for more. 0 means 1024.
	Queue   int
	Backlog int // connections that wait for Accept, beyond which Dial is refused; 0 means 64
}

// withDefaults returns the configuration with its zeros filled in. It panics for impossible values,
// which are mistakes in the program.
func (c Config) withDefaults() Config {
	if c.MTU < 0 || c.MTU > transport.MaxMTU || c.Queue < 0 || c.Backlog < 0 {
		panic(fmt.Sprintf("loopback: %+v makes no sense: set MTU to 1..%d, Queue and Backlog to at least 1, or leave them 0", c, transport.MaxMTU))
	}
	return Config{MTU: cmp.Or(c.MTU, transport.MaxMTU), Queue: cmp.Or(c.Queue, 1024), Backlog: cmp.Or(c.Backlog, 64)}
}

// Pair returns the two ends of an open connection.
func Pair(c Config) (a, b *Conn) {
	c = c.withDefaults()
	return pair(c, transport.Open, "loopback:a", "loopback:b")
}

func pair(c Config, state transport.State, addrA, addrB string) (a, b *Conn) {
	ab, ba := &pipe{queue: fifo.New[time.Duration](c.Queue)}, &pipe{queue: fifo.New[time.Duration](c.Queue)}
	a = &Conn{in: ba, out: ab, mtu: c.MTU, state: state, remote: addrB}
	b = &Conn{in: ab, out: ba, mtu: c.MTU, state: state, remote: addrA}
	if state == transport.Connecting {
		a.other, b.other = b, a
	}
	return a, b
}

// pipe is one direction: the datagrams with the times at which they were sent, and the state that
// the writer sets.
type pipe struct {
	queue fifo.Queue[time.Duration]

	accepted bool // the writer is a listener's end that took the connection
	closed   bool // the writer closed
	closedAt time.Duration
	reason   transport.Reason
}

// Conn is one end. It implements [transport.Conn]. [Pair] and [Listener.Dial] return one.
type Conn struct {
	in, out *pipe
	mtu     int
	remote  string
	now     time.Duration
	polled  bool // now is set
	// other is the other end, if its clock has an epoch of its own. Nil: both share one epoch.
	other *Conn
	// shift is the difference from the other end's clock to this one's. The other end has the
	// negative.
	shift  time.Duration
	state  transport.State
	reason transport.Reason
	stats  transport.Stats
}

var _ transport.Stamper = (*Conn)(nil)

// Poll implements [transport.Conn].
func (c *Conn) Poll(now time.Duration) {
	c.tell(now)
	if c.state == transport.Connecting && c.in.accepted {
		c.state = transport.Open
	}
	if c.state != transport.Closed && c.in.closed && c.in.closedAt+c.shift <= c.now {
		c.state, c.reason = transport.Closed, c.in.reason
	}
}

// tell sets the clock. All times that the other clock has shown so far lie in the past.
func (c *Conn) tell(now time.Duration) {
	c.now, c.polled = max(c.now, now), true
	if o := c.other; o != nil && o.polled {
		c.shift = min(c.shift, c.now-o.now)
		o.shift = -c.shift
	}
}

// Send implements [transport.Conn].
func (c *Conn) Send(datagram []byte) error {
	switch {
	case len(datagram) == 0:
		return transport.ErrEmpty
	case len(datagram) > c.mtu:
		return transport.ErrTooLarge
	case c.state == transport.Connecting:
		return transport.ErrNotOpen
	case c.state == transport.Closed:
		return transport.ErrClosed
	case !c.in.closed && !c.out.queue.Push(c.now, datagram):
		// An end that has closed receives nothing.
		c.stats.SendDropped++
		return transport.ErrQueueFull
	}
	c.stats.Sent++
	c.stats.SentBytes += uint64(len(datagram))
	return nil
}

// Recv implements [transport.Conn].
func (c *Conn) Recv(buf []byte) (n int, ok bool) {
	n, _, ok = c.RecvAt(buf)
	return n, ok
}

// RecvAt implements [transport.Stamper]: a datagram arrives when it is sent.
func (c *Conn) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	if len(buf) < c.mtu {
		panic(fmt.Sprintf("loopback: Recv into a buffer of %d bytes: give it room for Conn.MTU() = %d", len(buf), c.mtu))
	}
	if sent := c.in.queue.First(); c.out.closed || sent == nil || *sent > c.now-c.shift {
		return 0, 0, false
	}
	n, at, ok = c.in.queue.Pop(buf)
	c.stats.Received++
	c.stats.ReceivedBytes += uint64(n)
	return n, at + c.shift, ok
}

// MTU implements [transport.Conn].
func (c *Conn) MTU() int { return c.mtu }

// State implements [transport.Conn].
func (c *Conn) State() transport.State { return c.state }

// Close implements [transport.Conn]. The other end closes when its clock has reached this one's.
func (c *Conn) Close(reason transport.Reason) {
	if c.state == transport.Closed {
		c.out.closed = true // and Recv ends
		return
	}
	if reason.Code == transport.NoReason {
		reason.Code = transport.Left
	}
	c.state, c.reason = transport.Closed, reason
	c.out.closed, c.out.closedAt, c.out.reason = true, c.now, reason
}

// CloseReason implements [transport.Conn].
func (c *Conn) CloseReason() transport.Reason { return c.reason }

// Stats implements [transport.Conn].
func (c *Conn) Stats() transport.Stats { return c.stats }

// RemoteAddr implements [transport.Conn]: "loopback:b", or "loopback:3" for the third connection
// that was dialed to a listener.
func (c *Conn) RemoteAddr() string { return c.remote }
