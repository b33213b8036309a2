package remote

import "time"

// lateness keeps how much later than the fastest of their time the last snapshots came, and finds the 99th percentile of that.
//
// It is an exact window and not a histogram: 256 values are scanned in well under a microsecond, once per frame and connection; they keep
// their resolution when a two-second stall is among them, can be moved exactly when the route changes, and an old outlier is forgotten at a known age (8.5 s at 30 Hz).
type lateness struct {
	values [256]time.Duration
	count  int
	next   int
}

func (l *lateness) add(d time.Duration) {
	l.values[l.next] = d
	l.next = (l.next + 1) % len(l.values)
	l.count = min(l.count+1, len(l.values))
}

// p99 returns the value that one in a hundred exceeds; the greatest of less than a hundred.
func (l *lateness) p99() time.Duration {
	var top [3]time.Duration // descending
	for _, v := range l.values[:l.count] {
		switch {
		case v > top[0]:
			top[0], top[1], top[2] = v, top[0], top[1]
		case v > top[1]:
			top[1], top[2] = v, top[1]
		case v > top[2]:
			top[2] = v
		}
	}
	return top[l.count/100]
}

// shift lowers all values, not below zero.
func (l *lateness) shift(by time.Duration) {
	for i := range l.values[:l.count] {
		l.values[i] = max(l.values[i]-by, 0)
	}
}

// recent returns the median of the last five values.
func (l *lateness) recent() time.Duration {
	var sorted [5]time.Duration
	n := min(l.count, len(sorted))
	if n == 0 {
		return 0
	}
	for i := range n {
		v := l.values[(l.next-1-i+len(l.values))%len(l.values)]
		j := i
		for ; j > 0 && sorted[j-1] > v; j-- {
			sorted[j] = sorted[j-1]
		}
		sorted[j] = v
	}
	return sorted[n/2]
}
