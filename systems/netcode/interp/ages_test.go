package interp

import (
	"math/rand/v2"
	"testing"
	"time"
)

// stalling plays 30 snapshots a second. Snapshots that are sent during a stall arrive in one burst
// at its end.
type stalling struct {
	d         Delay
	now, sent time.Duration
	number    uint16
}

func (s *stalling) play(stall, rest time.Duration) (waits time.Duration) {
	s.now += stall
	for end := s.now + rest; s.now < end; s.now += time.Second / 30 {
		for ; s.sent <= s.now; s.sent += time.Second / 30 {
			s.d.Arrive(s.now+5*ms+s.now%(10*ms), s.sent, s.number)
			s.number++
		}
		s.d.Update(s.now + 15*ms)
	}
	return s.d.Waits()
}

// Stalls count as over after a silence much longer than the times between them, and not before.
// That also holds after they have begun again. The view does not wait for rare stalls.
func TestStallsEnd(t *testing.T) {
	for _, tt := range []struct {
		name         string
		length, rest time.Duration // of stalls and of the times between them
		waits        bool
		over         time.Duration // latest time at which they count as over
	}{
		{"an ordered stream", 200 * ms, 200 * ms, true, 3 * time.Second},
		{"a slower one", 400 * ms, 500 * ms, true, 8 * time.Second},
		{"one a second", 250 * ms, time.Second, true, 15 * time.Second},
		{"one in five seconds", 400 * ms, 5 * time.Second, true, time.Minute},
		{"one in 25 seconds", time.Second, 25 * time.Second, false, 0},
	} {
		for _, epoch := range []time.Duration{0, -time.Hour} {
			s := stalling{now: epoch, sent: epoch}
			s.d.init(DelayConfig{})
			for s.now < epoch+3*time.Minute {
				waits := s.play(tt.length, tt.rest)
				if late := s.now > epoch+time.Minute; late && tt.waits != (waits > tt.length-20*ms) || !tt.waits && waits > cheapIntervals*time.Second/30+3*ms {
					t.Fatalf("%s, from %v: at %v it waits for %v", tt.name, epoch, s.now-epoch, waits)
				}
			}
			if !tt.waits {
				continue
			}
			again := s
			if waits := s.play(0, tt.rest+tt.over/20); waits < tt.length-20*ms {
				t.Errorf("%s: believed to be over at once", tt.name)
			}
			if waits := s.play(0, tt.over); waits > cheapIntervals*time.Second/30+3*ms {
				t.Errorf("%s: %v later it waits for %v", tt.name, tt.over, waits)
			}
			again.play(0, tt.over)
			if waits := again.play(tt.length, 100*ms); waits < tt.length-40*ms && tt.over < 10*time.Second {
				t.Errorf("%s: when they are back it waits for %v", tt.name, waits)
			}
		}
	}
}

// ordered is a stream that loses 15 % until a given time. A lost snapshot arrives 200 ms late, and
// so do those behind it. It returns the arrival times of its snapshots.
func ordered(seed uint64, until, length time.Duration) (arrivals []time.Duration) {
	random := rand.New(rand.NewPCG(seed, 6))
	last := time.Duration(0)
	for sent := time.Duration(0); sent < length; sent += time.Second / 30 {
		at := sent + 90*ms + time.Duration(random.Int64N(int64(20*ms)))
		for sent < until && random.Float64() < 0.15 {
			at += 200 * ms
		}
		last = max(last, at)
		arrivals = append(arrivals, last)
	}
	return arrivals
}

