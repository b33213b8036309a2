package remote

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// stream plays snapshots over a link and tells a Delay and a Playback of them, frame by frame at 60 Hz.
type stream struct {
	seed     uint64
	interval time.Duration
	transit  func(sent time.Duration, r *rand.Rand) time.Duration // negative: lost
	drift    float64                                              // of the receiving clock, parts per million
	twice    bool                                                 // every packet comes twice
}

// play calls frame after each frame's Update. `now` is the receiver's clock.
func (s stream) play(length time.Duration, frame func(now time.Duration, p *Playback)) {
	random := rand.New(rand.NewPCG(s.seed, 9))
	p := NewPlayback(DelayConfig{Interval: s.interval})
	type packet struct {
		at, stamp time.Duration
		number    uint16
	}
	var flying []packet
	number := uint16(65000) // so that it wraps
	local := func(t time.Duration) time.Duration { return t + time.Duration(float64(t)*s.drift*1e-6) + time.Hour }
	sent := time.Duration(0)
	for now := time.Duration(0); now < length; now += step {
		for ; sent <= now; sent += s.interval {
			if d := s.transit(sent, random); d >= 0 {
				flying = append(flying, packet{sent + d, sent, number})
			}
			number++
		}
		slices.SortStableFunc(flying, func(a, b packet) int { return int(a.at - b.at) })
		for len(flying) > 0 && flying[0].at <= now {
			f := flying[0]
			p.Arrive(local(f.at), f.stamp, f.number)
			if s.twice {
				p.Arrive(local(f.at)+ms, f.stamp, f.number)
			}
			flying = flying[1:]
		}
		p.Update(local(now))
		frame(local(now), p)
	}
}

func lossy(loss float64, delay, jitter time.Duration) func(time.Duration, *rand.Rand) time.Duration {
	return func(_ time.Duration, r *rand.Rand) time.Duration {
		d := delay + time.Duration((2*r.Float64()-1)*float64(jitter))
		if r.Float64() < loss {
			return -1
		}
		return d
	}
}

// The delay of the formula, for one network after the other.
func TestDelayFormula(t *testing.T) {
	const interval = time.Second / 30
	tests := []struct {
		name   string
		loss   float64
		jitter time.Duration
		n      int
	}{
		{"a perfect link", 0, 0, 2},
		{"jitter", 0, 10 * ms, 2},
		{"much jitter", 0, 50 * ms, 2},
		{"1 % loss", 0.01, 10 * ms, 2},
		{"5 % loss", 0.05, 10 * ms, 2},
		{"15 % loss", 0.15, 10 * ms, 3},
		{"25 % loss", 0.25, 10 * ms, 4},
		{"half is lost", 0.5, 10 * ms, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(5) {
				var last *Playback
				s := stream{seed: seed, interval: interval, transit: lossy(tt.loss, 100*ms, tt.jitter)}
				s.play(180*time.Second, func(_ time.Duration, p *Playback) { last = p })
				if got := last.Intervals(); got != tt.n {
					t.Errorf("seed %d: n is %d, want %d (loss measured %.3f)", seed, got, tt.n, last.Loss())
				}
				if d := math.Abs(last.Loss() - tt.loss); d > 0.04 {
					t.Errorf("seed %d: loss measured %.3f, is %.3f", seed, last.Loss(), tt.loss)
				}
				late := 2 * tt.jitter
				if d := last.Lateness(); d > late || d < late*8/10 {
					t.Errorf("seed %d: lateness %v, want nearly %v", seed, d, late)
				}
				want := 100*ms - tt.jitter + time.Duration(tt.n)*interval + late + time.Second/60
				if got := last.Behind() - time.Hour; got < want-tt.jitter/2-ms || got > want+tt.jitter/2+ms {
					t.Errorf("seed %d: behind by %v, want %v", seed, got, want)
				}
				if d := last.Transit() - time.Hour - (100*ms - tt.jitter); d < 0 || d > tt.jitter/8 {
					t.Errorf("seed %d: transit off by %v", seed, d)
				}
			}
		})
	}
}

func TestDelayIgnoresDuplicates(t *testing.T) {
	s := stream{seed: 3, interval: time.Second / 30, transit: lossy(0.1, 100*ms, 30*ms)}
	var once, twice []time.Duration
	var a, b *Playback
	s.play(60*time.Second, func(_ time.Duration, p *Playback) { once = append(once, p.Behind()); a = p })
	s.twice = true
	s.play(60*time.Second, func(_ time.Duration, p *Playback) { twice = append(twice, p.Behind()); b = p })
	if !slices.Equal(once, twice) || *a != *b {
		t.Error("duplicates must leave everything as it is, to the bit")
	}
}

