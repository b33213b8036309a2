package clocksync

import (
	"math"
	"time"
)

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

// String returns the kind in lower case, in words.
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
	// RTT is by how much the quickest round trip changed, if the route did.
	RTT time.Duration
	// Step is by how much the reference stepped, if a clock did.
	Step time.Duration
}

// contradiction says in which way a sample contradicts the ones before it.
type contradiction uint8

const (
	none   contradiction = iota
	slower               // than nearly all before
	faster               // than all before
	ahead                // server time is later than its delay can explain
	behind               // server time is earlier than its delay can explain
)

// run counts the newest samples that deviate in the same way. They stay out of the fit until it is confirmed or broken.
type run struct {
	kind contradiction
	n    int
}

// needs returns how many samples over how much time confirm a run, not counting the first skip of it. A new path wants proof and a
// good mean, and there is time, because the reference needs no change; a clock that stepped has to be followed soon. The time keeps
// a burst of answers that one stall held back from passing for a new path.
func (d contradiction) needs() (n int, span time.Duration, skip int) {
	switch d {
	case slower:
		return 7, 1200 * time.Millisecond, 3 // pings under way during the change took only one direction of the slower path
	case faster:
		return 8, 1200 * time.Millisecond, 0
	}
	return 4, 500 * time.Millisecond, 0
}

const (
	// routeStep is the least change of the round trip that is treated as a change of route; the window absorbs smaller ones.
	routeStep = 5 * time.Millisecond
	// clockSlack is what an offset may be off beyond what its delay explains.
	clockSlack = 5 * time.Millisecond
)

// follow adds a sample, compares it with what the others predict, and adapts the reference once a run of contradictions is
// confirmed.
func (r *Reference) follow(k kept) Change {
	kind := r.classify(k)
	if kind != r.run.kind {
		r.breakRun()
		r.run = run{kind: kind}
	}
	r.samples.push(k)
	if kind == none {
		return Change{}
	}
	r.run.n++
	first, enough := r.witnesses()
	if !enough {
		return Change{}
	}
	moved, agreed := r.consensus(first)
	if !agreed {
		if r.run.n >= ringSize/4 { // noise, not news
			r.breakRun()
		}
		return Change{}
	}
	change, rerouted := Change{}, false
	if kind == slower || kind == faster {
		change, rerouted = r.reroute(k.received, moved, first)
	}
	if !rerouted {
		// What was before says nothing about the offset any more, neither samples nor paths; only the drift is kept.
		change = Change{Kind: ClockStepped, Step: moved - r.bias.at(k.received)}
		r.samples.keep(r.samples.n - first)
		r.bias = bias{}
	}
	r.line.offset += moved
	r.run = run{}
	return change
}

// witnesses returns the first of the newest samples of the run that together confirm it, if they do.
func (r *Reference) witnesses() (first int, enough bool) {
	n, span, skip := r.run.kind.needs()
	last, lowest := r.samples.n-1, r.samples.n-r.run.n+skip
	for first = last; first >= lowest; first-- {
		if last-first+1 >= n && r.samples.at(last).received-r.samples.at(first).received >= span {
			return first, true
		}
	}
	return 0, false
}

// classify tells how a sample contradicts the model.
func (r *Reference) classify(k kept) contradiction {
	few := r.samples.n-r.run.n < 8 // the quickest round trip is not yet known
	excess := k.rtt - r.base
	unexplained := magnitude(excess)/2 + r.limit()
	if few {
		unexplained = (k.rtt + r.base) / 2
	}
	slack := clockSlack + unexplained + time.Duration(r.doubt+unknownDrift*float64(k.middle-r.line.pivot))
	switch off := k.offset - r.line.at(k.middle); {
	case off > slack:
		return ahead
	case off < -slack:
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

// breakRun gives up on an unconfirmed run. Slow samples met a queue, and stay. Impossible offsets, and a few samples that were far
// too quick (an answer that waited while the machine slept with its clock stopped), are dropped for good.
func (r *Reference) breakRun() {
	if r.run.kind != slower {
		for i := r.samples.n - r.run.n; i < r.samples.n; i++ {
			r.samples.at(i).outlier = true
		}
	}
	r.run = run{}
}

// consensus returns by how much the samples from first on differ from the line, and whether three quarters of them agree on that.
// Those that do not are marked as outliers.
func (r *Reference) consensus(first int) (moved time.Duration, agreed bool) {
	last := r.samples.n
	quickest := r.samples.at(first).rtt
	for i := first; i < last; i++ {
		quickest = min(quickest, r.samples.at(i).rtt)
		r.samples.at(i).outlier = false
	}
	// The median: the deviation that has as many below it as above.
	var median time.Duration
	for i := first; i < last; i++ {
		candidate, below, same := r.deviation(i), 0, 0
		for j := first; j < last; j++ {
			if d := r.deviation(j); d < candidate {
				below++
			} else if d == candidate {
				same++
			}
		}
		if half := (last - first) / 2; below <= half && half < below+same {
			median = candidate
			break
		}
	}
	var sum, weights float64
	agreeing := 0
	for i := first; i < last; i++ {
		k := r.samples.at(i)
		excess, off := k.rtt-quickest, r.deviation(i)-median
		k.outlier = magnitude(off) > excess/2+r.limit()+clockSlack
		if k.outlier {
			continue
		}
		agreeing++
		if excess <= r.limit() {
			w := r.weight(excess, 0)
			sum += w * float64(off) // relative to the median, which keeps small what a float has to hold
			weights += w
		}
	}
	if weights > 0 {
		median += time.Duration(sum / weights)
	}
	return median, 4*agreeing >= 3*(last-first)
}

// deviation returns how far the offset of a sample is from the line.
func (r *Reference) deviation(i int) time.Duration {
	k := r.samples.at(i)
	return k.offset - r.line.at(k.middle)
}

// reroute moves the samples from before the confirmed run to where they would lie after it. The run counts from its sample clean
// on. It does nothing and reports false if the offset changed by more than the path explains.
func (r *Reference) reroute(now, moved time.Duration, clean int) (Change, bool) {
	start := r.samples.n - r.run.n
	quickest := time.Duration(math.MaxInt64)
	for i := clean; i < r.samples.n; i++ {
		if k := r.samples.at(i); !k.outlier {
			quickest = min(quickest, k.rtt)
		}
	}
	rtt := quickest - r.samples.meanMinimum(start, r.samples.n-clean)
	// One direction gained at most all of the difference, which moves the offset by half.
	if magnitude(moved) > (magnitude(rtt)+r.limit())/2+clockSlack {
		return Change{}, false
	}
	r.bias.set(now, r.bias.at(now)-moved, r.config.Bleed)
	for i := range start {
		k := r.samples.at(i)
		k.offset += moved
		k.rtt += rtt
	}
	for i := start; i < clean; i++ {
		r.samples.at(i).outlier = true
	}
	return Change{Kind: RouteChanged, RTT: rtt}, true
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
