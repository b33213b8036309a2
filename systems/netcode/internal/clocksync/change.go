package clocksync

import (
	"math"
	"time"
)

// Change is a change that [Reference.Add] recognised. The zero value means that nothing changed.
type Change struct {
	// RTT is the change of the quickest round trip, if the route changed: the quickest round trip
	// rose or fell permanently. The reference did not step.
	RTT time.Duration
	// Step is the step of the reference, if a clock stepped: the server's clock moved relative to
	// the client's by more than any delay explains. The reference followed at once.
	Step time.Duration
}

// contradiction is the way in which a sample contradicts the earlier samples.
type contradiction uint8

const (
	none   contradiction = iota
	slower               // than nearly all before
	faster               // than all before
	ahead                // server time is later than its delay can explain
	behind               // server time is earlier than its delay can explain
)

// run counts the newest samples that deviate in the same way. They are left out of the fit until
// they take over or the run is broken.
type run struct {
	kind  contradiction
	n     int
	began time.Duration
	// round trip of the pings sent since: an earlier ping took the old path in one direction
	quickest time.Duration
	reported bool // as a change of route
}

const (
	// routeStep is the least change of the round trip that is treated as a change of route; the
	// window absorbs smaller ones.
	routeStep = 5 * time.Millisecond
	// clockSlack is how far an offset may be off beyond the error that its delay explains.
	clockSlack = 5 * time.Millisecond

	// A run of slower samples is reported as a change of route after slowFor. It takes over after
	// slowHeld, or when fewer than leastHeld of the earlier samples are left.
	slowFor   = 5 * time.Second
	slowHeld  = 40 * time.Second
	leastHeld = 8
	// A broken run of at least queueLeast slower samples was a queue. A shorter one is jitter.
	queueLeast = 8
	// fastLeast quicker samples over fastFor are a new path. The time prevents a burst of answers
	// after a stall from counting as a new path. It takes over when a line can be fitted through it
	// (MinSpan), or after nearLeast if its round trips are near.
	fastLeast = 8
	fastFor   = 1200 * time.Millisecond
	nearLeast = 16
	// stepLeast samples over stepFor that are consistent with each other are a step of a clock.
	stepLeast = 4
	stepFor   = 500 * time.Millisecond
)

// follow adds a sample, compares it with what the others predict, and adapts the reference once a
// run of contradictions is confirmed.
func (r *Reference) follow(k kept) (change Change) {
	before := r.Offset(k.received)
	kind := r.classify(k)
	if r.run.kind == faster && r.run.reported && kind != faster {
		// enough samples of the new path are held
		r.takeOver(r.run.n, before, k.received)
		kind = r.classify(k)
	}
	if kind != r.run.kind {
		if r.run.reported && kind == none { // a long queue has drained
			change.RTT = r.base - r.run.quickest
		}
		r.breakRun()
		r.run = run{kind: kind, began: k.received, quickest: math.MaxInt64}
	}
	r.samples.push(k)
	if kind == none {
		r.fence.take(k)
		r.fit()
		return change
	}
	r.run.n = min(r.run.n+1, r.samples.n)
	if k.sent >= r.run.began || kind == faster {
		r.run.quickest = min(r.run.quickest, k.rtt)
	}
	span := k.received - r.run.began
	if kind == ahead || kind == behind {
		if n, f := r.agreeing(); n > 0 {
			r.fence = f
			r.takeOver(n, before, k.received)
			r.bias = bias{}
			return Change{Step: r.Offset(k.received) - before}
		}
		if r.run.n >= ringSize/4 { // noise, not a step
			r.breakRun()
		}
		return change
	}
	if !r.run.reported && r.run.quickest < math.MaxInt64 &&
		(kind == slower && span >= slowFor || kind == faster && span >= fastFor && r.run.n >= fastLeast) {
		r.run.reported = true
		change.RTT = r.run.quickest - r.base
	}
	if kind == slower || r.run.reported {
		r.prove(r.run.n)
	}
	enough := span >= slowHeld
	if kind == faster {
		enough = span >= minSpan || r.run.quickest <= nearPath && r.run.n >= nearLeast
	}
	if enough && r.run.reported || r.sound() < leastHeld {
		r.takeOver(r.run.n, before, k.received)
	}
	return change
}

// prove narrows the fence by the newest n samples.
func (r *Reference) prove(n int) {
	for i := r.samples.n - n; i < r.samples.n; i++ {
		r.fence.take(*r.samples.at(i))
	}
}

