package loopback

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// pipe is one direction: a ring of datagrams, and the flags that its writer sets. The ring grows up
// to the limit, and its buffers are reused.
type pipe struct {
	ring  []slot
	head  int // index of the oldest
	count int
	limit int

	accepted bool // the writer is a listener's end that took the connection
	closed   bool // the writer closed
	closedAt time.Duration
	reason   transport.Reason
}

type slot struct {
	sent  time.Duration
	bytes []byte
}

// push copies a datagram into the pipe, and returns false if the pipe is full.
func (p *pipe) push(now time.Duration, datagram []byte) bool {
	if p.count == len(p.ring) {
		if p.count == p.limit {
			return false
		}
		p.grow()
	}
	s := &p.ring[(p.head+p.count)%len(p.ring)]
	s.sent, s.bytes = now, append(s.bytes[:0], datagram...)
	p.count++
	return true
}

// grow doubles the ring, up to the limit.
func (p *pipe) grow() {
	ring := make([]slot, min(max(8, 2*len(p.ring)), p.limit))
	for i := range p.count {
		ring[i] = p.ring[(p.head+i)%len(p.ring)]
	}
	p.ring, p.head = ring, 0
}

// pop copies out the oldest datagram if it was sent by the time, and returns when it was sent.
func (p *pipe) pop(now time.Duration, buf []byte) (n int, sent time.Duration, ok bool) {
	if p.count == 0 || p.ring[p.head].sent > now {
		return 0, 0, false
	}
	n, sent = copy(buf, p.ring[p.head].bytes), p.ring[p.head].sent
	p.head = (p.head + 1) % len(p.ring)
	p.count--
	return n, sent, true
}
