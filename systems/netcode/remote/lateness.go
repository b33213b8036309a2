package remote

import (
	"math"
	"time"
)

// lateness keeps how much later than the fastest of their time the last snapshots came, and finds the 99th percentile of that.
//
// It is an exact window and not a histogram: 256 values are scanned in well under a microsecond, once per frame and connection; they keep
// their resolution when a two-second stall is among them, can be moved exactly when the route changes, and an old outlier is forgotten at a known age (8.5 s at 30 Hz),
// or before, when the time of stalls that it belongs to is over: see calm.
type lateness struct {
	values [256]time.Duration
	times  [256]time.Duration // when they came
	count  int
	next   int

	young int           // how many of the newest values are from after a time of stalls; 0: there was none, or it is not over
	limit time.Duration // what was later than this was such a stall
}

const (
	// stall is how much later than all since a snapshot must have come, to have been held up by something that may be over: less is jitter, and not worth the question.
	stall = 100 * time.Millisecond

	// calmOdds is the logarithm of the odds against a silence as long as this one, had the stalls gone on, at which they are believed to be over: a thousand to one. The
	// belief is given up with the next stall.
	calmOdds = 7

	// longer is how many values in a row must be late to be a longer way instead of stalls.
	longer = 5
)

// back returns the place of the value that came i before the newest.
func (l *lateness) back(i int) int { return (l.next - 1 - i + len(l.values)) % len(l.values) }

func (l *lateness) add(now, d time.Duration) {
	l.values[l.next], l.times[l.next] = d, now
	l.next = (l.next + 1) % len(l.values)
	l.count = min(l.count+1, len(l.values))
	if l.young > 0 {
		if l.young++; l.young >= l.count || d > l.limit {
			l.young = 0 // the stalls have left the window, or are back
		}
	}
}

// known returns how many of the newest values say something about those to come.
func (l *lateness) known() int {
	if l.young > 0 {
		return l.young
	}
	return l.count
}

// p99 returns the value that one in a hundred exceeds; the greatest of less than a hundred.
func (l *lateness) p99() time.Duration {
	var top [3]time.Duration // descending
	n := l.known()
	for i := range n {
		switch v := l.values[l.back(i)]; {
		case v > top[0]:
			top[0], top[1], top[2] = v, top[0], top[1]
		case v > top[1]:
			top[1], top[2] = v, top[1]
		case v > top[2]:
			top[2] = v
		}
	}
	return top[n/100]
}

// shift lowers all values, not below zero.
func (l *lateness) shift(by time.Duration) {
	for i := range l.count {
		v := &l.values[l.back(i)]
		*v = max(*v-by, 0)
	}
	l.limit -= by
}

// recent returns the greatest of the last five values if all of them are later than the limit, which then is a longer way and no stall; else zero.
func (l *lateness) recent(limit time.Duration) time.Duration {
	if l.count < longer {
		return 0
	}
	most := time.Duration(0)
	for i := range longer {
		v := l.values[l.back(i)]
		if v <= limit {
			return 0
		}
		most = max(most, v)
	}
	return most
}

// calm finds out whether a time of stalls is over, so that only what came since counts, and reports whether it has just been found so. Call it after each add.
//
// A stall is one event, however many snapshots it makes late. Of n stalls, with quiet times between them that add up to q, the odds against silence for another s, if
// they come at random, are (1+s/q)^n to 1 (the predictive distribution for a Poisson process of unknown rate). The end of the loss on an ordered stream that lost 15 % is
// believed after a second or two; that of stalls which came once a second or more seldom is not before the window has almost forgotten them.
func (l *lateness) calm() (began bool) {
	newest := l.times[l.back(0)]
	high := l.values[l.back(0)] // the greatest of the values newer than the i-th
	for i := 1; i < l.known(); i++ {
		v := l.values[l.back(i)]
		if v > high+stall {
			n, quiet := l.stalls(i, high+stall)
			silence := newest - l.times[l.back(i)]
			if quiet > 0 && float64(n)*math.Log1p(float64(silence)/float64(quiet)) >= calmOdds {
				l.young, l.limit = i, high+stall
				return true
			}
		}
		high = max(high, v)
	}
	return false
}

// stalls counts the stalls from the i-th newest value backwards that made some later than the limit, and the time outside of them. A stall begins where a late value
// follows one that was not, or silence.
func (l *lateness) stalls(i int, limit time.Duration) (n int, quiet time.Duration) {
	for ; i+1 < l.count; i++ {
		since := l.times[l.back(i)] - l.times[l.back(i+1)]
		switch {
		case l.values[l.back(i)] <= limit: // what is before a late value is the stall itself
			quiet += since
		case l.values[l.back(i+1)] <= limit || since > stall:
			n++
		}
	}
	return n, quiet
}
