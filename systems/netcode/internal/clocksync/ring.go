package clocksync

import "time"

// ringSize is how many samples a reference holds: 60 s at four a second, with a reserve. It is also
// the greatest number of ways that a lead holds.
const ringSize = 256

// kept is a sample in the form that the fit uses.
type kept struct {
	sent, received time.Duration
	middle         time.Duration // half way between them: the time that the offset belongs to
	offset         time.Duration
	rtt            time.Duration
	outlier        bool // contradicts its neighbours; kept only to recognise duplicates
}

// near reports whether a sample in the fit took a short round trip.
func (k *kept) near() bool { return !k.outlier && k.rtt <= nearPath }

// ring holds the newest elements in the order of their arrival.
type ring[T any] struct {
	buf     [ringSize]T
	head, n int // index of the oldest, count
}

func (r *ring[T]) at(i int) *T { return &r.buf[(r.head+i)%ringSize] }

// ago returns the i-th newest element.
func (r *ring[T]) ago(i int) *T { return r.at(r.n - 1 - i) }

// push adds an element, over the oldest one if the ring is full.
func (r *ring[T]) push(v T) {
	r.keep(min(r.n, ringSize-1))
	r.n++
	*r.ago(0) = v
}

// keep drops all but the newest n elements.
func (r *ring[T]) keep(n int) {
	r.head = (r.head + r.n - n) % ringSize
	r.n = n
}
