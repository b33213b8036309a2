package clocksync

import (
	"math"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/tick"
	"pgregory.net/rapid"
)

func TestAgeOf(t *testing.T) {
	g := Grid{}
	step := g.Step()
	for _, test := range []struct {
		d    time.Duration
		want Age
	}{
		{0, 0},
		{step + 1, 8},
		{step / 2, 3}, // the step is rounded down, and so is its half
		{step/2 + 1, 4},
		{-1, -1}, // too late is too late
		{-step, -8},
		{2*time.Millisecond + 83*time.Microsecond, 0}, // an eighth is 2.0833 ms
		{2*time.Millisecond + 84*time.Microsecond, 1},
		{time.Hour, 127},
		{-time.Hour, -127},
		{math.MaxInt64, 127},
		{math.MinInt64, -127},
	} {
		if got := AgeOf(test.d, g); got != test.want {
			t.Errorf("AgeOf(%v) = %d, want %d", test.d, got, test.want)
		}
	}
	if got := NoAge.Duration(g); got != 0 {
		t.Errorf("NoAge lasts %v", got)
	}
}

func TestAgeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := NewGrid(rapid.IntRange(1, 1000).Draw(t, "rate"))
		d := time.Duration(rapid.Int64Range(-int64(g.Edge(15)), int64(g.Edge(15))).Draw(t, "age"))
		got := AgeOf(d, g).Duration(g)
		if got > d+1 || got < d-g.Step()/ageSteps-2 {
			t.Fatalf("%v becomes %v, want it rounded down to eighths of %v", d, got, g.Step())
		}
	})
}

func newAgeMeter(t testing.TB) *AgeMeter {
	t.Helper()
	m, err := NewAgeMeter(60)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAgeMeterFollowsTheMean(t *testing.T) {
	m := newAgeMeter(t)
	if m.Age() != NoAge {
		t.Errorf("an age of %d before any input", m.Age())
	}
	g := Grid{}
	for k := range 200 {
		early := 30 * ms
		if k >= 100 {
			early = -20 * ms
		}
		if !m.Arrived(tick.Tick(k), g.Edge(int64(k))-early) {
			t.Fatalf("input %d does not count", k)
		}
		switch {
		case k == 99 && m.Mean() != 30*ms:
			t.Errorf("mean %v of inputs that are all 30 ms early", m.Mean())
		case k == 107: // eight inputs later (7/8)^8 = 34 % of the difference are left
			if off := m.Mean() - (-20*ms + 17180*time.Microsecond); magnitude(off) > 10*time.Microsecond {
				t.Errorf("mean %v eight inputs after a change", m.Mean())
			}
		}
	}
	if m.Mean() > -19900*time.Microsecond || m.Age() != -10 || m.Newest() != 199 {
		t.Errorf("mean %v, age %d, newest %d; want -20 ms, -10 and 199", m.Mean(), m.Age(), m.Newest())
	}
}

func TestAgeMeterJitter(t *testing.T) {
	m := newAgeMeter(t)
	for k := range 1000 {
		m.Arrived(tick.Tick(k), Grid{}.Edge(int64(k))-time.Duration(k%2)*10*ms)
	}
	if j := m.Jitter(); j < 4500*time.Microsecond || j > 5500*time.Microsecond {
		t.Errorf("jitter %v of inputs that are 0 or 10 ms early, want about 5 ms", j)
	}
}

func TestAgeMeterIgnoresRepeatsAndAbsurdTicks(t *testing.T) {
	m := newAgeMeter(t)
	g := Grid{}
	for k := range 100 {
		m.Arrived(tick.Tick(k), g.Edge(int64(k))-20*ms)
	}
	now, want := g.Edge(99), *m
	for _, k := range []tick.Tick{99, 98, 95, 99, 0x80000000, 99 + 200, 0xfffffff0} {
		if m.Arrived(k, now) {
			t.Errorf("input %d counts", k)
		}
	}
	want.older = m.older
	if *m != want {
		t.Errorf("what does not count changed the meter: %+v, want %+v", *m, want)
	}
}

// Two seconds' worth of inputs that come at once say how the network is by the last of them, and one late input hardly counts.
func TestAgeMeterTakesTheNewestOfABurst(t *testing.T) {
	m := newAgeMeter(t)
	g := Grid{}
	for k := range 100 {
		m.Arrived(tick.Tick(k), g.Edge(int64(k))-30*ms)
	}
	now := g.Edge(219) - 30*ms
	for k := 100; k < 220; k++ {
		m.Arrived(tick.Tick(k), now)
	}
	if m.Mean() != 30*ms {
		t.Errorf("mean %v after a burst whose newest was 30 ms early", m.Mean())
	}
	m.Arrived(220, g.Edge(220)+150*ms)
	if got := m.Mean(); got != 30*ms-50*ms/8 {
		t.Errorf("mean %v after one that was 150 ms late, want a 50 ms error of which 1/8 counts", got)
	}
	m.Arrived(221, g.Edge(221)+time.Second)
	if got := m.Mean(); got != 30*ms-50*ms/8 || m.Age() != NoAge {
		t.Errorf("mean %v, age %v after one that was a second late, want that to be in doubt, and nothing else", got, m.Age())
	}
}

// Until four inputs agree there is no age, and from then on it takes a quarter of a second of others to begin another one: what a machine that slept held back is no
// way that has grown longer.
func TestAgeMeterBeginsAnewWhereAllAreFarOff(t *testing.T) {
	m := newAgeMeter(t)
	g := Grid{}
	for k := range 6 { // held up by up to a second
		m.Arrived(tick.Tick(k), time.Second+time.Duration(k)*5*ms)
		if k < 3 && m.Age() != NoAge {
			t.Errorf("an age of %v after %d inputs", m.Age(), k+1)
		}
	}
	began := time.Duration(0)
	for k := 63; k < 120; k++ {
		now := g.Edge(int64(k)) - 40*ms
		m.Arrived(tick.Tick(k), now)
		if age := m.Age(); age == NoAge {
			continue
		} else if began == 0 {
			began = now - (g.Edge(63) - 40*ms)
		}
		if got := m.Mean(); got != 40*ms {
			t.Fatalf("mean %v at input %d, want 40 ms", got, k)
		}
	}
	if want := 250*ms + 5*g.Step(); began == 0 || began > want {
		t.Errorf("it took %v until what was held up was forgotten, want at most %v", began, want)
	}
}

// A client whose clock was set back sends lower ticks from then on.
func TestAgeMeterBeginsAnewBehind(t *testing.T) {
	m := newAgeMeter(t)
	g := Grid{}
	m.Arrived(150, g.Edge(60))
	counted := 0
	for k := 62; k < 80; k++ {
		if m.Arrived(tick.Tick(k), g.Edge(int64(k))-20*ms) {
			counted++
		}
	}
	if counted != 11 || m.Mean() != 20*ms || m.Newest() != 79 {
		t.Errorf("%d of 18 inputs count, mean %v, newest %d; want 11, 20 ms, 79", counted, m.Mean(), m.Newest())
	}
}

func TestAgeMeterAllocatesNothing(t *testing.T) {
	m := newAgeMeter(t)
	k := 0
	if n := testing.AllocsPerRun(1000, func() {
		m.Arrived(tick.Tick(k), Grid{}.Edge(int64(k)))
		k++
	}); n > 0 {
		t.Errorf("%v allocations per input", n)
	}
}