// A burst after a stall is one event: it counts once, with its latest packet.
func TestBurstCountsOnce(t *testing.T) {
	d := NewDelay(DelayConfig{})
	const interval = time.Second / 30
	now := time.Duration(0)
	number := uint16(0)
	for range 300 {
		d.Arrive(now, now, number)
		d.Update(now)
		now += interval
		number++
	}
	before := d.lateness.count
	for i := range 30 { // a second's worth at once
		d.Arrive(now+time.Second, now+time.Duration(i)*interval, number)
		number++
	}
	d.Update(now + time.Second)
	if d.lateness.count-before > 1 {
		t.Errorf("a burst of 30 counted %d times", d.lateness.count-before)
	}
	if got := d.Lateness(); got > 10*ms {
		t.Errorf("one stall among 300 moves the 99th percentile to %v", got)
	}
}

func TestLatenessPercentile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l lateness
		var all []time.Duration
		for range rapid.IntRange(1, 600).Draw(t, "n") {
			v := time.Duration(rapid.IntRange(0, 1000).Draw(t, "v"))
			l.add(0, v)
			all = append(all, v)
		}
		if len(all) > 256 {
			all = all[len(all)-256:]
		}
		slices.Sort(all)
		if want := all[len(all)-1-len(all)/100]; l.p99() != want {
			t.Fatalf("of %d values %v, want %v", len(all), l.p99(), want)
		}
	})
}

// A gap is a loss only once the missing snapshot is later than snapshots ever are, and every loss counts once.
func TestLossCounting(t *testing.T) {
	arrive := func(l *loss, at time.Duration, numbers ...uint16) {
		for _, n := range numbers {
			l.arrive(at, n)
		}
	}
	var l loss
	arrive(&l, 0, 10, 11, 13)
	l.update(10*ms, 20*ms)
	if l.lost != 0 {
		t.Error("lost before its time")
	}
	arrive(&l, 15*ms, 12)
	l.update(100*ms, 20*ms)
	if l.lost != 0 || math.Abs(l.total-3) > 0.01 {
		t.Errorf("%v of %v lost, want none of 3 (the first only begins)", l.lost, l.total)
	}
	arrive(&l, 100*ms, 16)
	l.update(121*ms, 20*ms)
	if math.Abs(l.lost-2) > 0.01 {
		t.Errorf("%v lost, want 2", l.lost)
	}
	if !l.arrive(130*ms, 15) {
		t.Error("a late snapshot is not a duplicate")
	}
	if l.arrive(131*ms, 15) || l.arrive(131*ms, 16) {
		t.Error("a duplicate counts as new")
	}
	l.update(200*ms, 20*ms)
	if math.Abs(l.lost-2) > 0.01 {
		t.Error("what came too late to be shown is lost")
	}
	// An outage of thousands is not thousands of losses, and the wrap of the number is none.
	before := l.lost
	arrive(&l, time.Second, 5016)
	l.update(2*time.Second, 20*ms)
	if l.lost-before > 64 {
		t.Errorf("an outage counted %v losses", l.lost-before)
	}
	for n := uint16(5017); n != 100; n++ {
		l.arrive(2*time.Second, n)
		l.update(2*time.Second, 20*ms)
	}
	if l.rate() > 0.01 {
		t.Errorf("rate %v after a wrap without loss", l.rate())
	}
}

func TestCoverHasHysteresis(t *testing.T) {
	l := loss{total: 1e9}
	set := func(rate float64) int { l.lost = rate * l.total; return l.cover() }
	for _, c := range []struct {
		rate float64
		want int
	}{
		{0, 2}, {0.05, 2}, {0.072, 2}, {0.083, 2}, {0.09, 3}, {0.065, 3}, {0.05, 2}, // the border is at 7.1 %
		{0.15, 3}, {0.18, 3}, {0.19, 4}, {0.165, 4}, {0.15, 3}, // at 17.1 %
		{0.99, 5}, {1, 5}, {0, 2},
	} {
		if got := set(c.rate); got != c.want {
			t.Errorf("at a loss of %.3f n is %d, want %d", c.rate, got, c.want)
		}
	}
}

