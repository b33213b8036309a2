package interp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// stream plays snapshots over a link and passes them to a Delay and a Playback, frame by frame at
// 60 Hz.
type stream struct {
	seed     uint64
	interval time.Duration
	transit  func(sent time.Duration, r *rand.Rand) time.Duration // negative: lost
	// of the receiving clock, parts per million
	drift float64
	twice bool // every packet arrives twice
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

// The waiting time on each network is the interval, an interval for each snapshot lost in a row
// more often than about once in ten seconds, and the jitter.
func TestDelayFormula(t *testing.T) {
	const interval = time.Second / 30
	tests := []struct {
		name   string
		loss   float64
		jitter time.Duration
		n      int
	}{
		{"a perfect link", 0, 0, 1},
		{"jitter", 0, 10 * ms, 1},
		{"much jitter", 0, 50 * ms, 1},
		{"1 % loss", 0.01, 10 * ms, 2},
		{"5 % loss", 0.05, 10 * ms, 3}, // two in a row each 13 s
		{"15 % loss", 0.15, 10 * ms, 4},
		{"25 % loss", 0.25, 10 * ms, 5},
		{"half is lost", 0.5, 10 * ms, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(5) {
				var waited time.Duration
				var last *Playback
				frames := 0
				s := stream{seed: seed, interval: interval, transit: lossy(tt.loss, 100*ms, tt.jitter)}
				s.play(180*time.Second, func(now time.Duration, p *Playback) {
					if last = p; now > time.Hour+60*time.Second {
						waited += p.Waits()
						frames++
					}
				})
				waited /= time.Duration(frames)
				if d := math.Abs(last.Loss() - tt.loss); d > 0.04 {
					t.Errorf("seed %d: loss measured %.3f, is %.3f", seed, last.Loss(), tt.loss)
				}
				// The least transit of the latest snapshots has no jitter, so all of the jitter
				// counts. For the last snapshot in the waiting time only a part of it counts. Two
				// late snapshots overtake less often.
				most := time.Duration(tt.n)*interval + 2*tt.jitter + 3*ms
				if least := most - interval - 2*tt.jitter; waited < least || waited > most+interval/2 {
					t.Errorf("seed %d: waits for %v, want %v to %v", seed, waited, least, most)
				}
				if d := last.Transit() - time.Hour - (100*ms - tt.jitter); d < 0 || d > tt.jitter/8 {
					t.Errorf("seed %d: transit off by %v", seed, d)
				}
				if got := last.Behind(); got != last.Transit()+last.Waits()+time.Second/60 {
					t.Errorf("seed %d: behind by %v", seed, got)
				}
			}
		})
	}
}

// The view waits for snapshots that are left out on purpose, such as one in three, and no longer
// than that.
func TestDelayWithRegularGaps(t *testing.T) {
	const interval = time.Second / 30
	for _, every := range []int{2, 3, 10, 50} {
		n := 0
		s := stream{interval: interval, transit: func(time.Duration, *rand.Rand) time.Duration {
			if n++; n%every == 0 {
				return -1
			}
			return 20 * ms
		}}
		s.play(60*time.Second, func(now time.Duration, p *Playback) {
			if w := p.Waits(); now > time.Hour+10*time.Second && (w < 2*interval || w > 2*interval+3*ms) {
				t.Fatalf("each %dth left out: at %v it waits for %v", every, now-time.Hour, w)
			}
		})
	}
}

