package ecs

import (
	"slices"
	"time"
)

// adaptive chooses among fixed rates by the cost of a fixed step. It is the usual remedy for the
// death spiral (60 -> 30 -> 15 Hz and back), with processor time in place of frame time, and with
// hysteresis.
//
// The cost is a moving average over about eight steps. No step counts for more than one and a half
// times the real time that is available for it. The rate falls when steps would take more than 85 %
// of that time, after four steps at least. So one outlier, however long, does not lower it where
// the others take up to 60 %. It rises by one when for a second of steps the next faster rate would
// have been filled to less than 60 %; a load between the two leaves the rate alone.
type adaptive struct {
	rates []int // descending
	at    int   // index of the current one; -1 when the rate was set to something else
	now   func() time.Duration

	cost  float64 // average cost of a step in ns
	known int     // steps in the average since the last change, up to adaptiveMemory
	calm  int     // steps in a row for which the faster rate would have done
}

const (
	adaptiveFull   = 0.85
	adaptiveCalm   = 0.60
	adaptiveMost   = 1.5
	adaptiveMemory = 8
	adaptiveSteps  = 4
)

func newAdaptive(c Config) *adaptive {
	if len(c.AdaptiveRates) == 0 {
		return nil
	}
	a := &adaptive{rates: c.AdaptiveRates, now: c.StepClock}
	a.follow(c.FixedRate)
	return a
}

// follow notes a rate that was set from outside.
func (a *adaptive) follow(rate int) {
	a.at = slices.Index(a.rates, rate)
	a.known, a.calm = 0, 0
}

// measured takes the cost of one step at the given time factor and returns the rate to use from the
// next edge on.
func (a *adaptive) measured(cost time.Duration, factor float64) (rate int, change bool) {
	if a.at < 0 || factor <= 0 {
		return 0, false
	}
	// A step has less real time when normal time runs faster.
	room := func(rate int) float64 { return float64(time.Second) / (float64(rate) * factor) }
	load := func(rate int) float64 { return a.cost / room(rate) }
	ns := min(float64(max(cost, 0)), adaptiveMost*room(a.rates[a.at]))
	a.known = min(a.known+1, adaptiveMemory)
	a.cost += (ns - a.cost) / float64(a.known)
	if a.at+1 < len(a.rates) && a.known >= adaptiveSteps && load(a.rates[a.at]) > adaptiveFull {
		return a.change(a.at + 1), true
	}
	if a.at == 0 || load(a.rates[a.at-1]) > adaptiveCalm {
		a.calm = 0
		return 0, false
	}
	if a.calm++; a.calm >= a.rates[a.at] {
		return a.change(a.at - 1), true
	}
	return 0, false
}

func (a *adaptive) change(at int) int {
	a.at, a.known, a.calm = at, 0, 0
	return a.rates[at]
}
