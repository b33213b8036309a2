package lines

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/rates"
)

const (
	// the oracle's delay is relative to the fastest snapshot of this time
	base    = time.Minute
	gap     = 500 * time.Millisecond // without a snapshot is an outage
	longGap = 1500 * time.Millisecond
	near    = 60 * time.Millisecond // within which of its median the lag is usual
	steady  = 500 * time.Millisecond
	stops   = 100 * time.Millisecond // beyond the newest snapshot is where a view stands still
)

// finish returns the figures.
func (r *recorder) finish() Figures {
	f := &r.figures
	seconds := (r.c.Length - rates.WarmUp).Seconds()
	var lags, hard []time.Duration
	for _, p := range r.frames {
		if p.now <= rates.WarmUp || !p.shown {
			continue
		}
		lags = append(lags, p.lag)
		if h := r.c.Hard; p.now >= h.from+settling && p.now < h.until {
			hard = append(hard, p.lag)
		}
	}
	meanLag := mean(lags) // before the percentiles, which sort them
	f[Lag50], f[Lag95] = percentile(lags, 0.50), percentile(lags, 0.95)
	f[Wrong], f[Missed], f[MissedAtEnd] = share(r.wrong, r.pictures), share(r.missed, r.ticks), share(r.endMissed, r.endTicks)
	f[Reconnects] = float64(r.reconnects[1] - r.reconnects[0])
	f[Queue95], f[UpQueue95] = percentile(r.queue, 0.95), percentile(r.up, 0.95)
	f[Down], f[Up] = r.downBytes/seconds/1000, r.upBytes/seconds/1000
	if h := r.c.Hard; h.until > 0 {
		long := (h.until - h.from - settling).Seconds()
		f[HardQueue95], f[HardLag99] = percentile(r.hardQueue, 0.95), percentile(hard, 0.99)
		f[HardUse] = r.hard / (float64(h.rate) * long)
		if h.from > rates.WarmUp {
			f[Regained] = r.after / (r.c.Length - h.until - settling).Seconds() / (r.before / (h.from - rates.WarmUp).Seconds())
		}
	}
	slices.SortFunc(r.arrivals, func(a, b arrival) int { return int(a.at - b.at) })
	r.compare(meanLag)
	r.recover(conformance.Percentile(lags, 0.50))
	return *f
}

// compare computes how often the view starved, and its mean lag against that of the least constant
// delay that does not starve more often. Such a delay is relative to the fastest snapshot of the
// last minute. It is called an oracle, because it is chosen after the run. The oracle's view
// continues in outages. A second oracle, whose view stops like the client's, is compared too.
func (r *recorder) compare(meanLag time.Duration) {
	var fastest window
	var needs, bases []time.Duration // the delay that a step needs, and its base
	newest, starved, next := time.Duration(-1), 0, 0
	for _, s := range r.steps {
		for ; next < len(r.arrivals) && r.arrivals[next].at <= s.now; next++ {
			a := r.arrivals[next]
			newest = max(newest, a.stamp)
			fastest.add(a.at, a.at-a.stamp)
		}
		if s.now <= rates.WarmUp || next == 0 {
			continue
		}
		if s.view > newest {
			starved++
		}
		b := fastest.least()
		needs, bases = append(needs, s.now-b-newest), append(bases, b)
	}
	if len(needs) == 0 {
		r.figures[Starved] = 1
		return
	}
	r.figures[Starved] = share(starved, len(needs))
	sorted := slices.Sorted(slices.Values(needs))
	delay := max(sorted[len(sorted)-1-min(starved, len(sorted)-1)], 0)
	waits := make([]time.Duration, len(needs))
	for i, need := range needs {
		waits[i] = bases[i] + max(delay, need-stops)
	}
	against := func(lag time.Duration) float64 {
		return meanLag.Seconds() / max(lag+tickLength, time.Millisecond).Seconds()
	}
	r.figures[Oracle], r.figures[Stopped] = against(mean(bases)+delay), against(mean(waits))
}

// window keeps the least of the values of the last minute.
type window struct{ kept []arrival } // ascending in both

func (w *window) add(at, value time.Duration) {
	for len(w.kept) > 0 && w.kept[len(w.kept)-1].stamp >= value {
		w.kept = w.kept[:len(w.kept)-1]
	}
	w.kept = append(w.kept, arrival{at, value})
	for w.kept[0].at < at-base {
		w.kept = w.kept[1:]
	}
}

func (w *window) least() time.Duration { return w.kept[0].stamp }

// recover computes how long the view takes to return to its usual lag after a gap, or after the
// line's silence. It has returned when it is within 60 ms of its median lag for half a second.
func (r *recorder) recover(usual time.Duration) {
	add := func(from time.Duration) {
		r.figures[Recovery] = max(r.figures[Recovery], r.back(from, usual).Seconds())
	}
	for i := 1; i < len(r.arrivals); i++ {
		before, at := r.arrivals[i-1].at, r.arrivals[i].at
		if before > rates.WarmUp && at-before >= gap && at-before <= longGap {
			add(at)
		}
	}
	if r.c.silent > 0 {
		add(r.c.silent)
	}
}

// back returns how long the view takes to return to its usual lag from an instant on.
func (r *recorder) back(from, usual time.Duration) time.Duration {
	since := time.Duration(-1)
	for _, p := range r.frames {
		switch {
		case p.now < from:
		case !p.shown || p.lag > usual+near:
			since = -1
		case since < 0:
			since = p.now
		case p.now-since >= steady:
			return since - from
		}
	}
	return r.c.Length - from
}