// After a single stall of a second and a half, whose snapshots arrive in one burst or within a
// second, the view does not wait for stalls. It waits for a lasting queue, and stops waiting at
// once when the queue ends.
func TestDelayDistinguishesStallsFromQueues(t *testing.T) {
	const interval = time.Second / 30
	for _, tt := range []struct {
		name  string
		queue func(sent time.Duration) time.Duration
		least time.Duration // waiting time at 35 s
		// greatest time after the 40th second until the waiting time is at most 60 ms above the
		// first
		before     time.Duration
		viewWithin time.Duration // greatest time until the view has followed
	}{
		{"a stall", func(t time.Duration) time.Duration { return max(0, 40*time.Second-t) * b2d(t > 38500*ms) }, 0, 0, 3 * time.Second},
		{"one that drains", func(t time.Duration) time.Duration {
			if t < 38500*ms {
				return 0
			}
			return max(0, min(40*time.Second-t, 1500*ms), (41*time.Second-t)*3/5*b2d(t > 39*time.Second))
		}, 0, 1500 * ms, 3500 * ms},
		{"a queue", func(t time.Duration) time.Duration { return 400 * ms * b2d(t > 30*time.Second && t < 40*time.Second) }, 400 * ms, time.Second, 3 * time.Second},
	} {
		last := time.Duration(0)
		s := stream{interval: interval, transit: func(sent time.Duration, r *rand.Rand) time.Duration {
			at := max(last, sent+30*ms+time.Duration(r.Int64N(int64(5*ms)))+tt.queue(sent))
			last = at
			return at - sent
		}}
		var usual, lag, settled, viewed time.Duration
		s.play(60*time.Second, func(now time.Duration, p *Playback) {
			now -= time.Hour
			view, _ := p.View(now + time.Hour)
			switch behind := p.Behind() - time.Hour; {
			case now < 30*time.Second:
				usual, lag = behind, now-view
			case now > 40*time.Second:
				if behind > usual+60*ms {
					settled = now - 40*time.Second
				}
				if now-view > lag+60*ms {
					viewed = now - 40*time.Second
				}
			case now > 35*time.Second && now < 38*time.Second && behind < usual+tt.least-5*ms:
				t.Fatalf("%s: at %v it is behind by %v, %v before", tt.name, now, behind, usual)
			}
		})
		if settled > tt.before+50*ms || viewed > tt.viewWithin {
			t.Errorf("%s: behind by more than usual for %v, want %v; the view was for %v, want %v", tt.name, settled, tt.before, viewed, tt.viewWithin)
		}
	}
}

func b2d(b bool) time.Duration {
	if b {
		return 1
	}
	return 0
}

// On a clean line, 20 ms one way and 30 snapshots a second, others are seen less than 75 ms after
// the time of the server's stamp, which is 60 ms after the start of its step.
func TestCleanLineCostsOneInterval(t *testing.T) {
	s := stream{interval: time.Second / 30, transit: lossy(0, 20*ms, 0)}
	s.play(60*time.Second, func(now time.Duration, p *Playback) {
		view, _ := p.View(now)
		if lag := now - time.Hour - view; now > time.Hour+10*time.Second && lag > 72*ms {
			t.Fatalf("at %v the lag is %v", now-time.Hour, lag)
		}
	})
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

// A burst after a stall is one event, with any number of snapshots and any lateness.
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
	before := d.ages.all().n
	for i := range 30 { // a second of snapshots at once
		d.Arrive(now+time.Second, now+time.Duration(i)*interval, number)
		number++
	}
	d.Update(now + time.Second)
	for i, n := range d.ages.all().n {
		if n > before[i]+1.01 {
			t.Errorf("a burst of 30 counted %v times", n-before[i])
		}
	}
	if got := d.Waits(); got > cheapIntervals*interval+3*ms {
		t.Errorf("one stall in ten seconds makes it wait for %v", got)
	}
}

