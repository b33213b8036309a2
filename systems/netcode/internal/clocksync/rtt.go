package clocksync

import "time"

// RTT smooths round-trip times. The mean moves by 1/8 of each difference, as in TCP (RFC 6298). The
// jitter is the mean difference between successive round trips with a weight of 1/16, as in RFC
// 3550 for arrivals. Unlike TCP's deviation from the mean it soon forgets a change of route, which
// is one large difference and not jitter. All arithmetic is in integers, so it is the same on every
// machine. The zero value is ready to use.
type RTT struct {
	smoothed, jitter, last time.Duration
	n                      int // round trips, up to jitterWeight+1
}

const (
	jitterWeight = 16
	// leastJitter is the jitter that is assumed before the first differences.
	leastJitter = 2 * time.Millisecond
)

// Add takes one round trip. Negative ones are ignored.
func (r *RTT) Add(rtt time.Duration) {
	if rtt < 0 {
		return
	}
	if r.n == 0 {
		r.smoothed = rtt
	} else {
		difference := (rtt - r.last).Abs()
		// a single jump is not jitter, several are
		difference = min(difference, 4*max(r.jitter, leastJitter)+time.Millisecond)
		r.jitter += (difference - r.jitter) / time.Duration(min(r.n, jitterWeight))
		r.smoothed += (rtt - r.smoothed) / 8
	}
	r.last = rtt
	r.n = min(r.n+1, jitterWeight+1)
}

// Smoothed returns the smoothed round-trip time, and 0 before the first sample.
func (r *RTT) Smoothed() time.Duration { return r.smoothed }

// Jitter returns the mean difference between successive round trips: about the half-width of a
// uniform jitter that works in both directions. It is 0 until there are two.
func (r *RTT) Jitter() time.Duration { return r.jitter }

// Last returns the newest round trip.
func (r *RTT) Last() time.Duration { return r.last }
