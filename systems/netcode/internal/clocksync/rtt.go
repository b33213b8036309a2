package clocksync

import "time"

// roundTrips smooths round-trip times. The mean moves by 1/8 of each difference, as in TCP (RFC
// 6298). The jitter is the mean difference between successive round trips with a weight of 1/16, as
// in RFC 3550 for arrivals. Unlike TCP's deviation from the mean it soon forgets a change of route,
// which is one large difference and not jitter. All arithmetic is in integers, so it is the same on
// every machine. The zero value is ready to use.
type roundTrips struct {
	smoothed time.Duration // 0 before the first
	// the mean difference: about the half-width of a uniform jitter that works in both directions;
	// 0 until there are two
	jitter time.Duration
	last   time.Duration
	n      int // round trips, up to jitterWeight+1
}

const (
	jitterWeight = 16
	// leastJitter is the jitter that is assumed before the first differences.
	leastJitter = 2 * time.Millisecond
)

// add takes one round trip.
func (r *roundTrips) add(rtt time.Duration) {
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
