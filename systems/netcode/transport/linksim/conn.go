package linksim

import (
	"fmt"
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Conn is a [transport.Conn] around another whose datagrams pass a simulated path in both
// directions. The path works on the times given to Poll. Datagrams that are due leave at the next
// Poll. A received datagram enters the path at the time of arrival that the inner connection
// reports (the next Poll, if it is no [transport.Stamper]). RecvAt returns when it reached the end
// of the path. Wrap one end of a connection, not both, unless the path is meant to count twice.
type Conn struct {
	inner         transport.Conn
	send, receive *Link
	now           time.Duration
	state         transport.State
	stats         transport.Stats // the counters of this end itself
	buf           []byte
	last          time.Duration // time of arrival that RecvAt returned
}

var (
	_ transport.Stamper  = (*Conn)(nil)
	_ transport.Budgeted = (*Conn)(nil)
)

// Wrap returns the connection behind the path, or the error of [Condition.Validate]. The wrapper
// then owns the connection.
func Wrap(inner transport.Conn, path Path) (*Conn, error) {
	if err := path.validate(); err != nil {
		return nil, err
	}
	return wrap(inner, path, 0), nil
}

func wrap(inner transport.Conn, path Path, n uint64) *Conn {
	send, receive := path.links(n)
	return &Conn{inner: inner, send: send, receive: receive, state: inner.State(), buf: make([]byte, transport.MaxMTU), last: math.MinInt64}
}

// SetUntrusted implements [transport.Budgeted] if the inner connection does.
func (c *Conn) SetUntrusted(untrusted bool) { transport.SetUntrusted(c.inner, untrusted) }

// Links returns the two directions, to read their statistics or change their conditions while
// datagrams pass.
func (c *Conn) Links() (send, receive *Link) { return c.send, c.receive }

// Path returns the conditions of both directions.
func (c *Conn) Path() Path { return Path{c.send.condition, c.receive.condition} }

// SetPath changes the conditions of both directions for datagrams that are sent from now on. If one
// is not valid, it returns an error and changes neither.
func (c *Conn) SetPath(p Path) error {
	if err := p.validate(); err != nil {
		return err
	}
	c.send.setCondition(p.Send)
	c.receive.setCondition(p.Receive)
	return nil
}

// Poll implements [transport.Conn].
func (c *Conn) Poll(now time.Duration) {
	if c.state == transport.Closed {
		c.inner.Poll(now)
		return
	}
	c.now = max(c.now, now)
	c.inner.Poll(c.now)
	c.flush(c.now)
	for n, at, ok := transport.RecvAt(c.inner, c.now, c.buf); ok; n, at, ok = transport.RecvAt(c.inner, c.now, c.buf) {
		if !c.receive.Push(at, c.buf[:n]) {
			c.stats.ReceiveDropped++
		}
	}
	// A close does not overtake the datagrams that were sent before it.
	if s := c.inner.State(); s != transport.Closed || c.receive.arrived(c.now) {
		c.state = s
	}
}

// flush hands over the datagrams that have passed the sending direction by the time.
func (c *Conn) flush(now time.Duration) {
	for datagram, _, ok := c.send.Pop(now); ok; datagram, _, ok = c.send.Pop(now) {
		_ = c.inner.Send(datagram) // a full queue is a loss, which inner counts
	}
}

// Send implements [transport.Conn].
func (c *Conn) Send(datagram []byte) error {
	switch {
	case len(datagram) == 0:
		return transport.ErrEmpty
	case len(datagram) > c.inner.MTU():
		return transport.ErrTooLarge
	case c.state == transport.Connecting:
		return transport.ErrNotOpen
	case c.state == transport.Closed:
		return transport.ErrClosed
	case !c.send.Push(c.now, datagram):
		c.stats.SendDropped++
		return transport.ErrQueueFull
	}
	c.stats.Sent++
	c.stats.SentBytes += uint64(len(datagram))
	c.flush(c.now)
	return nil
}

// Recv implements [transport.Conn].
func (c *Conn) Recv(buf []byte) (n int, ok bool) {
	n, _, ok = c.RecvAt(buf)
	return n, ok
}

// RecvAt implements [transport.Stamper].
func (c *Conn) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	if len(buf) < c.inner.MTU() {
		panic(fmt.Sprintf("linksim: Recv into a buffer of %d bytes: give it room for Conn.MTU() = %d", len(buf), c.inner.MTU()))
	}
	datagram, at, ok := c.receive.Pop(c.now)
	if !ok {
		return 0, 0, false
	}
	c.stats.Received++
	c.stats.ReceivedBytes += uint64(len(datagram))
	c.last = max(c.last, at) // it may have overtaken one of an earlier Poll
	return copy(buf, datagram), c.last, true
}

// MTU implements [transport.Conn].
func (c *Conn) MTU() int { return c.inner.MTU() }

// State implements [transport.Conn].
func (c *Conn) State() transport.State { return c.state }

// Close implements [transport.Conn]. Datagrams that are still on the simulated path are handed over
// at once, so that the last ones are not lost with it.
func (c *Conn) Close(reason transport.Reason) {
	if c.inner.State() == transport.Open {
		c.send.hurry()
		for datagram, _, ok := c.send.take(never); ok; datagram, _, ok = c.send.take(never) {
			_ = c.inner.Send(datagram)
		}
	}
	c.inner.Close(reason)
	c.state = transport.Closed
	c.receive.discard()
}

// CloseReason implements [transport.Conn].
func (c *Conn) CloseReason() transport.Reason {
	if c.state != transport.Closed {
		return transport.Reason{}
	}
	return c.inner.CloseReason()
}

// Stats implements [transport.Conn]. Datagrams that the path loses count as sent.
func (c *Conn) Stats() transport.Stats {
	s := c.inner.Stats()
	s.Sent, s.SentBytes = c.stats.Sent, c.stats.SentBytes
	s.Received, s.ReceivedBytes = c.stats.Received, c.stats.ReceivedBytes
	s.SendDropped += c.stats.SendDropped
	s.ReceiveDropped += c.stats.ReceiveDropped
	if c.send.condition.Ordered { // otherwise the queue is in the network, invisible to senders
		datagrams, bytes := c.send.Waiting()
		s.SendQueued += datagrams
		s.SendQueuedBytes += bytes
	}
	return s
}

// Done returns a channel that is closed when the inner connection's goroutines have ended and its
// last datagrams have been sent, if it has such a channel. Others have nothing to wait for: theirs
// is closed already.
func (c *Conn) Done() <-chan struct{} { return done(c.inner) }

// done returns the channel Done of a connection or a listener, or a closed one.
func done(of any) <-chan struct{} {
	if d, ok := of.(interface{ Done() <-chan struct{} }); ok {
		return d.Done()
	}
	closed := make(chan struct{})
	close(closed)
	return closed
}

// RemoteAddr implements [transport.Conn].
func (c *Conn) RemoteAddr() string { return c.inner.RemoteAddr() }
