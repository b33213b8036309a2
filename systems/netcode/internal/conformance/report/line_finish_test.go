package report

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/match"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

const (
	// the oracle's delay is relative to the fastest snapshot of this time
	oracleBase = time.Minute
	gap        = 500 * time.Millisecond // without a snapshot is an outage
	longGap    = 1500 * time.Millisecond
	near       = 60 * time.Millisecond // within which of its median the lag is usual
	steady     = 500 * time.Millisecond
	stops      = 100 * time.Millisecond // beyond the newest snapshot is where a view stands still
)

// finish returns the figures.
func (r *lineRecorder) finish() lineFigures {
	f := &r.figures
	seconds := (r.c.Length - match.WarmUp).Seconds()
	var lags, hard []time.Duration
	for _, p := range r.frames {
		if p.now <= match.WarmUp || !p.shown {
			continue
		}
		lags = append(lags, p.lag)
		if h := r.c.Hard; p.now >= h.from+settling && p.now < h.until {
			hard = append(hard, p.lag)
		}
	}
	meanLag := mean(lags) // before the percentiles, which sort them
	f[lineLag50], f[lineLag95] = percentile(lags, 0.50), percentile(lags, 0.95)
	f[lineWrong], f[lineMissed], f[lineMissedAtEnd] = share(r.wrong, r.pictures), share(r.missed, r.ticks), share(r.endMissed, r.endTicks)
	f[lineReconnects] = float64(r.reconnects[1] - r.reconnects[0])
	f[lineQueue95], f[lineUpQueue95] = percentile(r.queue, 0.95), percentile(r.up, 0.95)
	f[lineDown], f[lineUp] = r.downBytes/seconds/1000, r.upBytes/seconds/1000
	if h := r.c.Hard; h.until > 0 {
		long := (h.until - h.from - settling).Seconds()
		f[lineHardQueue95], f[lineHardLag99] = percentile(r.hardQueue, 0.95), percentile(hard, 0.99)
		f[lineHardUse] = r.hard / (float64(h.rate) * long)
		if h.from > match.WarmUp {
			f[lineRegained] = r.after / (r.c.Length - h.until - settling).Seconds() / (r.before / (h.from - match.WarmUp).Seconds())
		}
	}
	slices.SortFunc(r.arrivals, func(a, b lineArrival) int { return int(a.at - b.at) })
	r.compare(meanLag)
	r.recover(conformance.Percentile(lags, 0.50))
	return *f
}

// compare computes how often the view starved, and its mean lag against that of the least constant
// delay that does not starve more often. Such a delay is relative to the fastest snapshot of the
// last minute. It is called an oracle, because it is chosen after the run. The oracle's view
// continues in outages. A second oracle, whose view stops like the client's, is compared too.
func (r *lineRecorder) compare(meanLag time.Duration) {
	var fastest window
	var needs, bases []time.Duration // the delay that a step needs, and its base
	newest, starved, next := time.Duration(-1), 0, 0
	for _, s := range r.steps {
		for ; next < len(r.arrivals) && r.arrivals[next].at <= s.now; next++ {
			a := r.arrivals[next]
			newest = max(newest, a.stamp)
			fastest.add(a.at, a.at-a.stamp)
		}
		if s.now <= match.WarmUp || next == 0 {
			continue
		}
		if s.view > newest {
			starved++
		}
		b := fastest.least()
		needs, bases = append(needs, s.now-b-newest), append(bases, b)
	}
	if len(needs) == 0 {
		r.figures[lineStarved] = 1
		return
	}
	r.figures[lineStarved] = share(starved, len(needs))
	sorted := slices.Sorted(slices.Values(needs))
	delay := max(sorted[len(sorted)-1-min(starved, len(sorted)-1)], 0)
	waits := make([]time.Duration, len(needs))
	for i, need := range needs {
		waits[i] = bases[i] + max(delay, need-stops)
	}
	against := func(lag time.Duration) float64 {
		return meanLag.Seconds() / max(lag+tickLength, time.Millisecond).Seconds()
	}
	r.figures[lineOracle], r.figures[lineStopped] = against(mean(bases)+delay), against(mean(waits))
}

