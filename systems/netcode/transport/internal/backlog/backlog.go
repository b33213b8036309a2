// Package backlog is the part of a socket listener between the goroutines that make connections and
// the owner that accepts them.
package backlog

import (
	"slices"
	"sync"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Backlog holds a listener's open connections: those that wait for Accept, up to a limit, and the
// accepted ones until they close. The owner calls Poll, Accept and Close from one goroutine. The
// other methods may be called from any goroutine.
type Backlog struct {
	limit int
	open  []transport.Conn // accepted ones, until they close

	mu       sync.Mutex
	ready    []transport.Conn // wait for Accept
	accepted uint64
	closed   bool

	work sync.WaitGroup
	done chan struct{}
}

// New returns a backlog that holds at most limit waiting connections.
func New(limit int) *Backlog {
	return &Backlog{limit: limit, done: make(chan struct{})}
}

// Begin counts a goroutine that makes a connection and carries it, or returns false after Close.
func (b *Backlog) Begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.work.Add(1)
	}
	return !b.closed
}

// End removes what Begin counted.
func (b *Backlog) End() { b.work.Done() }

// Add queues an open connection for Accept, or closes it with the reason for the refusal.
func (b *Backlog) Add(c transport.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		c.Close(transport.Reason{Code: transport.Shutdown, Text: "the server goes down"})
	case len(b.ready) >= b.limit:
		c.Close(transport.Reason{Code: transport.Refused, Text: "the server is busy: try again in a moment"})
	default:
		b.ready = append(b.ready, c)
		b.accepted++
	}
}

// Poll removes accepted connections that have closed.
func (b *Backlog) Poll(time.Duration) {
	b.open = slices.DeleteFunc(b.open, func(c transport.Conn) bool { return c.State() == transport.Closed })
}

// Accept returns the connection that has waited for longest, if there is one.
func (b *Backlog) Accept() (transport.Conn, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) == 0 {
		return nil, false
	}
	c := b.ready[0]
	b.ready = slices.Delete(b.ready, 0, 1)
	b.open = append(b.open, c)
	return c, true
}

// Close closes all connections with the reason. It does not wait. When all goroutines have ended,
// release closes the socket, and Done's channel is closed. Only the first Close counts.
func (b *Backlog) Close(reason transport.Reason, release func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true
	for _, conns := range []*[]transport.Conn{&b.ready, &b.open} {
		for _, c := range *conns {
			c.Close(reason)
		}
		*conns = nil
	}
	go func() {
		b.work.Wait()
		release()
		close(b.done)
	}()
}

// Done returns a channel that is closed when everything is released.
func (b *Backlog) Done() <-chan struct{} { return b.done }

// Stats returns how many connections were queued for Accept so far, and how many wait.
func (b *Backlog) Stats() (accepted uint64, waiting int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.accepted, len(b.ready)
}
