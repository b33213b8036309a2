package clocksync

import "time"

// ChangeKind says what a [Change] is.
type ChangeKind uint8

const (
	// NoChange is the kind of the zero Change: nothing happened.
	NoChange ChangeKind = iota
	// RouteChanged: the quickest round trip rose or fell for good. The reference did not step.
	RouteChanged
	// ClockStepped: the server's clock moved against the client's by more than any delay explains. The reference followed at once.
	ClockStepped
)

func (k ChangeKind) String() string {
	switch k {
	case RouteChanged:
		return "route changed"
	case ClockStepped:
		return "clock stepped"
	}
	return "no change"
}

// Change is what [Reference.Add] recognised.
type Change struct {
	Kind ChangeKind
	// RTT is by how much the quickest round trip changed.
	RTT time.Duration
	// Step is by how much the reference stepped.
	Step time.Duration
}

// deviation says in which way a sample contradicts the ones before it.
type deviation uint8

const (
	none   deviation = iota
	slower           // than nearly all before
	faster           // than all before
	ahead            // server time is later than its delay can explain
	behind           // server time is earlier than its delay can explain
)

// run counts the newest samples that deviate in the same way. They stay out of the fit until it is confirmed or broken.
type run struct {
	kind  deviation
	n     int
	since time.Duration // when the first of them was received
}

// needs returns how many samples over how much time confirm a run, and how many at its beginning are not believed. A new path wants
// proof and a good mean, and there is time, because the reference needs no change; a clock that stepped has to be followed soon. The time
// keeps a burst of answers that one stall held back from passing for a new path.
func (d deviation) needs() (n int, span time.Duration, skip int) {
	switch d {
	case slower:
		return 10, 1500 * time.Millisecond, 3 // pings under way during the change took only one direction of the slower path
	case faster:
		return 8, 1500 * time.Millisecond, 0
	}
	return 4, 500 * time.Millisecond, 0
}

const (
	// routeStep is the least change of the round trip that is treated as a change of route; the window absorbs smaller ones.
	routeStep = 5 * time.Millisecond
	// clockSlack is what an offset may be off beyond what its delay explains.
	clockSlack = 5 * time.Millisecond
)

// follow adds a sample, compares it with what the others predict, and adapts the reference once a run of deviations is confirmed.
func (r *Reference) follow(k kept) Change {
	kind := r.classify(k)
	if kind != r.run.kind {
		r.breakRun()
		r.run = run{kind: kind, since: k.received}
	}
	r.samples.push(k)
	if kind == none {
		return Change{}
	}
	r.run.n++
	n, span, skip := kind.needs()
	if r.run.n < n || k.received-r.run.since < span && r.run.n < ringSize/2 {
		return Change{}
	}
	change := r.rekey(k.received, skip)
	r.run = run{}
	return change
}

// classify tells how a sample contradicts the model.
func (r *Reference) classify(k kept) deviation {
	few := r.samples.n-r.run.n < 8 // the quickest round trip is not yet known
	excess := k.rtt - r.base
	unexplained := magnitude(excess)/2 + r.limit()
	if few {
		unexplained = (k.rtt + r.base) / 2
	}
	slack := clockSlack + unexplained + time.Duration(r.doubt+unknownDrift*float64(k.middle-r.line.pivot))
	switch error := k.offset - r.line.at(k.middle); {
	case error > slack:
		return ahead
	case error < -slack:
		return behind
	case few: // to tell a route from luck
		return none
	case excess > routeStep && k.rtt > r.mean+2*r.spread:
		return slower
	case excess < -max(routeStep, r.spread):
		return faster
	}
	return none
}

// breakRun gives up on an unconfirmed run. Round trips were luck or a queue, and stay; impossible offsets are dropped for good.
func (r *Reference) breakRun() {
	if r.run.kind == ahead || r.run.kind == behind {
		for i := r.samples.n - r.run.n; i < r.samples.n; i++ {
			r.samples.at(i).outlier = true
		}
	}
	r.run = run{}
}

// rekey moves the samples from before the confirmed run to where they would lie after it.
func (r *Reference) rekey(now time.Duration, skip int) Change {
	start := r.samples.n - r.run.n
	clean := start + skip
	quickest := r.samples.at(clean).rtt
	for i := clean; i < r.samples.n; i++ {
		quickest = min(quickest, r.samples.at(i).rtt)
	}
	var sum, weights float64
	for i := clean; i < r.samples.n; i++ {
		k := r.samples.at(i)
		if excess := k.rtt - quickest; excess <= r.limit() {
			w := weight(excess, 0)
			sum += w * float64(k.offset-r.line.at(k.middle))
			weights += w
		}
	}
	moved := time.Duration(sum / weights)

	change := Change{Kind: ClockStepped, Step: moved}
	if r.run.kind == slower || r.run.kind == faster {
		// One direction gained at most all of the difference, which moves the offset by half. What is clearly more than that was a clock.
		change = Change{Kind: RouteChanged, RTT: quickest - r.base}
		most := (magnitude(change.RTT)+r.limit())/2 + clockSlack
		change.Step = moved - min(max(moved, -most), most)
		r.bias.set(now, r.bias.at(now)-(moved-change.Step), r.config.Bleed)
	}
	for i := range start {
		k := r.samples.at(i)
		k.offset += moved
		k.rtt += change.RTT
	}
	for i := start; i < clean; i++ {
		r.samples.at(i).outlier = true
	}
	r.line.offset += moved
	return change
}

// bias is what a reference adds to the offset of the current path to go on from that of the last one. It bleeds to 0.
type bias struct {
	start time.Duration // client time at which it was value
	value time.Duration
	bleed float64
}

func (b *bias) set(now, value time.Duration, bleed float64) { *b = bias{now, value, bleed} }

func (b bias) at(local time.Duration) time.Duration {
	bled := time.Duration(float64(max(0, local-b.start)) * b.bleed)
	if b.value < 0 {
		return min(0, b.value+bled)
	}
	return max(0, b.value-bled)
}
