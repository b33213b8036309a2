package interp

import (
	"math"
	"time"
)

// ages measures how old the newest snapshot has been, beyond the fastest way, and computes how long
// it is worth waiting.
//
// Between two snapshots the age of the newest rises by a second per second, from the lateness of
// the first to the lateness of the second. A view that waits for D is dry while the age is above D.
// So one histogram holds every reason to wait: the interval, lost snapshots (each adds an
// interval), snapshots left out on purpose, jitter, stalls and queues. Each bin counts how often
// the age rose through its level, and forgets as NetEq's histogram does (WebRTC, delay_manager.cc).
// The sum of rises times widths above a level is the time above that level.
//
// The waiting time is the D with the least cost: D itself, and the cost of a dry view. A rare stall
// is above D for a short part of the time, so it does not raise D, even if it is long. A lasting
// queue and repeated stalls raise D.
type ages struct {
	past   rises         // all but the recent ones
	recent [2]lately     // the newest, over up to recently, and those of as long a time before
	turned time.Duration // when the newest of recent began
	seen   float64       // seconds, with forgetting
	prior  float64       // seconds of calm that are assumed before the first, with forgetting
	fresh  float64       // seconds to which forgetting has not been applied yet
	begun  time.Duration // the clock at the first; all times are relative to it
	now    time.Duration
	waits  time.Duration
	edges  [ageBins + 1]float64 // the lower edges of the bins, filled in at the first rise
}

const (
	// 32 bins for each doubling of ageUnit + age, in seconds: 0.7 ms wide at zero, 3 ms at 100 ms,
	// 22 ms at 1 s, up to 8 s.
	ageBins  = 256
	binsPer2 = 32
	ageUnit  = 0.032
	// 2 to the power of 1/32, the ratio between the edges of a bin, each plus ageUnit
	ageFactor = 1.0218971486541166

	// ageMemory is the number of seconds after which a rise counts for 1/e. agePrior is the number
	// of seconds of calm that are assumed before the first.
	ageMemory = 60
	agePrior  = 20

	// recently is longer than the window of the fastest way. A longer way is found at the end of
	// that window.
	recently = 6 * time.Second

	// dryCost is the cost of a dry view. A dry second in every dryCost seconds is as bad as a
	// picture that is a second older. The view does not wait for stalls that are rarer than one in
	// dryCost seconds.
	dryCost = 13

	// Delays of up to cheapIntervals, the usual rule of thumb, cost only cheapPart of that. Within
	// them the view waits even for events that occur once in a minute.
	cheapIntervals = 3
	cheapPart      = 0.25

	// mostWait bounds the waiting time, in seconds. A view that hides longer stalls is too old to
	// be useful.
	mostWait = 0.75

	// stall is how much greater, in seconds, an age must be than all later ages to count as a stall
	// that may be over. Smaller differences are jitter.
	stall = 0.05

	// calmOdds is the logarithm of the odds at which stalls count as over: a thousand to one
	// against a silence of this length if the stalls still continued. The next stall ends the calm.
	calmOdds = 7
)

// rises counts, by the level, how often the age rose through it.
type rises struct {
	n    [ageBins]float32       // forgetting
	last [ageBins]time.Duration // when the age rose through the level last
	used int                    // the bins from here on are zero
}

// lately counts the rises of a few seconds, and holds each of them.
type lately struct {
	rises
	spans [recently / time.Second * 60]span
	count int
}

// span is a rise of the age, in seconds.
type span struct {
	from, to float64
	at       time.Duration
}

func ageBin(seconds float64) int {
	return min(max(int(binsPer2*math.Log2(1+seconds/ageUnit)), 0), ageBins-1)
}

// ageLevel returns the lower edge of a bin, in seconds.
func ageLevel(bin int) float64 { return ageUnit * (math.Exp2(float64(bin)/binsPer2) - 1) }

// add records that the age rose without a break from one value to another.
func (a *ages) add(now time.Duration, from, to time.Duration) {
	if to <= from {
		return
	}
	if a.fresh == 0 && a.seen == 0 {
		a.begun = now
		a.edges[ageBins] = ageLevel(ageBins)
		for i := ageBins - 1; i >= 0; i-- {
			a.edges[i] = (a.edges[i+1]+ageUnit)/ageFactor - ageUnit
		}
	}
	a.now = max(now-a.begun, a.now)
	a.fresh += (to - from).Seconds()
	r := &a.recent[0]
	if a.now-a.turned > recently || r.count == len(r.spans) {
		a.past.add(&a.recent[1].rises)
		a.recent[1], a.recent[0] = a.recent[0], lately{}
		a.turned = a.now
	}
	s := span{max(from.Seconds(), 0), max(to.Seconds(), 0), a.now}
	r.spans[r.count] = s
	r.count++
	r.rise(s.from, s.to, s.at)
}

