package clocksync

import (
	"math"
	"slices"
	"time"
)

const (
	// waysFor is how long reported ways count for the median.
	waysFor = 2 * time.Second
	// waysLeast is the number of ways below which there is no median.
	waysLeast = 4
	// outage is the greatest delay of inputs beyond that of the newest that counts. A delay of a
	// second once in ten seconds is not worth a lead.
	outage = 250 * time.Millisecond

	// Jitter is counted in bins of a millisecond up to a quarter of a second, and forgotten within
	// half a minute.
	jitterBins = 256
	jitterBin  = time.Millisecond
	jitterFor  = 30 * time.Second
	// jitterLeast prevents a lead of a whole number of frames from being a nanosecond less than
	// that.
	jitterLeast = jitterBin / 8

	// lateFor is for how long a share of 1/lateShare of the inputs must have been late for the way
	// to count as longer.
	lateFor   = 200 * time.Millisecond
	lateShare = 3
	// A growing queue is likely to grow further. So the lead has a margin of riseAhead times the
	// growth in half of lateFor at first. The margin falls to nothing within riseFor.
	riseAhead = 12
	riseFor   = 2 * time.Second
)

// way is the reported way of one input, from the local time at which it was sent to the server time
// at which it arrived.
type way struct {
	at     time.Duration // local time of the report
	sent   time.Duration // and of the input
	took   time.Duration
	newest bool // of its report: shows the present state of the network
	late   bool
	bin    int // of the histogram
}

// ways holds the newest ways, for their median. A histogram that forgets holds how much
// longer than the median they have been.
type ways struct {
	ring[way]
	sorted  [ringSize]time.Duration // their durations
	median  time.Duration
	settled bool
	usual   time.Duration // the median, without leaps that have no reason; see settle

	bins   [jitterBins]float64
	fadeAt time.Duration
	spread time.Duration // the quantile

	rise    time.Duration
	hurried time.Duration // when late last returned true
}

// dropOldest drops the oldest way.
func (w *ways) dropOldest() {
	i, _ := slices.BinarySearch(w.sorted[:w.n], w.at(0).took)
	copy(w.sorted[i:], w.sorted[i+1:w.n])
	w.keep(w.n - 1)
	w.median = w.sorted[w.n/2]
}

func (w *ways) add(v way) {
	for w.n > 0 && (w.n == ringSize || w.at(0).at < v.at-waysFor) {
		w.dropOldest()
	}
	i, _ := slices.BinarySearch(w.sorted[:w.n], v.took)
	copy(w.sorted[i+1:], w.sorted[i:w.n])
	w.sorted[i] = v.took
	w.median = w.sorted[(w.n+1)/2]
	v.bin = int(min(max(0, (v.took-w.median)/jitterBin), jitterBins-1))
	w.bins[v.bin]++
	w.push(v)
}

// settle takes the median as the usual way. It leaps up only while inputs are late: the inputs that
// an outage has held up outnumber the others for a moment after it.
func (w *ways) settle(now time.Duration) {
	if !w.known() {
		return
	}
	if w.settled && w.median-w.usual > outage {
		if _, grows := w.growth(now); !grows {
			return
		}
	}
	w.settled, w.usual = true, w.median
}

// growth returns by how much the ways of late inputs have grown in half of lateFor. It reports
// false if that is not known, if the newest input is in time, or if the ways become shorter: then a
// queue drains that an outage has left.
func (w *ways) growth(now time.Duration) (time.Duration, bool) {
	newest := w.ago(0)
	if !newest.late {
		return 0, false
	}
	var fresh, stale struct { // inputs of the last half of lateFor, and earlier ones
		took, n time.Duration
	}
	for i := range w.n {
		v := w.ago(i)
		if v.late && v.newest {
			half := &fresh
			if now-v.at >= lateFor/2 {
				half = &stale
			}
			half.took += v.took - newest.took
			half.n++
		}
		if now-v.at >= lateFor {
			break
		}
	}
	if fresh.n == 0 || stale.n == 0 {
		return 0, false
	}
	growth := fresh.took/fresh.n - stale.took/stale.n
	return growth, growth >= -lateFor/4
}

// known reports whether there are enough ways for a median.
func (w *ways) known() bool { return w.n >= waysLeast }

// late reports whether too many inputs have been late, in reports over a long enough time, and the
// newest still is. A single stall is not a longer way, and neither are several that have ended, or
// a queue that drains. Inputs that were sent before late last returned true do not count. If it
// returns true, it drops the earlier ways.
func (w *ways) late(now time.Duration) bool {
	late, all := 0, 0
	newest := w.ago(0)
	if !newest.late {
		return false
	}
	first := newest // of the late inputs
	for i := range w.n {
		v := w.ago(i)
		if v.sent <= w.hurried {
			return false
		}
		all++
		if v.late {
			late++
			first = v
		}
		if now-v.at < lateFor {
			continue
		}
		span := newest.at - first.at
		if lateShare*late < all || all < waysLeast || span < lateFor/2 {
			return false
		}
		growth, grows := w.growth(now)
		if !grows {
			return false
		}
		w.rise, w.hurried = riseAhead*max(0, growth), now
		for w.n > i+1 {
			w.dropOldest()
		}
		for i := range w.n { // a rise common to all ways is not jitter
			if v := w.ago(i); v.newest {
				w.bins[v.bin] = max(0, w.bins[v.bin]-1)
				w.bins[0]++
				v.bin = 0
			}
		}
		return true
	}
	return false
}

// measure recomputes the quantile.
func (w *ways) measure(now time.Duration, q float64) {
	fade := math.Exp(-float64(max(0, now-w.fadeAt)) / float64(jitterFor))
	w.fadeAt = now
	total := 0.0
	for i := range w.bins {
		w.bins[i] *= fade
		total += w.bins[i]
	}
	beyond := 0.0
	for i := jitterBins - 1; i >= 0; i-- {
		if beyond += w.bins[i]; beyond > (1-q)*total {
			w.spread = time.Duration(i)*jitterBin + jitterLeast
			break
		}
	}
}

// jitter returns how much longer than the median a way may be to be covered by the lead, as of the
// last report.
func (w *ways) jitter() time.Duration {
	if !w.known() {
		return 0
	}
	rise := time.Duration(0)
	if since := w.fadeAt - w.hurried; since >= 0 && since < riseFor {
		rise = time.Duration(float64(w.rise) * (1 - float64(since)/float64(riseFor)))
	}
	return w.spread + rise
}
