package articles

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

func newStepper(t testing.TB, rate, most int) *Stepper {
	t.Helper()
	s, err := NewStepper(rate, most)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStepperRunsEachStepOnce(t *testing.T) {
	s := newStepper(t, 30, 0)
	next, total := tick.Tick(30*100), 0
	for now := 100 * time.Second; now < 160*time.Second; now += 7 * ms {
		first, n, skipped := s.Advance(now)
		if n > 0 && first != next {
			t.Fatalf("at %v: the first step is %d, want %d", now, first, next)
		}
		if skipped != 0 {
			t.Fatalf("at %v: %d skipped", now, skipped)
		}
		next, total = next.Add(n), total+n
	}
	if total != 30*60 { // the edges from 100 s to just before 160 s
		t.Errorf("%d steps in 60 s, want 1800", total)
	}
}

// Conformance case 28: a client at 8 frames a second loses no step, and a minute in the background
// is an event and not a replay.
func TestStepperBoundsCatchUp(t *testing.T) {
	s := newStepper(t, 60, 8)
	now, total := time.Duration(0), 0
	for range 80 {
		_, n, skipped := s.Advance(now)
		if n > 8 || skipped != 0 {
			t.Fatalf("at %v: %d steps, %d skipped", now, n, skipped)
		}
		total += n
		now += 125 * ms
	}
	if total != 593 { // up to 79 * 125 ms = 9.875 s: edges 0 to 592
		t.Errorf("%d steps, want 593", total)
	}
	first, n, skipped := s.Advance(9875*ms + 60*time.Second)
	if first != 593 || n != 8 || skipped != 3592 {
		t.Errorf("after a minute: %d steps from %d, %d skipped; want 8 from 593, 3592 skipped", n, first, skipped)
	}
	if first, n, skipped := s.Advance(9875*ms + 60*time.Second + 16*ms); n != 1 || first != 4193 || skipped != 0 {
		t.Errorf("the frame after: %d steps from %d, %d skipped; want 1 from 4193", n, first, skipped)
	}
}

func TestStepperIgnoresAClockThatRunsBackwards(t *testing.T) {
	s := newStepper(t, 60, 8)
	s.Advance(time.Second)
	for _, now := range []time.Duration{time.Second, 999 * ms, 0, -time.Hour} {
		if _, n, skipped := s.Advance(now); n != 0 || skipped != 0 {
			t.Errorf("at %v: %d steps, %d skipped; want none", now, n, skipped)
		}
	}
	if first, n, _ := s.Advance(1017 * ms); n != 1 || first != 61 {
		t.Errorf("%d steps from %d; want 1 from 61", n, first)
	}
}

func TestStepperErrors(t *testing.T) {
	for _, test := range []struct{ rate, most int }{{-1, 8}, {1001, 8}, {60, -1}, {60, 1001}} {
		if _, err := NewStepper(test.rate, test.most); err == nil {
			t.Errorf("NewStepper(%d, %d) gives no error", test.rate, test.most)
		}
	}
}