// takeOver drops all but the newest n samples and continues from the offset before, without a step.
// Of the earlier state it keeps only the drift.
func (r *Reference) takeOver(n int, before, now time.Duration) {
	r.samples.keep(n)
	r.run = run{}
	for i := range n {
		r.samples.at(i).outlier = false
	}
	r.prove(n)
	r.learned.weight /= 4
	r.prior = r.learned
	r.fit()
	r.bias = bias{now, before - r.line.at(now), bleed}
}

// dropFar drops the older half of the samples or more, if the newest ones are near and the fit may
// be off by more than the round trip of a near path explains. Then queues have spoilt the fit.
func (r *Reference) dropFar(before, now time.Duration) {
	lo, hi := r.fence.at(now)
	at := r.line.at(now)
	if max(hi-at, at-lo) <= nearPath/2 || r.run.kind == ahead || r.run.kind == behind {
		return
	}
	n := 0
	for n < r.samples.n/2 && r.samples.ago(n).near() {
		n++
	}
	if n >= nearLeast {
		r.takeOver(n, before, now)
	}
}

// agreeing returns how many of the newest samples of the run prove a step, and the fence that they
// prove together. It returns 0 if they are too few, too close together, or contradict each other.
func (r *Reference) agreeing() (n int, f fence) {
	last := r.samples.n - 1
	for i := last; i >= r.samples.n-r.run.n; i-- {
		k := *r.samples.at(i)
		since := r.samples.at(last).received - k.received
		k.received += since // its bounds as they are now
		if !f.take(k) {
			return 0, fence{}
		}
		if last-i+1 >= stepLeast && since >= stepFor {
			return last - i + 1, f
		}
	}
	return 0, fence{}
}

// sound returns how many samples are in the fit: those before the run, without outliers.
func (r *Reference) sound() (count int) {
	for i := range r.samples.n - r.run.n {
		if !r.samples.at(i).outlier {
			count++
		}
	}
	return count
}

// classify returns how a sample contradicts the fence and the fit.
func (r *Reference) classify(k kept) contradiction {
	lo, hi := r.fence.at(k.received)
	switch l, h := k.bounds(); {
	case l > hi:
		return ahead
	case h < lo:
		return behind
	}
	if r.sound() < leastHeld {
		// the quickest round trip is not yet known
		return none
	}
	excess := k.rtt - r.base
	slack := clockSlack + excess.Abs()/2 + r.limit() + time.Duration(r.doubt+unknownDrift*float64(k.middle-r.line.pivot))
	switch off := k.offset - r.line.at(k.middle); {
	case off > slack:
		return ahead
	case off < -slack:
		return behind
	case excess > routeStep && k.rtt > r.middle+2*r.spread:
		return slower
	case excess < -max(routeStep, r.spread):
		return faster
	}
	return none
}

// breakRun ends a run that was not confirmed. A few slow samples are jitter and are kept in the
// fit. The samples of a queue have little information about the offset. Impossible offsets are
// wrong, and so are a few samples that were far too quick (an answer that waited while the machine
// slept with its clock stopped). All of these become outliers.
func (r *Reference) breakRun() {
	if r.run.kind != slower || r.run.n >= queueLeast {
		for i := r.samples.n - r.run.n; i < r.samples.n; i++ {
			r.samples.at(i).outlier = true
		}
	}
	r.run = run{}
}

// bias is added to the offset of the current path so that the reference continues from the offset
// of the last path. It bleeds to 0.
type bias struct {
	start time.Duration // client time at which it was value
	value time.Duration
	bleed float64
}

const (
	// nearPath is the longest round trip at which the middle of the fence is as good as the old
	// path's offset: it is off by half of the round trip at most. nearBleed is how much faster the
	// bias bleeds there.
	nearPath  = 100 * time.Millisecond
	nearBleed = 20
)

// limit clamps the bias between two bounds, without moving it away from 0, and sets how fast it
// bleeds from now on.
func (b *bias) limit(now, lo, hi time.Duration, bleed float64) {
	v := b.at(now)
	if v > 0 {
		v = max(0, min(v, hi))
	} else {
		v = min(0, max(v, lo))
	}
	*b = bias{now, v, bleed}
}

func (b bias) at(local time.Duration) time.Duration {
	bled := time.Duration(float64(max(0, local-b.start)) * b.bleed)
	if b.value < 0 {
		return min(0, b.value+bled)
	}
	return max(0, b.value-bled)
}
