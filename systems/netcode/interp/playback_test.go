package interp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

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
		if math.Abs(mid-0.160) > 0.005 {
			t.Errorf("%v ppm: median lag %.1f ms, want 160", ppm, mid*1e3)
		}
	}
}

// A route that is 100 ms longer is absorbed within 2.5 s, and one that is 100 ms shorter within 12
// s. The view never runs backwards, and runs at 0.9 to 1.1.
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

// For any arrivals the view never runs back. Its speed is outside 0.9 to 1.5 only if it waits or
// jumps ahead.
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
			if r := p.Rate(); p.Jumps() == jumps && !p.Waiting() && (r < 0.8999 || r > 1.5001) {
				t.Fatalf("rate %v", r)
			}
			last = view
		}
	})
}

// A server and its time pause for two seconds. The view waits 100 ms past the last snapshot and has
// its usual lag again within three seconds.
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
