// Package fifo holds what waits between the parts of a transport, first in, first out. A [Ring]
// has items of any type, a [Queue] copies of datagrams up to a limit. Both allocate nothing in
// steady state, and neither has a lock: its owner has one.
package fifo

// Queue holds copies of at most limit datagrams, each with a note M (such as its source).
type Queue[M any] struct {
	ring  Ring[slot[M]]
	bytes int
	limit int
}

type slot[M any] struct {
	note  M
	bytes []byte
}

// New returns a queue for at most limit datagrams.
func New[M any](limit int) Queue[M] { return Queue[M]{limit: limit} }

// Len returns how many datagrams wait.
func (q *Queue[M]) Len() int { return q.ring.Len() }

// Bytes returns the sum of their lengths.
func (q *Queue[M]) Bytes() int { return q.bytes }

// Full reports whether the next Push will be refused.
func (q *Queue[M]) Full() bool { return q.Len() == q.limit }

// Push copies a datagram in at the end, and returns false, with nothing changed, if the queue is
// full.
func (q *Queue[M]) Push(note M, datagram []byte) bool {
	if q.Full() {
		return false
	}
	s := q.ring.Push()
	s.note, s.bytes = note, append(s.bytes[:0], datagram...)
	q.bytes += len(datagram)
	return true
}

// First returns the note of the oldest datagram, or nil if the queue is empty.
func (q *Queue[M]) First() *M {
	if q.Len() == 0 {
		return nil
	}
	return &q.ring.At(0).note
}

// Pop copies the oldest datagram into buf and removes it. A datagram that does not fit is cut off,
// as by net.PacketConn.
func (q *Queue[M]) Pop(buf []byte) (n int, note M, ok bool) {
	if q.Len() == 0 {
		return 0, note, false
	}
	s := q.ring.Pop()
	q.bytes -= len(s.bytes)
	return copy(buf, s.bytes), s.note, true
}

// Release drops all datagrams and releases the memory.
func (q *Queue[M]) Release() { *q = Queue[M]{limit: q.limit} }
