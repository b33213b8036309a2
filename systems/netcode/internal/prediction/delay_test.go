package prediction_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// With a delay the input that is given in the step of tick t runs in tick t + Delay, through jumps
// of the clock and replays from the oldest state that is kept. Ticks before the first input, and
// those that a jump has skipped, run what the rules make up.
func TestDelayedInputsRunInTheirTick(t *testing.T) {
	jumped, replayed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		delay := rapid.IntRange(0, 16).Draw(t, "delay")
		ran := map[tick.Tick]int{}
		p := prediction.NewPredictor(prediction.Config[int, int]{
			Step: func(s int, in int, at tick.Tick) int {
				ran[at] = in
				return s + in
			},
			Distance: func(a, b int) float64 { return max(float64(a-b), float64(b-a)) },
			Delay:    delay,
		})
		now := tick.Tick(1000)
		p.Start(now, 0)
		given, oldest := map[tick.Tick]int{}, now
		newest := now.Add(delay - 1) // known to the predictor
		for k := range 200 {
			switch gap := rapid.IntRange(-20, 40).Draw(t, "gap"); {
			case gap < -10 && !oldest.IsNewer(now.Add(gap+10)):
				// back, within the states that are kept
				now = now.Add(gap + 10)
				jumped++
			case gap > 30:
				now = now.Add(gap - 30)
				jumped++
			}
			in := k + 1
			p.Advance(now, in)
			if at := now.Add(delay); at.IsNewer(newest) {
				given[at], newest = in, at
			}
			if want, ok := given[now]; ok && ran[now] != want {
				t.Fatalf("step %d: tick %d ran %d, want %d", k, now, ran[now], want)
			}
			if now++; now.Add(-prediction.DefaultHistory).IsNewer(oldest) {
				oldest = now.Add(-prediction.DefaultHistory)
			}
			if back := rapid.IntRange(0, 200).Draw(t, "back"); back < 60 && back <= k {
				if c := p.Reconcile(now.Add(-back), -1); c.Depth > 0 {
					replayed++
				}
				if at := now.Add(-back); at.IsNewer(oldest) {
					oldest = at
				}
				for at := now.Add(-back); at != now; at++ {
					if want, ok := given[at]; ok && ran[at] != want {
						t.Fatalf("step %d: the replay of tick %d ran %d, want %d", k, at, ran[at], want)
					}
				}
			}
		}
	})
	if !testing.Short() && (jumped < 100 || replayed < 100) {
		t.Errorf("%d jumps and %d replays", jumped, replayed)
	}
}

// The whole history can be replayed, whatever the delay: the inputs that wait take none of its
// room.
func TestDelayLeavesTheHistoryWhole(t *testing.T) {
	p := prediction.NewPredictor(prediction.Config[int, int]{
		Step:     func(s int, in int, _ tick.Tick) int { return s + in },
		Distance: func(a, b int) float64 { return max(float64(a-b), float64(b-a)) },
		Delay:    16,
	})
	p.Start(0, 0)
	for k := range tick.Tick(200) {
		p.Advance(k, 1)
	}
	const back = prediction.DefaultHistory
	if c := p.Reconcile(200-back, -1000); c.Depth != back || p.State() != back-1000 {
		t.Errorf("%d ticks were replayed to %d, want %d to %d", c.Depth, p.State(), back, back-1000)
	}
}
