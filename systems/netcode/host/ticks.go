package host

import (
	"slices"
	"sync"
	"time"
)

// window is the time over which the percentiles of the ticks are taken.
const window = time.Minute

// tickBounds are the upper bounds of the histogram's buckets, in ascending order. Those of the
// usual tick rates lie in the middle: a tick may take 7.8 ms at 128 Hz and 50 ms at 20 Hz.
var tickBounds = [...]time.Duration{
	250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond, 8 * time.Millisecond,
	16 * time.Millisecond, 32 * time.Millisecond, 64 * time.Millisecond, 128 * time.Millisecond, 256 * time.Millisecond, 512 * time.Millisecond,
}

// ticks holds the durations of a server's steps: the newest ones, and a histogram of all. The game
// adds to it without allocating, and any goroutine reads it.
type ticks struct {
	mu   sync.Mutex
	ring [8192]tick // two minutes at 60 Hz, a minute at 136 Hz
	histogram
}

// tick is a step that ended at a time and took a duration.
type tick struct{ at, took time.Duration }

// histogram counts durations since the start.
type histogram struct {
	count   uint64
	sum     time.Duration
	buckets [len(tickBounds)]uint64 // by the least bound that they do not exceed
}

// add records steps that ended at a time and took a duration each. Times never decrease.
func (t *ticks) add(at, took time.Duration, steps int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	bucket, _ := slices.BinarySearch(tickBounds[:], took)
	for range steps {
		t.ring[t.count%uint64(len(t.ring))] = tick{at, took}
		t.count++
		t.sum += took
		if bucket < len(t.buckets) {
			t.buckets[bucket]++
		}
	}
}

// all returns the histogram.
func (t *ticks) all() histogram {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.histogram
}

// recent returns percentiles of the last window before a time. They are zero without a step.
func (t *ticks) recent(now time.Duration) percentiles {
	var newest []time.Duration
	t.mu.Lock()
	for i := range min(t.count, uint64(len(t.ring))) {
		k := t.ring[(t.count-1-i)%uint64(len(t.ring))]
		if k.at <= now-window {
			break
		}
		newest = append(newest, k.took)
	}
	t.mu.Unlock()
	n := len(newest)
	if n == 0 {
		return percentiles{}
	}
	slices.Sort(newest)
	return percentiles{newest[n/2], newest[n*95/100], newest[n*99/100], newest[n-1]}
}

type percentiles struct{ p50, p95, p99, most time.Duration }
