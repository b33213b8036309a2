package clocksync

import "time"

// ringSize is how many samples a reference holds: 60 s at four a second, with a reserve.
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

// ring holds the newest samples in the order of their arrival.
type ring struct {
	buf     [ringSize]kept
	head, n int // index of the oldest, count
}

func (r *ring) at(i int) *kept { return &r.buf[(r.head+i)%ringSize] }

// push adds a sample, over the oldest one if the ring is full.
func (r *ring) push(k kept) {
	if r.n == ringSize {
		r.head = (r.head + 1) % ringSize
		r.n--
	}
	*r.at(r.n) = k
	r.n++
}

// dropBefore drops the samples that were received before t.
func (r *ring) dropBefore(t time.Duration) {
	for r.n > 0 && r.at(0).received < t {
		r.head = (r.head + 1) % ringSize
		r.n--
	}
}

// keep drops all but the newest n samples.
func (r *ring) keep(n int) {
	r.head = (r.head + r.n - n) % ringSize
	r.n = n
}

// sound returns how many of the oldest n samples are not outliers.
func (r *ring) sound(n int) (count int) {
	for i := range n {
		if !r.at(i).outlier {
			count++
		}
	}
	return count
}
