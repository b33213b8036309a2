package interp

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// sampleBuffer keeps the samples of one body ordered by [Sample.At], in a bounded number of slots.
//
// A capacity c at a send interval i is enough for a view delayed by (c-4)*i: two slots are for the
// estimate of acceleration before the view, and two are for the segment around it. A full buffer
// drops its oldest sample. A buffer starts with 16 slots and doubles when a longer delay or a burst
// first needs more. After that it allocates nothing. Create it with [newSampleBuffer].
type sampleBuffer struct {
	slots []Sample // a ring; len is a power of two
	most  int      // slots
	first int
	count int

	revision uint32 // changes with every accepted sample
}

// defaultCapacity is 128 samples: four seconds at 30 Hz. That is enough for a stalled stream that
// arrives in one burst.
const defaultCapacity = 128

const firstSlots = 16

// newSampleBuffer returns an empty buffer of at most the given capacity, rounded up to a power of
// two, at least 4 and at most 65536. Zero or less means [defaultCapacity].
func newSampleBuffer(capacity int) *sampleBuffer {
	b := new(sampleBuffer)
	b.init(capacity)
	return b
}

func (b *sampleBuffer) init(capacity int) {
	if capacity <= 0 {
		capacity = defaultCapacity
	}
	n := 4
	for n < capacity && n < 1<<16 {
		n *= 2
	}
	b.most = n
	b.slots = make([]Sample, min(n, firstSlots))
	b.first, b.count = 0, 0
}

// grow doubles the ring.
func (b *sampleBuffer) grow() {
	slots := make([]Sample, 2*len(b.slots))
	for i := range b.count {
		slots[i] = *b.At(i)
	}
	b.slots, b.first = slots, 0
}

// Len returns the number of samples held.
func (b *sampleBuffer) Len() int { return b.count }

// Cap returns the greatest number of samples that the buffer can hold.
func (b *sampleBuffer) Cap() int { return b.most }

// At returns the i-th sample, 0 being the oldest. The pointer is valid until the next Push, Evict
// or Clear. It panics unless 0 <= i < Len.
func (b *sampleBuffer) At(i int) *Sample {
	if uint(i) >= uint(b.count) {
		panic("interp: Buffer.At: index out of range; keep it within 0 and Len()-1")
	}
	return &b.slots[(b.first+i)&(len(b.slots)-1)]
}

// Newest returns the sample with the latest time, or nil if the buffer is empty.
func (b *sampleBuffer) Newest() *Sample {
	if b.count == 0 {
		return nil
	}
	return b.At(b.count - 1)
}

// Revision returns a number that changes with every accepted sample. It wraps, so compare it for
// inequality only.
func (b *sampleBuffer) Revision() uint32 { return b.revision }

// Push inserts a sample at its place and reports whether it was accepted. It refuses a sample of a
// time that is already held, a sample older than all others if no slot is free, and a sample that
// is not [Sample.Valid].
func (b *sampleBuffer) Push(s Sample) bool {
	if !s.Valid() {
		return false
	}
	t := s.At()
	i := b.count // its place: behind the last older sample
	for i > 0 {
		if have := b.At(i - 1).At(); have == t {
			return false
		} else if have < t {
			break
		}
		i--
	}
	if b.count == len(b.slots) && b.count < b.most {
		b.grow()
	}
	mask := len(b.slots) - 1
	if b.count == len(b.slots) {
		if i == 0 {
			return false
		}
		b.first = (b.first + 1) & mask
		b.count--
		i--
	}
	for j := b.count; j > i; j-- {
		b.slots[(b.first+j)&mask] = b.slots[(b.first+j-1)&mask]
	}
	s.Rotation = rotation.Unit(s.Rotation)
	b.slots[(b.first+i)&mask] = s
	b.count++
	b.revision++
	return true
}

// keepBehind is how many samples behind the view are not evicted: the one at which the view's
// segment starts, and two before it for the estimate of acceleration and for a late sample.
const keepBehind = 3

// Evict drops the samples that a view which never runs backwards no longer needs. The newest sample
// always stays.
func (b *sampleBuffer) Evict(view time.Duration) {
	n := b.Find(view) - (keepBehind - 1)
	if n > 0 {
		b.first = (b.first + n) & (len(b.slots) - 1)
		b.count -= n
	}
}

// Find returns the index of the newest sample at or before t, or -1 if there is none.
func (b *sampleBuffer) Find(t time.Duration) int {
	// The view is a few samples from the old end, so a linear search is faster than a bisection.
	i := 0
	for i < b.count && b.At(i).At() <= t {
		i++
	}
	return i - 1
}

// Clear drops all samples.
func (b *sampleBuffer) Clear() {
	if b.count > 0 {
		b.revision++
	}
	b.first, b.count = 0, 0
}
