package interp

import (
	"math"
	"time"
)

// ages measures how old the newest snapshot has been, beyond the fastest way, and how much of that
// is worth waiting for.
//
// Between two snapshots the age of the newest rises by a second a second, from the lateness of that
// one to the lateness of its successor. A view that waits for D is dry while the age is above D. So
// one histogram holds every reason to wait: the interval, lost snapshots (each adds an interval),
// those left out on purpose, jitter, stalls and queues. Each bin counts how often the
// age rose through its level, and forgets as NetEq's histogram does (WebRTC, delay_manager.cc); the
// sum of rises times widths above a level is the time above it.
//
// The waiting time is the D with the least cost: D itself, and the cost of a dry view. A rare stall
// is above D for a short part of the time and is not waited for, however long it is. A queue that
// lasts and stalls that repeat are waited for.
type ages struct {
	past   rises         // all but the recent ones
	recent [2]lately     // the newest, of up to recently, and those of as long before
	turned time.Duration // when the newest of recent began
	seen   float64       // seconds, forgetting
	prior  float64       // seconds of calm that are taken to have been before, forgetting
	fresh  float64       // seconds that have not been forgotten for yet
	begun  time.Duration // the clock at the first; all times are since then
	now    time.Duration
	waits  time.Duration
}

const (
	// 32 bins for each doubling of ageUnit + age, in seconds: 0.7 ms wide at zero, 3 ms at 100 ms,
	// 22 ms at 1 s, up to 8 s.
	ageBins  = 256
	binsPer2 = 32
	ageUnit  = 0.032
	// 2 to the power of 1/32, the ratio between the edges of a bin, each plus ageUnit
	ageFactor = 1.0218971486541166

	// ageMemory is the number of seconds after which a rise counts for 1/e; before the first,
	// agePrior seconds of calm are taken to have been.
	ageMemory = 60
	agePrior  = 20

	// recently is longer than the window of the fastest way, after which a longer way is found.
	recently = 6 * time.Second

	// dryCost is the cost of a dry view: a second of it in every dryCost seconds is as bad as a
	// picture that is a second older. The view does not wait for a stall that is rarer than once in
	// that many seconds.
	dryCost = 13

	// Delays of up to cheapIntervals, the usual rule of thumb, cost only cheapPart of that. Within
	// them the view waits even for what comes once in a minute.
	cheapIntervals = 3
	cheapPart      = 0.25

	// mostWait bounds the waiting time, in seconds. A view that hides longer stalls is too old to
	// be of use.
	mostWait = 0.75

	// stall is how much greater, in seconds, than all later ages an age must have been to come from
	// a stall that may be over. Smaller differences are jitter.
	stall = 0.05

	// calmOdds is the logarithm of the odds at which stalls count as over: a thousand to one
	// against a silence as long as this one if they still went on. The next stall ends that.
	calmOdds = 7
)

// rises counts, by the level, how often the age rose through it.
type rises struct {
	n    [ageBins]float32       // forgetting
	last [ageBins]time.Duration // when the age rose through the level last
}

// lately counts the rises of a few seconds, and knows each of them.
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

// add notes that the age rose without a break, from one value to another.
func (a *ages) add(now time.Duration, from, to time.Duration) {
	if to <= from {
		return
	}
	if a.fresh == 0 && a.seen == 0 {
		a.begun = now
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
	r.rise(s.from, s.to, 1, s.at)
}

// rise adds a number of rises from one level to another, which need not be edges of bins.
func (r *rises) rise(from, to float64, n float32, last time.Duration) {
	i := ageBin(from)
	for low := ageLevel(i); low < to && i < ageBins; i++ {
		high := (low+ageUnit)*ageFactor - ageUnit
		if part := min(to, high) - max(from, low); part > 0 {
			r.n[i] += n * float32(part/(high-low))
			r.last[i] = max(r.last[i], last)
		}
		low = high
	}
}

// add adds what another has counted.
func (r *rises) add(o *rises) {
	for i, n := range o.n {
		r.n[i] += n
		r.last[i] = max(r.last[i], o.last[i])
	}
}

// all returns what is counted, recent or not.
func (a *ages) all() rises {
	r := a.past
	r.add(&a.recent[0].rises)
	r.add(&a.recent[1].rises)
	return r
}

// shift lowers the recent ages, not below zero. The fastest way has become longer, and arrivals on
// the longer one were measured from the shorter one. Earlier ages stay: they were measured from the
// way as it was then.
func (a *ages) shift(by time.Duration) {
	for k := range a.recent {
		r := &a.recent[k]
		r.rises = rises{}
		for i := range r.spans[:r.count] {
			s := &r.spans[i]
			s.from, s.to = max(s.from-by.Seconds(), 0), max(s.to-by.Seconds(), 0)
			r.rise(s.from, s.to, 1, s.at)
		}
	}
}

// wait returns the age that is worth waiting for.
func (a *ages) wait(interval time.Duration) time.Duration {
	if a.fresh == 0 {
		return a.waits
	}
	keep := math.Exp(-a.fresh / ageMemory)
	for i := range a.past.n {
		a.past.n[i] *= float32(keep)
		a.recent[0].n[i] *= float32(keep)
		a.recent[1].n[i] *= float32(keep)
	}
	all := a.all()
	if a.seen == 0 {
		a.prior = agePrior
	}
	a.seen, a.prior = a.seen*keep+a.fresh, a.prior*keep
	a.fresh = 0

	cheap := min(cheapIntervals*interval.Seconds(), mostWait)
	// dry: seconds, forgetting, in which the age was above the level and may be again
	best, least, dry := 0.0, math.Inf(1), 0.0
	top := a.calm(&all)
	high := ageLevel(top)
	for i := top - 1; i >= 0; i-- {
		low := (high+ageUnit)/ageFactor - ageUnit
		dry += float64(all.n[i]) * (high - low)
		if cost := max(low-cheap, 0) + cheapPart*min(low, cheap) + dryCost*dry/(a.seen+a.prior); low <= mostWait && cost < least {
			best, least = low, cost
		}
		high = low
	}
	a.waits = time.Duration(best * float64(time.Second))
	return a.waits
}

// calm returns the bin from which on stalls are believed to be over: the greatest age since the
// last of them is below it, and less by stall than what they rose to.
//
// If n stalls came at random, with q quiet seconds between them, the odds against silence for
// another s seconds are (1+s/q)^n to 1 (the predictive distribution for a Poisson process of
// unknown rate). The end of the loss on an ordered stream that lost 15 % is believed after a second
// or two; that of stalls which came once in three seconds is not before half of them are forgotten.
func (a *ages) calm(r *rises) (from int) {
	var last [ageBins]time.Duration // when the age was above the level last
	var above [ageBins]float64      // seconds, forgetting, in which it was
	since, sum, high := r.last[ageBins-1], 0.0, ageLevel(ageBins)
	for i := ageBins - 1; i >= 0; i-- {
		low := (high+ageUnit)/ageFactor - ageUnit
		since = max(since, r.last[i])
		sum += float64(r.n[i]) * (high - low)
		last[i], above[i] = since, sum
		high = low
	}
	for i := 1; i < ageBins; i++ {
		if last[i] == last[i-1] {
			continue
		}
		j := ageBin(ageLevel(i) + stall)
		n, silence, quiet := float64(r.n[j]), (a.now - last[j]).Seconds(), max(a.seen-above[j], 0.1)
		if last[j] == last[i] && n*math.Log1p(silence/quiet) >= calmOdds {
			return i
		}
	}
	return ageBins
}
