package simulation

import (
	"fmt"
	"testing"
	"time"
)

// No combination of the keys' values drops time, as long as steps cost nothing: neither by the cap
// on steps nor by the clamp.
func TestKeysNeverDropTime(t *testing.T) {
	for _, rate := range []int{5, 10, 15, 20, 30, 60, 120} {
		for _, speed := range []float64{0.1, 0.25, 0.5, 1, 2} {
			for _, frames := range []int{20, 30, 60, 144} {
				for _, jitter := range []float64{0, 0.25, 0.5, 0.9} {
					set := of("teleports")
					s := start(t, set) // set up with other values: they change by key
					set = s.Settings()
					set.Rate, set.Speed = rate, speed
					if _, err := s.Apply(set); err != nil {
						t.Fatal(err)
					}
					longest := time.Duration(float64(time.Second) / float64(frames) * (1 + jitter))
					for range 20 {
						s.Update(longest)
					}
					if d := s.Time().Dropped; d != 0 {
						t.Errorf("%d Hz at speed %v with frames of %v: %v dropped", rate, speed, longest, d)
					}
				}
			}
		}
	}
}

// drive runs frames as a window would: each lasts as long as the steps it waited for, or 1/60 s.
func drive(s *Simulation, host *VirtualClock, frames int) (last time.Duration) {
	last = time.Second / 60
	for range frames {
		begin := host.now
		s.Update(last)
		last = max(time.Second/60, host.now-begin)
	}
	return last
}

func TestDeathSpiralAndItsRemedy(t *testing.T) {
	set := of("teleports")
	set.Rate, set.StepCost = 60, 20*time.Millisecond

	host := &VirtualClock{}
	s, err := New(set, host)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if last := drive(s, host, 200); last < MaxDelta || s.Time().Dropped == 0 {
		t.Errorf("steps of 20 ms at 60 Hz: frames of %v and %v dropped; want frames of more than %v, and dropped time", last, s.Time().Dropped, MaxDelta)
	}

	set.Adaptive = true
	host = &VirtualClock{}
	a, err := New(set, host)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	drive(a, host, 600)
	before := a.Time()
	if last := drive(a, host, 200); a.Time().Rate != 30 || last > 45*time.Millisecond || a.Time().Dropped != before.Dropped {
		t.Errorf("adaptive: %d Hz, frames of %v, %v dropped in the end; want 30 Hz, at most 45 ms, nothing", a.Time().Rate, last, a.Time().Dropped-before.Dropped)
	}
	set = a.Settings()
	set.StepCost = 0
	if restarted, err := a.Apply(set); err != nil || restarted {
		t.Fatalf("restarted %v, error %v", restarted, err)
	}
	drive(a, host, 600)
	if a.Time().Rate != 60 {
		t.Errorf("steps cost nothing any more, but the rate is %d Hz", a.Time().Rate)
	}
}

func TestAdaptiveRates(t *testing.T) {
	for rate, want := range map[int]string{60: "[60 30 15]", 120: "[120 60 30]", 10: "[10 5]", 5: "[5]", 1: "[1]", 15: "[15 7]"} {
		if got := fmt.Sprint(adaptiveRates(rate)); got != want {
			t.Errorf("%d Hz: %s, want %s", rate, got, want)
		}
	}
}