// A gap counts as a loss only when the missing snapshot is later than any snapshot has been. Every
// loss counts once.
func TestLossCounting(t *testing.T) {
	arrive := func(l *loss, at time.Duration, numbers ...uint16) {
		for _, n := range numbers {
			l.arrive(at, n)
		}
	}
	var l loss
	arrive(&l, 0, 10, 11, 13)
	l.update(10*ms, 20*ms)
	if l.Lost != 0 {
		t.Error("lost before its time")
	}
	arrive(&l, 15*ms, 12)
	l.update(100*ms, 20*ms)
	if l.Lost != 0 || math.Abs(l.Total-3) > 0.01 {
		t.Errorf("%v of %v lost, want none of 3 (the first only begins)", l.Lost, l.Total)
	}
	arrive(&l, 100*ms, 16)
	l.update(121*ms, 20*ms)
	if math.Abs(l.Lost-2) > 0.01 {
		t.Errorf("%v lost, want 2", l.Lost)
	}
	if !l.arrive(130*ms, 15) {
		t.Error("a late snapshot is not a duplicate")
	}
	if l.arrive(131*ms, 15) || l.arrive(131*ms, 16) {
		t.Error("a duplicate counts as new")
	}
	l.update(200*ms, 20*ms)
	if math.Abs(l.Lost-2) > 0.01 {
		t.Error("what came too late to be shown is lost")
	}
	// An outage of thousands of snapshots does not count as thousands of losses, and the wrap of
	// the number does not count as a loss.
	before := l.Lost
	arrive(&l, time.Second, 5016)
	l.update(2*time.Second, 20*ms)
	if l.Lost-before > 64 {
		t.Errorf("an outage counted %v losses", l.Lost-before)
	}
	for n := uint16(5017); n != 100; n++ {
		l.arrive(2*time.Second, n)
		l.update(2*time.Second, 20*ms)
	}
	if l.Loss() > 0.01 {
		t.Errorf("rate %v after a wrap without loss", l.Loss())
	}
}

// The waiting time rises at once, and stays raised for about a minute.
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
	if low < 150*ms || low > 154*ms {
		t.Fatalf("behind by %v, want 150 ms", low)
	}
	feed(20*time.Second, 20500*ms, 150*ms)
	if got := d.Behind() - low; got < 97*ms {
		t.Errorf("after five late snapshots raised by %v, want 100 ms", got)
	}
	feed(20500*ms, 50*time.Second, 50*ms)
	if got := d.Behind() - low; got < 90*ms {
		t.Errorf("half a minute later raised by %v", got)
	}
	feed(50*time.Second, 400*time.Second, 50*ms)
	if got := d.Behind() - low; got > 0 {
		t.Errorf("minutes later raised by %v", got)
	}
}

// With frequent stalls of 2 s the waiting time stays within its bound. A way that has become as
// long is followed.
func TestWaitingIsBounded(t *testing.T) {
	d := NewDelay(DelayConfig{})
	now := time.Duration(0)
	for k := range uint16(400) {
		now += time.Second / 30
		at := now
		if k%20 == 0 {
			now += 2 * time.Second
			at = now
		}
		d.Arrive(at, now-time.Second/30, k)
		d.Update(at)
	}
	if got := d.Waits(); got > 750*ms || got < 700*ms {
		t.Errorf("stalls of 2 s in every twentieth frame: waits for %v", got)
	}
	for k := range uint16(5) {
		now += time.Second / 30
		d.Arrive(now+2*time.Second, now, 400+k)
		d.Update(now + 2*time.Second)
	}
	if got := d.Waits(); got < 2*time.Second || got > 2100*ms {
		t.Errorf("all of them 2 s late: waits for %v", got)
	}
}

// The waiting time stays within Min and Max. The transit and the step are not part of it.
func TestDelayKeepsItsBounds(t *testing.T) {
	const ms, interval, step = time.Millisecond, time.Second / 30, time.Second / 60
	for _, test := range []struct {
		least, most, late, want time.Duration
	}{
		{0, 0, 0, interval}, {0, 0, 20 * ms, interval + 20*ms}, {-ms, -ms, 0, interval},
		{100 * ms, 0, 0, 100 * ms}, {100 * ms, 0, 90 * ms, interval + 90*ms},
		{0, 40 * ms, 90 * ms, 40 * ms}, {0, 400 * ms, 20 * ms, interval + 20*ms},
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
		if got := d.Behind() - 70*ms - step; got < test.want || got > test.want+4*ms {
			t.Errorf("within %v and %v, %v late: it waits for %v, want %v", test.least, test.most, test.late, got, test.want)
		}
	}
}