// rise adds a rise from one level to another. The levels need not be edges of bins.
func (r *rises) rise(from, to float64, last time.Duration) {
	i := ageBin(from)
	for low := ageLevel(i); low < to && i < ageBins; i++ {
		high := (low+ageUnit)*ageFactor - ageUnit
		if part := min(to, high) - max(from, low); part > 0 {
			r.n[i] += float32(part / (high - low))
			r.last[i] = max(r.last[i], last)
			r.used = max(r.used, i+1)
		}
		low = high
	}
}

// add adds the counts of another.
func (r *rises) add(o *rises) {
	for i, n := range o.n[:o.used] {
		r.n[i] += n
		r.last[i] = max(r.last[i], o.last[i])
	}
	r.used = max(r.used, o.used)
}

// scale multiplies all counts.
func (r *rises) scale(by float32) {
	for i := range r.n[:r.used] {
		r.n[i] *= by
	}
}

// all returns all counts, recent and earlier.
func (a *ages) all() rises {
	r := a.past
	r.add(&a.recent[0].rises)
	r.add(&a.recent[1].rises)
	return r
}

// shift lowers the recent ages, not below zero. It is called when the fastest way has become
// longer, since arrivals on the longer way were measured relative to the shorter one. Earlier ages
// are kept: they were measured relative to the way of their time.
func (a *ages) shift(by time.Duration) {
	for k := range a.recent {
		r := &a.recent[k]
		r.rises = rises{}
		for i := range r.spans[:r.count] {
			s := &r.spans[i]
			s.from, s.to = max(s.from-by.Seconds(), 0), max(s.to-by.Seconds(), 0)
			r.rise(s.from, s.to, s.at)
		}
	}
}

// wait returns the waiting time with the least cost, for bodies of which each is sent once in an
// interval and the given round more. Their newest states are older than the newest snapshot by up
// to the round, for which the view waits in addition. So a level costs the mean of the dry time
// over the round above it: only the last of the bodies need all of the waiting time.
func (a *ages) wait(interval, round time.Duration) time.Duration {
	if a.fresh == 0 {
		return a.waits
	}
	keep := math.Exp(-a.fresh / ageMemory)
	for _, r := range []*rises{&a.past, &a.recent[0].rises, &a.recent[1].rises} {
		r.scale(float32(keep))
	}
	all := a.all()
	if a.seen == 0 {
		a.prior = agePrior
	}
	a.seen, a.prior = a.seen*keep+a.fresh, a.prior*keep
	a.fresh = 0

	cheap := min(cheapIntervals*interval.Seconds(), mostWait)
	// dry holds the seconds, with forgetting, in which the age was above the level and may be
	// again.
	best, least, dry := 0.0, math.Inf(1), 0.0
	var area [ageBins + 1]float64 // the integral of dry, above the lower edge of each bin
	far := ageBins                // the lowest bin that begins at or above the end of the round
	// The lowest level that the age never reached is the highest that can be best.
	for i := min(a.calm(&all), all.used+1) - 1; i >= 0; i-- {
		low, width := a.edges[i], a.edges[i+1]-a.edges[i]
		dry += float64(all.n[i]) * width
		area[i] = area[i+1] + dry*width
		for far > i+1 && a.edges[far-1] >= low+round.Seconds() {
			far--
		}
		mean := (area[i] - area[far]) / (a.edges[far] - low)
		if cost := max(low-cheap, 0) + cheapPart*min(low, cheap) + dryCost*mean/(a.seen+a.prior); low <= mostWait && cost < least {
			best, least = low, cost
		}
	}
	a.waits = time.Duration(best * float64(time.Second))
	return a.waits
}

// calm returns the bin from which on stalls are assumed to be over. The greatest age since the last
// of them is below that bin, and is less by stall than the ages in the stalls.
//
// If n stalls occurred at random, with q quiet seconds between them, the odds against silence for
// another s seconds are (1+s/q)^n to 1 (the predictive distribution for a Poisson process of
// unknown rate). On an ordered stream that lost 15 %, the end of the loss is accepted after a
// second or two. For stalls that occurred once in three seconds, it is accepted only after half of
// them have been forgotten.
func (a *ages) calm(r *rises) (from int) {
	var last [ageBins]time.Duration // when the age was above the level last
	var above [ageBins]float64      // seconds, with forgetting, in which it was
	since, sum := time.Duration(0), 0.0
	for i := r.used - 1; i >= 0; i-- {
		since = max(since, r.last[i])
		sum += float64(r.n[i]) * (a.edges[i+1] - a.edges[i])
		last[i], above[i] = since, sum
	}
	for i := 1; i < r.used; i++ {
		if last[i] == last[i-1] {
			continue
		}
		j := ageBin(a.edges[i] + stall)
		n, silence, quiet := float64(r.n[j]), (a.now - last[j]).Seconds(), max(a.seen-above[j], 0.1)
		if last[j] == last[i] && n*math.Log1p(silence/quiet) >= calmOdds {
			return i
		}
	}
	return ageBins
}
