package clocksync

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestRoundTripsFollowTheMean(t *testing.T) {
	var r roundTrips
	r.add(80 * ms)
	if r.smoothed != 80*ms || r.jitter != 0 {
		t.Errorf("after one: %v, jitter %v; want 80ms and 0", r.smoothed, r.jitter)
	}
	r.add(160 * ms)
	if r.smoothed != 90*ms || r.jitter != 9*ms || r.last != 160*ms {
		t.Errorf("after two: %v, jitter %v; want 90ms and 9 ms, since one jump says little", r.smoothed, r.jitter)
	}
}

// The difference of two round trips contains four uniform variables of half-width a. Its mean
// magnitude is 14/15 of a.
func TestJitterOfAUniformLink(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	uniform := func() time.Duration { return time.Duration((2*rng.Float64() - 1) * float64(10*ms)) }
	var r roundTrips
	var sum time.Duration
	for i := range 2000 {
		r.add(200*ms + uniform() + uniform())
		if i >= 1000 {
			sum += r.jitter
		}
	}
	if mean := sum / 1000; (mean - 9333*time.Microsecond).Abs() > 600*time.Microsecond {
		t.Errorf("mean jitter %v, want 9.3 ms", mean)
	}
}

// A change of route is one large difference and adds little to the jitter. Lasting jitter is still
// measured.
func TestJitterShrugsOffARouteChange(t *testing.T) {
	var r roundTrips
	for i := range 100 {
		r.add(100*ms + time.Duration(i%2)*4*ms)
	}
	if got := r.jitter; got < 3900*time.Microsecond || got > 4100*time.Microsecond {
		t.Errorf("jitter %v, want 4 ms", got)
	}
	r.add(400 * ms)
	if got := r.jitter; got > 5*ms {
		t.Errorf("one step of 300 ms makes the jitter %v", got)
	}
	for i := range 40 {
		r.add(100*ms + time.Duration(i%2)*100*ms)
	}
	if got := r.jitter; got < 85*ms {
		t.Errorf("after 10 s of 100 ms differences the jitter is %v", got)
	}
}
