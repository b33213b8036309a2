package articles

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// playMirror returns the median lag and the share of frames whose view has passed the newest
// snapshot.
func playMirror(seed uint64, interval time.Duration, transit func(time.Duration, *rand.Rand) time.Duration, drift float64) (lag time.Duration, starved float64) {
	random := rand.New(rand.NewPCG(seed, 2))
	m := NewMirrorEngine(interval)
	type packet struct{ at, stamp time.Duration }
	var flying []packet
	var lags []time.Duration
	newest, sent := time.Duration(-1), time.Duration(0)
	frames, dry := 0, 0
	local := func(t time.Duration) time.Duration { return t + time.Duration(float64(t)*drift*1e-6) }
	for now := time.Duration(0); now < 300*time.Second; now += step {
		for ; sent <= now; sent += interval {
			if d := transit(sent, random); d >= 0 {
				flying = append(flying, packet{sent + d, sent})
			}
		}
		slices.SortStableFunc(flying, func(a, b packet) int { return int(a.at - b.at) })
		for len(flying) > 0 && flying[0].at <= now {
			m.Arrive(local(now), flying[0].stamp)
			newest = max(newest, flying[0].stamp)
			flying = flying[1:]
		}
		if view, ok := m.View(local(now)); ok && now > 5*time.Second {
			frames++
			lags = append(lags, now-view)
			if view > newest {
				dry++
			}
		}
	}
	slices.Sort(lags)
	return lags[len(lags)/2], float64(dry) / float64(frames)
}

// The algorithm has its known results. At 100 ms of latency 10 Hz is drawn about 300 ms behind and
// 30 Hz about 170 ms. Loss hardly changes the deviation of the gaps, so the buffer does not grow
// and 15 % loss starves it.
func TestMirrorTiming(t *testing.T) {
	for _, tt := range []struct {
		name     string
		interval time.Duration
		loss     float64
		lagFrom  time.Duration
		lagTo    time.Duration
		dryFrom  float64
		dryTo    float64
	}{
		{"10 Hz", 100 * ms, 0, 295 * ms, 320 * ms, 0, 0},
		{"30 Hz", time.Second / 30, 0, 165 * ms, 185 * ms, 0, 0},
		{"10 Hz, 15 % loss", 100 * ms, 0.15, 295 * ms, 340 * ms, 0.012, 0.035},
		{"30 Hz, 15 % loss", time.Second / 30, 0.15, 165 * ms, 185 * ms, 0.005, 0.025},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(10) {
				lag, dry := playMirror(seed, tt.interval, lossy(tt.loss, 100*ms, 10*ms), 0)
				if lag < tt.lagFrom || lag > tt.lagTo {
					t.Errorf("seed %d: median lag %v, want %v to %v", seed, lag, tt.lagFrom, tt.lagTo)
				}
				if dry < tt.dryFrom || dry > tt.dryTo {
					t.Errorf("seed %d: %.2f %% of the frames starve, want %.1f to %.1f", seed, 100*dry, 100*tt.dryFrom, 100*tt.dryTo)
				}
			}
		})
	}
}

func TestMirrorSpeeds(t *testing.T) {
	m := NewMirrorEngine(100 * ms)
	now := time.Duration(0)
	for i := range 100 {
		m.Arrive(now, time.Duration(i)*100*ms)
		m.View(now)
		now += 100 * ms
	}
	if m.Rate() != 1 {
		t.Errorf("rate %v in the dead band, want exactly 1", m.Rate())
	}
	for i := 100; i < 115; i++ { // the server's time runs ahead
		m.Arrive(now, time.Duration(i)*100*ms+150*ms)
		m.View(now)
		now += 100 * ms
	}
	if m.Rate() != 1.02 {
		t.Errorf("rate %v when behind, want 1.02", m.Rate())
	}
}

func TestMirrorAverage(t *testing.T) {
	a := average{alpha: 0.5}
	for _, x := range []float64{4, 8, 8} {
		a.add(x)
	}
	// 4; then delta 4: value 6, variance 0.5*(0+0.5*16)=4; then delta 2: value 7, variance
	// 0.5*(4+0.5*4)=3.
	if a.value != 7 || a.variance != 3 {
		t.Errorf("mean %v, variance %v, want 7 and 3", a.value, a.variance)
	}
}

func TestMirrorIsBoundedAndIgnoresDuplicates(t *testing.T) {
	m, n := NewMirrorEngine(0), NewMirrorEngine(0)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range 1000 {
		now := time.Duration(i) * 33 * ms
		stamp := now - time.Duration(random.IntN(60))*ms
		m.Arrive(now, stamp)
		n.Arrive(now, stamp)
		n.Arrive(now, stamp)
	}
	if *m != *n {
		t.Error("a duplicate changed something")
	}
	if math.IsNaN(m.timeline) || m.count > len(m.arrivals) {
		t.Errorf("timeline %v, %d arrivals kept", m.timeline, m.count)
	}
	m.Arrive(time.Minute, -time.Hour) // older than all snapshots that are kept
	if _, ok := m.View(time.Minute); !ok {
		t.Error("not running")
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
