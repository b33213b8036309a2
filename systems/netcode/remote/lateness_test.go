package remote

import (
	"math/rand/v2"
	"testing"
	"time"
)

// stalling feeds a lateness with 30 snapshots a second, of which every stall makes late what is sent during it: it comes in one burst at its end, as the frame that reads it sees it.
type stalling struct {
	l   lateness
	now time.Duration
}

const frame33 = time.Second / 30

func (s *stalling) calm(d time.Duration) (believed time.Duration) {
	believed = -1
	for end := s.now + d; s.now < end; s.now += frame33 {
		s.l.add(s.now, 5*ms+s.now%(10*ms))
		if s.l.calm() && believed < 0 {
			believed = d - (end - s.now)
		}
	}
	return believed
}

func (s *stalling) stall(d time.Duration) {
	s.now += d
	s.l.add(s.now, d)
	s.l.calm()
}

// Stalls are believed to be over when they fail to come for much longer than the times between them, and not before.
func TestStallsEnd(t *testing.T) {
	for _, tt := range []struct {
		name         string
		length, rest time.Duration // of stalls and of the times between them
		from, to     time.Duration // when their end is believed; 0: never, but forgotten
	}{
		{"an ordered stream", 200 * ms, 200 * ms, 800 * ms, 2 * time.Second},
		{"a slower one", 400 * ms, 500 * ms, 3 * time.Second, 7 * time.Second},
		{"one a second", 150 * ms, time.Second, 0, 0},
		{"one in three seconds", 300 * ms, 3 * time.Second, 0, 0},
		{"jitter", 90 * ms, 100 * ms, 0, 0},
	} {
		var s stalling
		for s.now < 20*time.Second {
			if s.calm(tt.rest) >= 0 {
				t.Errorf("%s: believed to be over at %v, when they were not", tt.name, s.now)
			}
			s.stall(tt.length)
		}
		if got := s.l.p99(); got != tt.length {
			t.Errorf("%s: the lateness is %v, want %v", tt.name, got, tt.length)
		}
		again := s
		believed := s.calm(20 * time.Second)
		if tt.to > 0 && (believed < tt.from || believed > tt.to) || tt.to == 0 && believed >= 0 && believed < 7*time.Second {
			t.Errorf("%s: believed to be over after %v, want %v to %v", tt.name, believed, tt.from, tt.to)
		}
		if got := s.l.p99(); got >= 20*ms {
			t.Errorf("%s: 20 s later the lateness is %v", tt.name, got)
		}
		if believed < 0 || tt.to > 2*time.Second {
			continue
		}
		// The belief was wrong: all that was known of the stalls counts again.
		again.calm(believed + frame33)
		if got := again.l.p99(); got >= 20*ms {
			t.Errorf("%s: the lateness is %v, though calm is believed", tt.name, got)
		}
		again.stall(150 * ms)
		again.calm(tt.rest)
		if got := again.l.p99(); got != tt.length {
			t.Errorf("%s: when they are back the lateness is %v, want %v", tt.name, got, tt.length)
		}
	}
}

// What is there to be believed does not depend on where the clock begins.
func TestCalmKnowsNoEpoch(t *testing.T) {
	believed := func(epoch time.Duration) time.Duration {
		s := stalling{now: epoch}
		for s.now < epoch+20*time.Second {
			s.calm(200 * ms)
			s.stall(200 * ms)
		}
		return s.calm(10 * time.Second)
	}
	if a, b := believed(0), believed(-time.Hour); a != b || a < 0 {
		t.Errorf("believed after %v, and an hour before after %v", a, b)
	}
}

// ordered is a stream that loses 15 % until a given time: what is lost comes 200 ms later, and with it all behind it. It returns when each of its snapshots comes.
func ordered(seed uint64, until, length time.Duration) (arrivals []time.Duration) {
	random := rand.New(rand.NewPCG(seed, 6))
	last := time.Duration(0)
	for sent := time.Duration(0); sent < length; sent += frame33 {
		at := sent + 90*ms + time.Duration(random.Int64N(int64(20*ms)))
		for sent < until && random.Float64() < 0.15 {
			at += 200 * ms
		}
		last = max(last, at)
		arrivals = append(arrivals, last)
	}
	return arrivals
}

// Five seconds after the last stall of an ordered stream the view is where it was without any, though it never runs faster than 1.1; and while the stream loses, it lags by
// half a second and starves in less than a tenth of the frames.
func TestPlaybackRecoversFromStalls(t *testing.T) {
	const until, length = 60 * time.Second, 75 * time.Second
	run := func(seed uint64, until time.Duration) (lags []time.Duration, starved float64, over time.Duration) {
		p := NewPlayback(DelayConfig{})
		arrivals := ordered(seed, until, length)
		k, dry, frames := 0, 0, 0
		for now := time.Duration(0); now < length-time.Second; now += step {
			for ; k < len(arrivals) && arrivals[k] <= now; k++ {
				if late := arrivals[k] - time.Duration(k)*frame33; late > 115*ms {
					over = arrivals[k] // the end of the last stall
				}
				p.Arrive(arrivals[k], time.Duration(k)*frame33, uint16(k))
			}
			p.Update(now)
			view, ok := p.View(now)
			if !ok {
				continue
			}
			if p.Rate() > 1.1001 {
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
		if at(lags, over) > normal*11/10+350*ms {
			continue // the last stall was too long: nobody is back from there in 5 s
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