// The total is raised at once and lowered by 10 ms a second.
func TestDelayIsLoweredSlowly(t *testing.T) {
	d := NewDelay(DelayConfig{Interval: 100 * ms, Tick: -1})
	number := uint16(0)
	feed := func(from, to, transit time.Duration) {
		for now := from; now < to; now += 100 * ms {
			d.Arrive(now+transit, now, number)
			number++
			d.Update(now + transit)
		}
	}
	feed(0, 20*time.Second, 50*ms)
	low := d.Behind()
	if want := 50*ms + 200*ms; low != want {
		t.Fatalf("behind by %v, want %v", low, want)
	}
	feed(20*time.Second, 20500*ms, 150*ms)
	if got := d.Behind() - low; got < 97*ms {
		t.Errorf("after five late snapshots raised by %v, want 100 ms", got)
	}
	// The late ones are remembered for 256 snapshots; after that the total falls, and is down ten seconds later.
	fell := time.Duration(0)
	for second := range time.Duration(45) {
		before := d.Behind()
		feed(20500*ms+second*time.Second, 21500*ms+second*time.Second, 50*ms)
		fell = max(fell, before-d.Behind())
	}
	if fell < 9*ms || fell > 11*ms || d.Behind() != low {
		t.Errorf("fell by at most %v in a second, want 10 ms, and to %v, want %v", fell, d.Behind(), low)
	}
}

func TestPlaybackFollowsDrift(t *testing.T) {
	for _, ppm := range []float64{-2000, -500, 0, 500, 2000} {
		var lags []float64
		s := stream{seed: 4, interval: time.Second / 30, transit: lossy(0, 100*ms, 10*ms), drift: ppm}
		s.play(120*time.Second, func(now time.Duration, p *Playback) {
			view, ok := p.View(now)
			if t := (now - time.Hour).Seconds() / (1 + ppm*1e-6); ok && t > 10 {
				lags = append(lags, t-view.Seconds())
			}
		})
		slices.Sort(lags)
		mid := lags[len(lags)/2]
		if d := max(lags[len(lags)-1]-mid, mid-lags[0]); d > 0.005 {
			t.Errorf("%v ppm: the lag leaves its median by %.1f ms", ppm, d*1e3)
		}
		if math.Abs(mid-0.193) > 0.005 {
			t.Errorf("%v ppm: median lag %.1f ms, want 193", ppm, mid*1e3)
		}
	}
}

// Route changes: 100 ms longer is absorbed within 2.5 s, 100 ms shorter within 12 s, never backwards, at 0.9 to 1.1.
func TestPlaybackFollowsRouteChanges(t *testing.T) {
	for _, tt := range []struct {
		change, within time.Duration
	}{{100 * ms, 2500 * ms}, {-100 * ms, 12 * time.Second}} {
		for seed := range uint64(20) {
			const when = 60 * time.Second
			s := stream{seed: seed, interval: time.Second / 30, transit: func(sent time.Duration, r *rand.Rand) time.Duration {
				d := 150*ms + time.Duration((2*r.Float64()-1)*10e6)
				if sent >= when {
					d += tt.change
				}
				return d
			}}
			type point struct{ at, lag time.Duration }
			var lags []point
			last := time.Duration(-1)
			s.play(120*time.Second, func(now time.Duration, p *Playback) {
				view, ok := p.View(now)
				if !ok {
					return
				}
				if last >= 0 && view < last {
					t.Fatalf("seed %d: the view ran back", seed)
				}
				last = view
				if now-time.Hour > 5*time.Second && (p.Rate() < 0.8999 || p.Rate() > 1.1001) {
					t.Fatalf("seed %d: rate %v", seed, p.Rate())
				}
				lags = append(lags, point{now - time.Hour, now - time.Hour - view})
			})
			final := lags[len(lags)-1].lag
			settled := time.Duration(0)
			for _, l := range lags {
				if (l.lag - final).Abs() >= 10*ms {
					settled = l.at
				}
			}
			if took := settled - when; took > tt.within {
				t.Errorf("seed %d: %v absorbed after %v, want %v", seed, tt.change, took, tt.within)
			}
		}
	}
}

// Whatever arrives, the view never runs back, and at other speeds than 0.9 to 1.1 only to wait or to jump ahead.
func TestPlaybackNeverRunsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := NewPlayback(DelayConfig{})
		now, last := time.Duration(0), time.Duration(math.MinInt64)
		for range rapid.IntRange(1, 300).Draw(t, "frames") {
			now += time.Duration(rapid.IntRange(-5, 500).Draw(t, "ms")) * ms
			for range rapid.IntRange(0, 4).Draw(t, "packets") {
				p.Arrive(now, now-time.Duration(rapid.IntRange(-3000, 3000).Draw(t, "transit"))*ms, rapid.Uint16().Draw(t, "number"))
			}
			p.Update(now)
			jumps := p.Jumps()
			view, ok := p.View(now)
			if !ok {
				continue
			}
			if view < last {
				t.Fatalf("from %v back to %v", last, view)
			}
			if r := p.Rate(); p.Jumps() == jumps && !p.Waiting() && (r < 0.8999 || r > 1.1001) {
				t.Fatalf("rate %v", r)
			}
			last = view
		}
	})
}

