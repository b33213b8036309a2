package articles

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

func newTickPLL(t testing.TB) *TickPLL {
	t.Helper()
	p, err := NewTickPLL(0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stream passes updates without jitter to a loop, from one index to another, and returns the local
// time after the last.
func stream(p *TickPLL, from, to, every int, delay time.Duration) time.Duration {
	now := time.Duration(0)
	for k := from; k <= to; k += every {
		now = clocksync.Grid{}.Edge(int64(k)) + delay
		p.Update(now, tick.Tick(k))
	}
	return now
}

func TestTickPLLRespondsAlikeAtEveryRate(t *testing.T) {
	for _, test := range []struct {
		late      time.Duration
		remaining time.Duration // of the error after a second
	}{
		{20 * ms, 2707 * time.Microsecond}, // 20 exp(-1/0.5)
		{100 * ms, 50 * ms},                // the slew of 5 % is the limit
		// 25 ms at 5 % take half a second, and then 25 exp(-0.5/0.5)
		{50 * ms, 9197 * time.Microsecond},
	} {
		for _, every := range []int{1, 2, 6, 12} {
			p := newTickPLL(t)
			stream(p, 0, 600, every, 0)
			// The stream is late from now on, so the loop has to run slower.
			now := stream(p, 600+every, 660+every, every, test.late)
			remaining := p.Now(now) - (now - test.late)
			// The first late update is one interval away, and half of a step may be missing.
			slack := 300*time.Microsecond + time.Duration(float64(clocksync.Grid{}.Edge(int64(every)))*0.05)/2
			if (remaining - test.remaining).Abs() > slack {
				t.Errorf("%v late, every %d ticks: %v remain after a second, want %v +- %v", test.late, every, remaining, test.remaining, slack)
			}
		}
	}
}

func TestTickPLLIgnoresRepeatsAndOlderUpdates(t *testing.T) {
	clean, dirty := newTickPLL(t), newTickPLL(t)
	for k := 0; k < 600; k += 6 {
		now := clocksync.Grid{}.Edge(int64(k))
		clean.Update(now, tick.Tick(k))
		dirty.Update(now, tick.Tick(k))
		dirty.Update(now+8*ms, tick.Tick(k))    // a duplicate
		dirty.Update(now+9*ms, tick.Tick(k-6))  // an overtaken update
		dirty.Update(now-20*ms, tick.Tick(k+1)) // a time that has passed
		if a, b := clean.Now(now+10*ms), dirty.Now(now+10*ms); a != b {
			t.Fatalf("tick %d: %v with duplicates, %v without", k, b, a)
		}
	}
}

func TestTickPLLTakesTheNewestOfABurst(t *testing.T) {
	p := newTickPLL(t)
	now := stream(p, 0, 600, 6, 0) + 2*time.Second
	for k := 606; k <= 720; k += 6 { // two seconds of updates, delayed and delivered at once
		if jumped := p.Update(now, tick.Tick(k)); jumped != 0 {
			t.Errorf("tick %d: the clock jumped by %v", k, jumped)
		}
	}
	if e := (p.Now(now) - now).Abs(); e > time.Microsecond {
		t.Errorf("off by %v after the burst", e)
	}
	if p.Drift() != 0 {
		t.Errorf("a burst taught the loop a drift of %v", p.Drift())
	}
}

func TestTickPLLNeedsThreeWitnessesForAJump(t *testing.T) {
	p := newTickPLL(t)
	if jumped := p.Update(0, 1000); jumped != (clocksync.Grid{}).Edge(1000) {
		t.Errorf("the first update jumped by %v, want to %v", jumped, clocksync.Grid{}.Edge(1000))
	}
	// A single absurd tick, then the stream again.
	for i, k := range []tick.Tick{1006, 1 << 31, 1018, 7, 1030} {
		now := time.Duration(i+1) * 100 * ms
		if jumped := p.Update(now, k); jumped != 0 {
			t.Errorf("tick %d: jumped by %v", k, jumped)
		}
		if e := (p.Now(now) - clocksync.Grid{}.Edge(1000) - now).Abs(); e > ms {
			t.Errorf("tick %d: off by %v", k, e)
		}
	}
	// The server has restarted.
	want := []time.Duration{0, 0, -clocksync.Grid{}.Edge(1024)}
	for i := range 3 {
		now := time.Duration(i+6) * 100 * ms
		if jumped := p.Update(now, tick.Tick(12+6*i)); (jumped - want[i]).Abs() > 2*ms {
			t.Errorf("update %d of a new server: jumped by %v, want %v", i, jumped, want[i])
		}
	}
	if got, want := p.Now(800*ms), (clocksync.Grid{}).Edge(24); got != want {
		t.Errorf("after the jump: %v, want %v", got, want)
	}
}

func TestTickPLLSurvivesTheWrapOfTicks(t *testing.T) {
	p := newTickPLL(t)
	start := tick.Tick(math.MaxUint32 - 10)
	for k := range 20 {
		p.Update(clocksync.Grid{}.Edge(int64(k)), start.Add(k))
	}
	now := clocksync.Grid{}.Edge(19)
	if e := (p.Now(now) - clocksync.Grid{}.Edge(int64(start)) - now).Abs(); e > time.Microsecond {
		t.Errorf("off by %v after the wrap", e)
	}
}

func TestTickPLLDriftIsBounded(t *testing.T) {
	p := newTickPLL(t)
	for k := range 60 * 600 { // ten minutes of a clock that is 1 % off
		p.Update(clocksync.Grid{}.Edge(int64(k))*101/100, tick.Tick(k))
	}
	if d := p.Drift(); d != -0.0025 {
		t.Errorf("a drift of %v, want the limit of -0.0025", d)
	}
}

// For any arrivals the time between jumps never runs backwards, and never faster than the slew and
// the drift allow.
func TestTickPLLProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := NewTickPLL(0)
		if err != nil {
			t.Fatal(err)
		}
		now, k := time.Duration(0), uint32(rapid.Uint32().Draw(t, "first"))
		p.Update(now, tick.Tick(k))
		last := p.Now(now)
		for range rapid.IntRange(1, 100).Draw(t, "updates") {
			dt := time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "dt"))
			now += dt
			value := p.Now(now)
			if advance := value - last; advance < 0 || float64(advance) > 1.0526*float64(dt)+2 {
				t.Fatalf("%v of real time moved the clock by %v", dt, advance)
			}
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				k = rapid.Uint32().Draw(t, "tick")
			default:
				k += uint32(rapid.IntRange(-3, 60).Draw(t, "ticks"))
			}
			jumped := p.Update(now, tick.Tick(k))
			last = p.Now(now)
			if jumped == 0 && last < value-1 {
				t.Fatalf("an update moved the clock back by %v without a jump", value-last)
			}
		}
	})
}

func TestTickPLLBeforeTheFirstUpdate(t *testing.T) {
	if got := newTickPLL(t).Now(time.Hour); got != 0 {
		t.Errorf("Now() = %v before the first update, want 0", got)
	}
}

func TestTickPLLRefusesARate(t *testing.T) {
	if _, err := NewTickPLL(2000); err == nil || !strings.Contains(err.Error(), "rate") {
		t.Errorf("NewTickPLL(2000) gives %v, want an error that names the rate", err)
	}
}
