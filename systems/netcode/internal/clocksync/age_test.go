package clocksync

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
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
		{-1, -1}, // a late input is never rounded to 0
		{-step, -8},
		{2*time.Millisecond + 83*time.Microsecond, 0}, // an eighth is 2.0833 ms
		{2*time.Millisecond + 84*time.Microsecond, 1},
		{time.Minute, 28800},
		{time.Hour, 32767},
		{-time.Hour, -32767},
		{math.MaxInt64, 32767},
		{math.MinInt64, -32767},
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
		d := time.Duration(rapid.Int64Range(-int64(g.Edge(4000)), int64(g.Edge(4000))).Draw(t, "age"))
		got := AgeOf(d, g).Duration(g)
		if got > d+1 || got < d-g.Step()/ageSteps-2 {
			t.Fatalf("%v becomes %v, want it rounded down to eighths of %v", d, got, g.Step())
		}
	})
}

// The age is that of the newest input, for early and for late inputs.
func TestAgeMeterReportsTheNewest(t *testing.T) {
	m := NewAgeMeter(Grid{})
	if r := m.Report(); r.Age != NoAge {
		t.Errorf("an age of %d before any input", r.Age)
	}
	g := Grid{}
	for k, early := range []time.Duration{30 * ms, -20 * ms, -17 * time.Second, 0, 9 * time.Second} {
		if !m.Arrived(tick.Tick(1200+k), g.Edge(int64(1200+k))-early) {
			t.Fatalf("input %d does not count", k)
		}
		if r, want := m.Report(), (Report{Newest: tick.Tick(1200 + k), Age: AgeOf(early, g)}); r != want {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	// Two seconds of inputs arrive at once. The last of them shows the present state of the
	// network, and the latest one shows the length of the outage.
	now := g.Edge(1400) - 30*ms
	for k := 1280; k <= 1400; k++ {
		m.Arrived(tick.Tick(k), now)
	}
	if r, want := m.Report(), (Report{Newest: 1400, Age: AgeOf(30*ms, g), Held: 120, HeldAge: AgeOf(30*ms-2*time.Second, g)}); r != want {
		t.Errorf("%+v after a burst, want %+v", r, want)
	}
	m.Arrived(1401, g.Edge(1401)-30*ms)
	if r, want := m.Report(), (Report{Newest: 1401, Age: AgeOf(30*ms, g)}); r != want {
		t.Errorf("%+v after one more, want %+v", r, want)
	}
}

func TestAgeMeterIgnoresRepeatsAndAbsurdTicks(t *testing.T) {
	m := NewAgeMeter(Grid{})
	g := Grid{}
	for k := range 100 {
		m.Arrived(tick.Tick(k), g.Edge(int64(k))-20*ms)
	}
	now, want := g.Edge(99), *m
	for _, k := range []tick.Tick{99, 98, 95, 99, 0x80000000, 99 + 4200, 0xfffffff0} {
		if m.Arrived(k, now) {
			t.Errorf("input %d counts", k)
		}
	}
	want.older = m.older
	if *m != want {
		t.Errorf("what does not count changed the meter: %+v, want %+v", *m, want)
	}
}

// After its clock was set back, a client sends lower ticks.
func TestAgeMeterBeginsAnewBehind(t *testing.T) {
	m := NewAgeMeter(Grid{})
	g := Grid{}
	m.Arrived(150, g.Edge(60))
	counted := 0
	for k := 62; k < 80; k++ {
		if m.Arrived(tick.Tick(k), g.Edge(int64(k))-20*ms) {
			counted++
		}
	}
	if r, want := m.Report(), (Report{Newest: 79, Age: AgeOf(20*ms, g)}); counted != 11 || r != want {
		t.Errorf("%d of 18 inputs count, %+v; want 11, %+v", counted, r, want)
	}
}

func TestAgeMeterAllocatesNothing(t *testing.T) {
	m := NewAgeMeter(Grid{})
	k := 0
	if n := testing.AllocsPerRun(1000, func() {
		m.Arrived(tick.Tick(k), Grid{}.Edge(int64(k)))
		k++
	}); n > 0 {
		t.Errorf("%v allocations per input", n)
	}
}
