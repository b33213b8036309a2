package clocksync

import (
	"cmp"
	"fmt"
	"time"
)

// ReferenceConfig configures a [Reference]. The zero value stands for the documented defaults.
type ReferenceConfig struct {
	// Window is how long samples are kept, on the client's clock. Zero means 60 s. With four pings
	// a second and 10 ms of jitter, that gives the drift of a clock to about 20 ppm. 10 s to 10
	// min. The ring holds 256 samples, so faster pings are kept for less time.
	Window time.Duration
	// MinSpan is how much time the samples must cover before the drift is estimated. Zero means 8
	// s. With less, jitter counts as drift. 1 s to Window.
	MinSpan time.Duration
	// MaxDrift bounds the estimated drift, in seconds per second. Zero means 0.0025 (2500 ppm;
	// crystals stay below 200 ppm, virtual machines and bad drivers reach 2000). Above 0, at most
	// 0.05.
	MaxDrift float64
	// MaxRTT is the longest round trip that counts as a sample. Zero means 20 s, the delay of a
	// full queue on a slow line. Above 0, at most 60 s.
	MaxRTT time.Duration
	// Bleed is how fast the reference moves from the old path's offset to the new path's after a
	// route change, in seconds per second. It is twenty times as fast where round trips are at most
	// 100 ms (see [Reference]). Zero means 0.0005. Above 0, at most 0.05.
	Bleed float64
}

func (c ReferenceConfig) withDefaults() (ReferenceConfig, error) {
	c.Window = cmp.Or(c.Window, 60*time.Second)
	c.MinSpan = cmp.Or(c.MinSpan, 8*time.Second)
	c.MaxDrift = cmp.Or(c.MaxDrift, 0.0025)
	c.MaxRTT = cmp.Or(c.MaxRTT, 20*time.Second)
	c.Bleed = cmp.Or(c.Bleed, 0.0005)
	switch {
	case c.Window < 10*time.Second || c.Window > 10*time.Minute:
		return c, fmt.Errorf("clocksync: ReferenceConfig.Window is %v; use 10 s to 10 min", c.Window)
	case c.MinSpan < time.Second || c.MinSpan > c.Window:
		return c, fmt.Errorf("clocksync: ReferenceConfig.MinSpan is %v; use 1 s up to Window (%v)", c.MinSpan, c.Window)
	case !(c.MaxDrift > 0 && c.MaxDrift <= 0.05):
		return c, fmt.Errorf("clocksync: ReferenceConfig.MaxDrift is %v; use a fraction above 0 and up to 0.05", c.MaxDrift)
	case c.MaxRTT < 0 || c.MaxRTT > 60*time.Second:
		return c, fmt.Errorf("clocksync: ReferenceConfig.MaxRTT is %v; use a time above 0 and up to 60 s", c.MaxRTT)
	case !(c.Bleed > 0 && c.Bleed <= 0.05):
		return c, fmt.Errorf("clocksync: ReferenceConfig.Bleed is %v; use a fraction above 0 and up to 0.05", c.Bleed)
	}
	return c, nil
}

// Reference estimates the server's time from the client's: At(t) = t + offset + drift*(t-t0). It
// takes four-stamp samples, about four a second, and gives a result for any time, past or future.
// It may step when better samples arrive, so a game does not run by it: [Simulation] follows it
// smoothly.
//
// The network can only lengthen a round trip, so the quickest samples are the most accurate (the
// minimum filter of NTP, RFC 5905, section 10). Samples within max(2 ms, jitter) of the quickest
// are used, where jitter is three mean deviations. A sample that took x longer than the quickest
// has the weight of an error of x/2, which is its bound. Once the samples cover MinSpan, a line is
// fitted through them by least squares, so drift is extrapolated.
//
// Every sample also proves a bound: the offset is within half of the round trip around the measured
// one, and moves by at most MaxDrift. The intersection of all these bounds is the fence (Marzullo,
// "Maintaining the Time in a Distributed System", 1984). The reference is always within it, even if
// the fit is not.
//
// A lasting rise of the quickest round trip is a queue or another route. The earlier samples are
// more accurate than those that waited in a queue, so they are extrapolated with the drift until
// they are 40 s old. After that, or when round trips have become quicker permanently, the new
// path's samples take over without a step. The difference to the old path's offset fades at 500
// ppm. On a path of at most 100 ms the offset is off by 50 ms at most, so there the difference
// fades within ten seconds.
//
// After a clock has stepped (a suspended machine, a server that lost time), samples contradict the
// fence, or their offset differs by more than their own delay explains. A few such samples are
// dropped. If four of them over half a second are consistent with each other, the reference follows
// them at once, and a new fence begins with them.
//
// Create it with [NewReference]. It holds 14 KB, never allocates afterwards and belongs to one
// goroutine.
type Reference struct {
	config  ReferenceConfig
	samples ring
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
	rtt     RTT
	used    int
	doubt   float64 // ns that the line may be off while it has no slope of its own
	refused uint64
}