// Five seconds after the last stall of an ordered stream the view has the same lag as without
// stalls, though it never runs faster than 1.5. During the loss it lags by half a second and
// starves in less than a tenth of the frames.
func TestPlaybackRecoversFromStalls(t *testing.T) {
	const until, length = 60 * time.Second, 75 * time.Second
	run := func(seed uint64, until time.Duration) (lags []time.Duration, starved float64, over time.Duration) {
		p := NewPlayback(DelayConfig{})
		arrivals := ordered(seed, until, length)
		k, dry, frames := 0, 0, 0
		for now := time.Duration(0); now < length-time.Second; now += step {
			for ; k < len(arrivals) && arrivals[k] <= now; k++ {
				if late := arrivals[k] - time.Duration(k)*time.Second/30; late > 115*ms {
					over = arrivals[k] // the end of the last stall
				}
				p.Arrive(arrivals[k], time.Duration(k)*time.Second/30, uint16(k))
			}
			p.Update(now)
			view, ok := p.View(now)
			if !ok {
				continue
			}
			if p.Rate() > 1.5001 {
				t.Fatalf("seed %d: at %v the view runs at %v", seed, now, p.Rate())
			}
			if newest, _ := p.Newest(); now > 5*time.Second && now < until {
				if frames++; view > newest {
					dry++
				}
			}
			lags = append(lags, now-view)
		}
		return lags, float64(dry) / max(float64(frames), 1), over
	}
	at := func(lags []time.Duration, when time.Duration) time.Duration {
		return lags[len(lags)-1-int((length-time.Second-when)/step)]
	}
	tried := 0
	for seed := range uint64(40) {
		base, _, _ := run(seed, 0)
		lags, starved, over := run(seed, until)
		normal := at(base, 40*time.Second)
		if got := at(lags, until); got > 850*ms || starved > 0.1 {
			t.Errorf("seed %d: while the stream loses the lag is %v, and %.1f %% starve", seed, got, 100*starved)
		}
		if at(lags, over) > normal*11/10+800*ms {
			continue // the last stall was too long to recover from in 5 s
		}
		tried++
		if got := at(lags, over+5*time.Second); got > normal*11/10 {
			t.Errorf("seed %d: 5 s after the last stall the lag is %v, want at most a tenth above %v", seed, got, normal)
		}
	}
	if tried < 30 {
		t.Errorf("only %d of 40 streams end without a very long stall", tried)
	}
}

// The jitter of a line is not forgotten while a queue fills and drains. The queue makes all
// snapshots late, and gives no information about their differences.
func TestQueueHidesNothing(t *testing.T) {
	for _, queue := range []time.Duration{200 * ms, 500 * ms, 2 * time.Second, 6 * time.Second} {
		s := stalling{}
		s.d.init(DelayConfig{})
		for s.now < time.Minute {
			s.play(300*ms, 2*time.Second)
		}
		before := s.d.Waits()
		if before < 280*ms {
			t.Fatalf("it waits for %v where 300 ms are missing in every 2.3 s", before)
		}
		for _, rise := range []time.Duration{queue, -queue} {
			s.sent -= rise // all arrivals are later by this from now on
			for range 10 {
				s.play(0, time.Second)
			}
		}
		if got := s.d.Waits(); got < before-20*ms || got > before+50*ms {
			t.Errorf("a queue of %v makes it wait for %v, %v before", queue, got, before)
		}
	}
}

// If every body is sent once in a round, the view waits for a round on a steady line. If arrivals
// vary, it waits for less than the sum: few bodies are due when a snapshot is late.
func TestRoundAndLatenessShareTheWait(t *testing.T) {
	const interval = time.Second / 30
	waits := func(round, late time.Duration) time.Duration {
		d := NewDelay(DelayConfig{Interval: interval})
		random := rand.New(rand.NewPCG(1, 2))
		d.SetRound(round)
		last := time.Duration(0)
		for k := range 3000 {
			sent := time.Duration(k) * interval
			last = max(last, sent+time.Duration(random.Float64()*random.Float64()*float64(late)))
			d.Arrive(last, sent, uint16(k))
			d.Update(last)
		}
		return d.Waits()
	}
	for _, round := range []time.Duration{interval, 2 * interval, 4 * interval} {
		if got := waits(round, 0); got < round || got > round+3*ms {
			t.Errorf("a round of %v on a steady line: waits for %v", round, got)
		}
	}
	const round = 4 * interval
	one, all := waits(0, 150*ms), waits(round, 150*ms)
	if more := all - one; more < (round-interval)/2 || more > round-interval-15*ms {
		t.Errorf("waits for %v, and for %v with a round of %v", one, all, round)
	}
}
