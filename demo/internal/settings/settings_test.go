package settings_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

func TestLadders(t *testing.T) {
	s := settings.Default()
	var speeds []float64
	for s.Speed = 2; ; {
		speeds = append(speeds, s.Speed)
		before := s.Speed
		if s.Slower(); s.Speed == before {
			break
		}
	}
	equal(t, "speeds downwards", speeds, []float64{2, 1, 0.5, 0.25, 0.1})

	var rates []int
	for s.Rate = 5; ; {
		rates = append(rates, s.Rate)
		before := s.Rate
		if s.RaiseRate(); s.Rate == before {
			break
		}
	}
	equal(t, "rates upwards", rates, []int{5, 10, 15, 20, 30, 60, 120})

	var caps []int
	s.Cap = 20
	for range 6 {
		caps = append(caps, s.Cap)
		s.NextCap(false)
	}
	equal(t, "caps", caps, []int{20, 30, 60, 144, 0, 20})
	s.Cap = 20
	if s.NextCap(true); s.Cap != 0 {
		t.Errorf("backwards from a cap of 20: %d, want 0 (none)", s.Cap)
	}

	var costs []time.Duration
	for range 6 {
		costs = append(costs, s.StepCost)
		s.NextStepCost(false)
	}
	ms := time.Millisecond
	equal(t, "step costs", costs, []time.Duration{0, 5 * ms, 10 * ms, 20 * ms, 40 * ms, 0})
}

// The keys of the link reach 0 and 400 ms, and come back to where they were.
func TestLinkLadders(t *testing.T) {
	l := settings.DefaultLink()
	for name, next := range map[string]func(*settings.Link, bool){
		"latency": (*settings.Link).NextLatency, "jitter": (*settings.Link).NextJitter, "loss": (*settings.Link).NextLoss, "bursts": (*settings.Link).NextBurst,
		"duplicates": (*settings.Link).NextDuplicate, "reordering": (*settings.Link).NextReorder, "send rate": (*settings.Link).NextSendRate,
	} {
		seen := map[settings.Link]bool{l: true}
		m := l
		for next(&m, false); m != l; next(&m, false) {
			if seen[m] || m.Latency < 0 || m.Latency > settings.MaxLatency || m.SendRate < 1 || m.SendRate > settings.MaxSendRate {
				t.Fatalf("%s: %+v comes twice, or is no link", name, m)
			}
			seen[m] = true
		}
		if len(seen) < 3 {
			t.Errorf("%s has only %d values", name, len(seen))
		}
		next(&m, false)
		if next(&m, true); m != l {
			t.Errorf("%s: there and back is %+v", name, m)
		}
	}
	var latencies []time.Duration
	for l.Latency = 0; len(latencies) == 0 || l.Latency > 0; l.NextLatency(false) {
		latencies = append(latencies, l.Latency/time.Millisecond)
	}
	equal(t, "latencies", latencies, []time.Duration{0, 50, 100, 200, 300, 400})
}

// A flag may set a value that is no rung: keys go on from there to the nearest one in their
// direction.
func TestLadderFromBetween(t *testing.T) {
	s := settings.Default()
	s.Rate = 13
	if s.RaiseRate(); s.Rate != 15 {
		t.Errorf("above 13 Hz: %d, want 15", s.Rate)
	}
	s.Rate = 13
	if s.LowerRate(); s.Rate != 10 {
		t.Errorf("below 13 Hz: %d, want 10", s.Rate)
	}
	s.Rate = 1000
	if s.RaiseRate(); s.Rate != 1000 {
		t.Errorf("above 1000 Hz: %d, want 1000", s.Rate)
	}
	s.Cap = 75
	if s.NextCap(false); s.Cap != 144 {
		t.Errorf("after a cap of 75: %d, want 144", s.Cap)
	}
	s.Cap = 75
	if s.NextCap(true); s.Cap != 60 {
		t.Errorf("before a cap of 75: %d, want 60", s.Cap)
	}
	s.Cap = 500
	if s.NextCap(false); s.Cap != 20 {
		t.Errorf("after a cap of 500: %d, want 20", s.Cap)
	}
}

// As documented: frames per second >= rate * speed / MaxSteps for all frames up to maxDelta.
func TestMaxStepsSuffice(t *testing.T) {
	for _, rate := range []int{1, 5, 60, 120, 1000} {
		for _, speed := range []float64{0.1, 1, 2, settings.MaxSpeed} {
			for _, delta := range []time.Duration{50 * time.Millisecond, 250 * time.Millisecond} {
				steps := settings.MaxSteps(rate, speed, delta)
				if need := float64(rate)*speed*delta.Seconds() + 1; float64(steps) < need {
					t.Errorf("%d Hz, speed %v, %v: %d steps, but a frame may need %v", rate, speed, delta, steps, need)
				}
				if steps < int(settings.MaxKeyLoad*delta.Seconds())+1 {
					t.Errorf("%d Hz, speed %v, %v: %d steps are too few for what keys can choose", rate, speed, delta, steps)
				}
			}
		}
	}
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
	}
}