// NewReference returns a reference clock without samples, or an error that names the bad field of
// the configuration.
func NewReference(config ReferenceConfig) (*Reference, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	// a drift of 0 plus or minus MaxDrift
	none := slope{weight: 1 / (config.MaxDrift * config.MaxDrift)}
	return &Reference{config: config, prior: none, learned: none}, nil
}

// Add adds one sample, received now, and reports a change of the route or a step of a clock if this
// sample confirmed one. An impossible, duplicate or reordered sample is refused with an error and
// changes nothing.
func (r *Reference) Add(s Sample) (Change, error) {
	if err := r.check(s); err != nil {
		r.refused++
		return Change{}, err
	}
	rtt := s.RTT()
	r.rtt.Add(rtt)
	r.samples.dropBefore(s.ClientReceive - r.config.Window)
	k := kept{
		sent:     s.ClientSend,
		received: s.ClientReceive,
		middle:   s.ClientSend + (s.ClientReceive-s.ClientSend)/2,
		offset:   s.Offset(),
		rtt:      rtt,
	}
	r.run.n = min(r.run.n, r.samples.n)
	var change Change
	if r.samples.sound(r.samples.n-r.run.n) > 0 {
		change = r.follow(k)
	} else { // nothing is left to compare with
		r.begin(k)
	}
	rate := r.config.Bleed
	if r.base <= nearPath {
		rate *= nearBleed
	}
	lo, hi := r.fence.at(k.received, r.config.MaxDrift)
	r.bias.limit(k.received, lo-r.line.at(k.received), hi-r.line.at(k.received), rate)
	return change, nil
}

// begin restarts with one sample, and keeps the fence if the two agree.
func (r *Reference) begin(k kept) {
	r.samples.keep(0)
	r.samples.push(k)
	r.run, r.bias = run{}, bias{}
	r.prior = r.learned
	if !r.fence.take(k, r.config.MaxDrift) {
		r.fence = fence{}
		r.fence.take(k, r.config.MaxDrift)
	}
	r.fit()
}

// check returns the reason to refuse a sample, or nil.
func (r *Reference) check(s Sample) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if s.RTT() > r.config.MaxRTT {
		return ErrSlow
	}
	if r.samples.n == 0 {
		return nil
	}
	if s.ClientReceive < r.samples.at(r.samples.n-1).received {
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
	lo, hi := r.fence.at(local, r.config.MaxDrift)
	return min(max(r.line.at(local)+r.bias.at(local), lo), hi)
}

// Drift returns the estimated rate of the server's clock against the client's, less one: +0.0005 if
// the client's clock loses 500 microseconds a second. It is 0 until the samples cover MinSpan, and
// never beyond MaxDrift.
func (r *Reference) Drift() float64 { return r.line.drift }

// RTT returns the smoothed round-trip time and its deviation.
func (r *Reference) RTT() RTT { return r.rtt }

// MinRTT returns the quickest round trip of the current path within Window.
func (r *Reference) MinRTT() time.Duration {
	if r.run.reported {
		return r.run.quickest
	}
	return r.base
}

// Used returns how many of the samples held are in the estimate.
func (r *Reference) Used() int { return r.used }

// Held returns how many samples are held.
func (r *Reference) Held() int { return r.samples.n }

// Refused returns how many samples were refused since the beginning.
func (r *Reference) Refused() uint64 { return r.refused }