// A server that pauses for two seconds, its time with it: the view waits 100 ms past the last snapshot and is in its place again within three seconds.
func TestPlaybackWaitsForTheServer(t *testing.T) {
	const pause, at = 2 * time.Second, 30 * time.Second
	p := NewPlayback(DelayConfig{})
	number := uint16(0)
	next := time.Duration(0)
	var lag time.Duration
	for now := time.Duration(0); now < 60*time.Second; now += step {
		for ; next+100*ms <= now; next += time.Second / 30 {
			if next >= at && next < at+pause {
				continue
			}
			stamp := next
			if next >= at {
				stamp -= pause
			}
			p.Arrive(next+100*ms, stamp, number)
			number++
		}
		p.Update(now)
		view, _ := p.View(now)
		if newest, ok := p.Newest(); ok && view > newest+viewWait {
			t.Fatalf("at %v the view is %v past the newest snapshot", now, view-newest)
		}
		switch {
		case now < at:
			lag = now - view
		case now > at+pause+100*ms+3*time.Second:
			if d := now - pause - view - lag; d.Abs() > 10*ms {
				t.Fatalf("at %v the lag is off by %v", now, d)
			}
		}
	}
	if p.Jumps() != 0 {
		t.Errorf("%d jumps, want none", p.Jumps())
	}
}

func TestPlaybackJumpsAfterAnOutage(t *testing.T) {
	p := NewPlayback(DelayConfig{})
	var number uint16
	var view time.Duration
	for now := time.Duration(0); now < 30*time.Second; now += step {
		if now < 10*time.Second || now > 20*time.Second {
			p.Arrive(now, now-100*ms, number)
			number++
		}
		p.Update(now)
		view, _ = p.View(now)
	}
	if p.Jumps() != 1 {
		t.Errorf("%d jumps, want 1", p.Jumps())
	}
	if lag := 30*time.Second - view; lag > 300*ms {
		t.Errorf("lag %v ten seconds after", lag)
	}
}

func TestPlaybackIsNotReadyWithoutSnapshots(t *testing.T) {
	p := NewPlayback(DelayConfig{})
	p.Update(time.Second)
	if _, ok := p.View(time.Second); ok || p.Ready() {
		t.Error("ready without a snapshot")
	}
	if _, ok := p.Newest(); ok {
		t.Error("a newest snapshot without one")
	}
}

// Rare long stalls are not waited for, a lasting change is.
func TestLatenessIsBounded(t *testing.T) {
	var l lateness
	for i := range 256 {
		late := 10 * ms
		if i%20 == 0 {
			late = 2 * time.Second
		}
		l.add(time.Duration(i)*33*ms, late)
	}
	d := Delay{lateness: l}
	if got := d.Lateness(); got != mostLateness {
		t.Errorf("stalls of 2 s in every twentieth frame: waits for %v, want %v", got, mostLateness)
	}
	for range 5 {
		d.lateness.add(time.Minute, 2*time.Second)
	}
	if got := d.Lateness(); got != 2*time.Second {
		t.Errorf("all of them 2 s late: waits for %v", got)
	}
	if (&lateness{}).recent(-1) != 0 {
		t.Error("recent of nothing")
	}
}

// What is waited for stays within the bounds; the way and the step are not in it.
func TestDelayKeepsItsBounds(t *testing.T) {
	const ms, interval, step = time.Millisecond, time.Second / 30, time.Second / 60
	for _, test := range []struct {
		least, most, late, want time.Duration
	}{
		{0, 0, 0, 2 * interval}, {0, 0, 20 * ms, 2*interval + 20*ms}, {-ms, -ms, 0, 2 * interval},
		{100 * ms, 0, 0, 100 * ms}, {100 * ms, 0, 90 * ms, 2*interval + 90*ms},
		{0, 40 * ms, 90 * ms, 40 * ms}, {0, 400 * ms, 20 * ms, 2*interval + 20*ms},
		{150 * ms, 150 * ms, 0, 150 * ms}, {150 * ms, 150 * ms, 200 * ms, 150 * ms},
	} {
		d := NewDelay(DelayConfig{Min: test.least, Max: test.most})
		for k := range 300 {
			at := time.Duration(k) * interval
			if k%10 == 5 {
				at += test.late
			}
			d.Arrive(at, time.Duration(k)*interval-70*ms, uint16(k))
			d.Update(at)
		}
		if got := d.Behind() - 70*ms - step; got != test.want {
			t.Errorf("within %v and %v, %v late: it waits for %v, want %v", test.least, test.most, test.late, got, test.want)
		}
	}
}
