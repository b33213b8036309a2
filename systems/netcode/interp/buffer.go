package interp

import (
	"math/bits"
	"slices"
	"time"
)

// sampleBuffer keeps a bounded number of samples of one body, ordered by [Sample.At].
//
// A capacity c at a send interval i is enough for a view delayed by (c-4)*i: two samples are for
// the estimate of acceleration before the view, and two are for the segment around it. A full
// buffer drops its oldest sample. A buffer grows when a longer delay or a burst first needs more.
// After that it allocates nothing.
type sampleBuffer struct {
	samples  []Sample
	most     int
	revision uint32 // changes with every accepted sample
}

// defaultCapacity is 128 samples: four seconds at 30 Hz. That is enough for a stalled stream that
// arrives in one burst.
const defaultCapacity = 128

// firstCapacity is the capacity of a buffer at first, in samples.
const firstCapacity = 16

// init empties the buffer and sets its capacity, rounded up to a power of two, at least 4 and at
// most 65536. Zero or less means [defaultCapacity].
func (b *sampleBuffer) init(capacity int) {
	if capacity <= 0 {
		capacity = defaultCapacity
	}
	b.most = min(max(4, 1<<bits.Len(uint(capacity-1))), 1<<16)
	b.samples = make([]Sample, 0, min(b.most, firstCapacity))
}

// Len returns the number of samples held.
func (b *sampleBuffer) Len() int { return len(b.samples) }

// At returns the i-th sample, 0 being the oldest. The pointer is valid until the next Push, Evict
// or Clear.
func (b *sampleBuffer) At(i int) *Sample { return &b.samples[i] }

// Push inserts a sample at its place and reports whether it was accepted. It refuses a sample of a
// time that is already held, a sample older than all others if the buffer is full, and a sample
// that is not [Sample.Valid].
func (b *sampleBuffer) Push(s Sample) bool {
	if !s.Valid() {
		return false
	}
	t := s.At()
	i := len(b.samples) // its place: behind the last older sample
	for i > 0 {
		if have := b.At(i - 1).At(); have == t {
			return false
		} else if have < t {
			break
		}
		i--
	}
	if len(b.samples) == b.most {
		if i == 0 {
			return false
		}
		b.samples = slices.Delete(b.samples, 0, 1)
		i--
	}
	b.samples = slices.Insert(b.samples, i, s.WithDefaults())
	b.revision++
	return true
}

// keepBehind is how many samples behind the view are not evicted: the one at which the view's
// segment starts, and two before it for the estimate of acceleration and for a late sample.
const keepBehind = 3

// Evict drops the samples that a view which never runs backwards no longer needs. The newest sample
// always stays.
func (b *sampleBuffer) Evict(view time.Duration) {
	if n := b.Find(view) - (keepBehind - 1); n > 0 {
		b.samples = slices.Delete(b.samples, 0, n)
	}
}

// Find returns the index of the newest sample at or before t, or -1 if there is none.
func (b *sampleBuffer) Find(t time.Duration) int {
	// The view is a few samples from the old end, so a linear search is faster than a bisection.
	i := 0
	for i < b.Len() && b.At(i).At() <= t {
		i++
	}
	return i - 1
}

// Clear drops all samples.
func (b *sampleBuffer) Clear() {
	if len(b.samples) > 0 {
		b.revision++
	}
	b.samples = b.samples[:0]
}