// window keeps the least of the values of the last minute.
type window struct{ kept []lineArrival } // ascending in both

func (w *window) add(at, value time.Duration) {
	for len(w.kept) > 0 && w.kept[len(w.kept)-1].stamp >= value {
		w.kept = w.kept[:len(w.kept)-1]
	}
	w.kept = append(w.kept, lineArrival{at, value})
	for w.kept[0].at < at-oracleBase {
		w.kept = w.kept[1:]
	}
}

func (w *window) least() time.Duration { return w.kept[0].stamp }

// recover computes how long the view takes to return to its usual lag after a gap, or after the
// line's silence. It has returned when it is within 60 ms of its median lag for half a second.
func (r *lineRecorder) recover(usual time.Duration) {
	add := func(from time.Duration) {
		r.figures[lineRecovery] = max(r.figures[lineRecovery], r.back(from, usual).Seconds())
	}
	for i := 1; i < len(r.arrivals); i++ {
		before, at := r.arrivals[i-1].at, r.arrivals[i].at
		if before > match.WarmUp && at-before >= gap && at-before <= longGap {
			add(at)
		}
	}
	if r.c.silent > 0 {
		add(r.c.silent)
	}
}

// back returns how long the view takes to return to its usual lag from an instant on.
func (r *lineRecorder) back(from, usual time.Duration) time.Duration {
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

// A made-up run of a player behind a line.
const (
	madeUpWay    = 20 * ms
	madeUpLength = 40 * time.Second
	madeUpLag    = 100 * ms
)

// playMadeUp feeds a recorder with a made-up run of 40 s: 30 snapshots a second that take 20 ms,
// and a view at 60 Hz that is 100 ms behind. change may alter them.
func playMadeUp(change func(r *lineRecorder, now time.Duration, sent *linksim.Passage, f *match.Frame)) lineFigures {
	r := &lineRecorder{c: &lineCase{Length: madeUpLength}}
	r.stamps = [][]time.Duration{nil}
	inputs := prediction.BufferStats{}
	for i := range int(madeUpLength / tickLength) {
		now := time.Duration(i) * tickLength
		p := linksim.Passage{Number: uint64(i), Sent: now, Begun: now, Left: now + ms, At: now + madeUpWay, Bytes: 100}
		f := match.Frame{Now: now, Playing: true, Shown: now - madeUpLag, View: now - madeUpLag, Stats: netcode.ClientStats{Delay: madeUpLag}}
		stamp := time.Duration(-1)
		if i%2 == 0 {
			stamp = now
		}
		change(r, now, &p, &f)
		r.stamps[0] = append(r.stamps[0], stamp)
		r.down(0, p)
		r.upwards(p)
		r.Step(now, f.View, f.Playing)
		r.Frame(&f)
		inputs.Ticks++
		inputs.Received++
		if now > 20*time.Second && i%10 == 0 {
			inputs.Received--
		}
		r.Turn(now, inputs)
	}
	return r.finish()
}

func nothing(*lineRecorder, time.Duration, *linksim.Passage, *match.Frame) {}

func TestFiguresOfACalmRun(t *testing.T) {
	f := playMadeUp(nothing)
	near := func(what string, got, want, within float64) {
		t.Helper()
		if math.Abs(got-want) > within {
			t.Errorf("%s %v, want %v", what, got, want)
		}
	}
	near("starved", f[lineStarved], 0, 0)
	near("lag", f[lineLag50], madeUpLag.Seconds(), 0)
	// A snapshot is present from the second step after its own on, and is the newest one for two
	// steps. Then it is three ticks old, and the sampled state is drawn a tick later.
	near("oracle", f[lineOracle], madeUpLag.Seconds()/(4*tickLength).Seconds(), 0.001)
	near("missed", f[lineMissed], 0.1*20/30, 0.002)
	near("missed in the last minute", f[lineMissedAtEnd], 0.1*20/30, 0.002)
	near("queue", f[lineQueue95], 0.001, 1e-9)
	near("down", f[lineDown], 6, 0.01)
	near("clock", f[lineClock]+f[lineCalmClock], 0, 0)
	near("the rest", f[lineWrong]+f[lineReconnects]+f[lineRecovery], 0, 0)
}

func TestStarvedStepsAreCounted(t *testing.T) {
	// For one of the thirty seconds that count, the view is half a second ahead of all snapshots.
	f := playMadeUp(func(_ *lineRecorder, now time.Duration, _ *linksim.Passage, f *match.Frame) {
		if now > 20*time.Second && now <= 21*time.Second {
			f.View = now + time.Second/2
		}
	})
	if math.Abs(f[lineStarved]-1.0/30) > 0.001 {
		t.Errorf("starved %v, want a thirtieth", f[lineStarved])
	}
	if calm := playMadeUp(nothing); f[lineOracle] < calm[lineOracle] {
		t.Errorf("an oracle that may starve as much is %v, one that may not %v", f[lineOracle], calm[lineOracle])
	}
}

func TestRecoveryAfterASilence(t *testing.T) {
	f := playMadeUp(func(r *lineRecorder, now time.Duration, p *linksim.Passage, f *match.Frame) {
		r.c.silent = 25 * time.Second
		p.Lost = now > 20*time.Second && now < 25*time.Second
		f.Playing = now < 20*time.Second || now > 26*time.Second
	})
	if math.Abs(f[lineRecovery]-1) > 2.0/tickRate {
		t.Errorf("after the silence it took %v, want 1 s", f[lineRecovery])
	}
}

func TestRecoveryAfterAGap(t *testing.T) {
	for _, test := range []struct{ gap, want time.Duration }{{time.Second, 2 * time.Second}, {2 * time.Second, 0}, {300 * ms, 0}} {
		f := playMadeUp(func(_ *lineRecorder, now time.Duration, p *linksim.Passage, f *match.Frame) {
			end := 20*time.Second + test.gap
			if now > 20*time.Second && now < end {
				p.At = end + madeUpWay
			}
			if now > 20*time.Second && now < end+madeUpWay+2*time.Second {
				f.Shown, f.View = f.Shown-200*ms, f.View-200*ms
			}
		})
		if math.Abs(f[lineRecovery]-test.want.Seconds()) > 2.0/tickRate {
			t.Errorf("after a gap of %v it took %v, want %v", test.gap, f[lineRecovery], test.want)
		}
	}
}

func TestHardTimes(t *testing.T) {
	r := &lineRecorder{c: &lineCase{Length: madeUpLength, Hard: hardTime{15 * time.Second, 25 * time.Second, 10_000}}, stamps: [][]time.Duration{nil}}
	for i := range 400 {
		now := time.Duration(i) * 100 * ms
		p := linksim.Passage{Sent: now, Begun: now, Left: now + 5*ms, At: now + madeUpWay, Bytes: 800}
		if now >= 20*time.Second && now < 25*time.Second {
			p.Begun, p.Left, p.Bytes = now+20*ms, now+60*ms, 500
		}
		r.down(0, p)
		r.Frame(&match.Frame{Now: now, Playing: true, Shown: now - madeUpLag, View: now - madeUpLag})
	}
	f := r.finish()
	if f[lineHardQueue95] != 0.060 || f[lineHardLongest] != 0.040 || math.Abs(f[lineHardUse]-0.5) > 0.02 || math.Abs(f[lineRegained]-1) > 0.05 || f[lineHardLag99] != madeUpLag.Seconds() {
		t.Errorf("%+v", f)
	}
}
