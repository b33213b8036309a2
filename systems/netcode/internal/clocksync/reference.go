package clocksync

import "time"

const (
	// window is how long samples are kept, on the client's clock. With four pings a second and 10
	// ms of jitter, that gives the drift of a clock to about 20 ppm. The ring holds 256 samples, so
	// faster pings are kept for less time.
	window = 60 * time.Second
	// minSpan is how much time the samples must cover before the drift is estimated. With less,
	// jitter counts as drift.
	minSpan = 8 * time.Second
	// maxDrift bounds the estimated drift, in seconds per second: 2500 ppm. Crystals stay below 200
	// ppm, virtual machines and bad drivers reach 2000.
	maxDrift = 0.0025
	// maxRTT is the longest round trip that counts as a sample: the delay of a full queue on a slow
	// line.
	maxRTT = 20 * time.Second
	// bleed is how fast the reference moves from the old path's offset to the new path's after a
	// route change, in seconds per second. It is nearBleed times as fast where round trips are at
	// most nearPath.
	bleed = 0.0005
)

// Reference estimates the server's time from the client's: At(t) = t + offset + drift*(t-t0). It
// takes four-stamp samples, about four a second, and gives a result for any time, past or future.
// It may step when better samples arrive, so a game does not run by it: [Simulation] follows it
// smoothly.
//
// The network can only lengthen a round trip, so the quickest samples are the most accurate (the
// minimum filter of NTP, RFC 5905, section 10). Samples within max(2 ms, jitter) of the quickest
// are used, where jitter is three mean deviations. A sample that took x longer than the quickest
// has the weight of an error of x/2, which is its bound. Once the samples cover eight seconds, a
// line is fitted through them by least squares, so drift is extrapolated.
//
// Every sample also proves a bound: the offset is within half of the round trip around the measured
// one, and moves by at most 2500 ppm. The intersection of all these bounds is the fence (Marzullo,
// "Maintaining the Time in a Distributed System", 1984). The reference is always within it, even if
// the fit is not.
//
// A lasting rise of the quickest round trip is a queue or another route. The earlier samples are
// more accurate than those that waited in a queue, so they are extrapolated with the drift until
// they are 40 s old. After that, or when round trips have become quicker permanently, the new
// path's samples take over without a step. The difference to the old path's offset fades at 500
// ppm. On a path of at most 100 ms the offset of a sample is off by 50 ms at most, so there the
// difference fades within ten seconds, and the older half of the samples is dropped for as long as
// the fit may be off by more than that.
//
// After a clock has stepped (a suspended machine, a server that lost time), samples contradict the
// fence, or their offset differs by more than their own delay explains. A few such samples are
// dropped. If four of them over half a second are consistent with each other, the reference follows
// them at once, and a new fence begins with them.
//
// Create it with [NewReference]. It holds 14 KB, never allocates afterwards and belongs to one
// goroutine.
type Reference struct {
	samples ring[kept]
	line    line          // server minus client time as the current path shows it
	base    time.Duration // quickest round trip of the samples in the fit
	middle  time.Duration // median of their round trips
	spread  time.Duration // mean deviation of the quicker half from it
	sorted  [ringSize]time.Duration
	run     run
	bias    bias
	fence   fence
	prior   slope // of the line, from the paths before
	learned slope // with the present one
	rtt     roundTrips
	doubt   float64 // ns that the line may be off while it has no slope of its own
}

// NewReference returns a reference clock without samples.
func NewReference() *Reference {
	none := slope{weight: 1 / (maxDrift * maxDrift)} // a drift of 0 plus or minus maxDrift
	return &Reference{prior: none, learned: none}
}

// Add adds one sample, received now, and reports a change of the route or a step of a clock if this
// sample confirmed one. An impossible, duplicate or reordered sample is refused with an error and
// changes nothing.
func (r *Reference) Add(s Sample) (Change, error) {
	if err := r.check(s); err != nil {
		return Change{}, err
	}
	rtt := s.RTT()
	r.rtt.add(rtt)
	for r.samples.n > 0 && r.samples.at(0).received < s.ClientReceive-window {
		r.samples.keep(r.samples.n - 1)
	}
	k := kept{
		sent:     s.ClientSend,
		received: s.ClientReceive,
		middle:   s.ClientSend + (s.ClientReceive-s.ClientSend)/2,
		offset:   s.Offset(),
		rtt:      rtt,
	}
	r.run.n = min(r.run.n, r.samples.n)
	var change Change
	if r.sound() > 0 {
		before := r.Offset(k.received)
		change = r.follow(k)
		r.dropFar(before, k.received)
	} else { // nothing is left to compare with
		r.begin(k)
	}
	rate := bleed
	if r.base <= nearPath {
		rate *= nearBleed
	}
	lo, hi := r.fence.at(k.received)
	r.bias.limit(k.received, lo-r.line.at(k.received), hi-r.line.at(k.received), rate)
	return change, nil
}

// begin restarts with one sample, and keeps the fence if the two agree.
func (r *Reference) begin(k kept) {
	r.samples.keep(0)
	r.samples.push(k)
	r.run, r.bias = run{}, bias{}
	r.prior = r.learned
	if !r.fence.take(k) {
		r.fence = fence{}
		r.fence.take(k)
	}
	r.fit()
}

// check returns the reason to refuse a sample, or nil.
func (r *Reference) check(s Sample) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if s.RTT() > maxRTT {
		return ErrSlow
	}
	if r.samples.n == 0 {
		return nil
	}
	if s.ClientReceive < r.samples.ago(0).received {
		return ErrOrder
	}
	for i := range r.samples.n {
		if r.samples.at(i).sent == s.ClientSend {
			return ErrDuplicate
		}
	}
	return nil
}

// Ready reports whether three samples have arrived, which is enough to start a clock.
func (r *Reference) Ready() bool { return r.samples.n >= 3 }

// At returns the server's time at a time of the client's monotonic clock, and local itself before
// the first sample.
func (r *Reference) At(local time.Duration) time.Duration {
	return local + r.Offset(local)
}

// Offset returns server time minus client time at a time of the client's clock.
func (r *Reference) Offset(local time.Duration) time.Duration {
	lo, hi := r.fence.at(local)
	return min(max(r.line.at(local)+r.bias.at(local), lo), hi)
}

// Drift returns the estimated rate of the server's clock against the client's, less one: +0.0005 if
// the client's clock loses 500 microseconds a second. It is 0 until the samples cover eight
// seconds, and never beyond 0.0025.
func (r *Reference) Drift() float64 { return r.line.drift }

// MinRTT returns the quickest round trip of the current path within a minute.
func (r *Reference) MinRTT() time.Duration {
	if r.run.reported {
		return r.run.quickest
	}
	return r.base
}
