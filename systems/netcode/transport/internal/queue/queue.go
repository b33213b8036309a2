// Package queue holds datagrams between goroutines of a transport. It is first in, first out,
// bounded, and allocates nothing in steady state.
package queue

// Queue is a bounded ring of datagrams, each with a note M (such as its source). It grows up to its
// limit and reuses its buffers. It has no lock: its owner has one.
type Queue[M any] struct {
	ring  []slot[M]
	head  int // index of the oldest
	count int
	bytes int
	limit int
}

type slot[M any] struct {
	note  M
	bytes []byte
}

// New returns a queue for at most limit datagrams. A limit below 1 panics.
func New[M any](limit int) Queue[M] {
	if limit < 1 {
		panic("queue: the limit has to be at least 1")
	}
	return Queue[M]{limit: limit}
}

// Len returns how many datagrams wait.
func (q *Queue[M]) Len() int { return q.count }

// Bytes returns the sum of their lengths.
func (q *Queue[M]) Bytes() int { return q.bytes }

// Full reports whether the next Push will be refused.
func (q *Queue[M]) Full() bool { return q.count == q.limit }

// Push copies a datagram in at the end, and returns false, with nothing changed, if the queue is
// full.
func (q *Queue[M]) Push(note M, datagram []byte) bool {
	if q.count == len(q.ring) {
		if q.count == q.limit {
			return false
		}
		q.grow()
	}
	s := &q.ring[(q.head+q.count)%len(q.ring)]
	s.note, s.bytes = note, append(s.bytes[:0], datagram...)
	q.count++
	q.bytes += len(datagram)
	return true
}

// grow doubles the ring, up to the limit.
func (q *Queue[M]) grow() {
	ring := make([]slot[M], min(max(4, 2*len(q.ring)), q.limit))
	for i := range q.count {
		ring[i] = q.ring[(q.head+i)%len(q.ring)]
	}
	q.ring, q.head = ring, 0
}

// Pop copies the oldest datagram into buf and removes it. A datagram that does not fit is cut off,
// as by net.PacketConn.
func (q *Queue[M]) Pop(buf []byte) (n int, note M, ok bool) {
	if q.count == 0 {
		return 0, note, false
	}
	s := &q.ring[q.head]
	n, note = copy(buf, s.bytes), s.note
	q.Drop()
	return n, note, true
}

// Drop removes the oldest datagram, if there is one.
func (q *Queue[M]) Drop() {
	if q.count == 0 {
		return
	}
	q.bytes -= len(q.ring[q.head].bytes)
	q.head = (q.head + 1) % len(q.ring)
	q.count--
}

// Release drops all datagrams and releases the memory.
func (q *Queue[M]) Release() { *q = Queue[M]{limit: q.limit} }
