package articles

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
)

// Stepper computes which steps of a simulation are due by a clock. It is the corrected form of the
// synchronised client loop of Multiplayer Platformer Log #5 (moveSimulation), for programs without
// an engine. Edges are rational, so no error adds up. After a stall it runs at most maxSteps steps
// and skips the rest. The article replays them all: 1818 steps in one frame after a minute in a
// background tab.
//
// Create it with [NewStepper]. A world in the engine has all this from the engine's clock.
type Stepper struct {
	grid    clocksync.Grid
	most    int64
	next    int64
	started bool
}

// NewStepper returns a loop for rate steps per second (zero means 60; 1 to 1000) that
// runs at most maxSteps per call (zero means 8; 1 to 1000).
func NewStepper(rate, maxSteps int) (*Stepper, error) {
	grid, err := clocksync.NewGrid(rate)
	if err != nil {
		return nil, err
	}
	maxSteps = cmp.Or(maxSteps, 8)
	if maxSteps < 1 || maxSteps > 1000 {
		return nil, fmt.Errorf("articles: at most %d steps per call; use 1 to 1000", maxSteps)
	}
	return &Stepper{grid: grid, most: int64(maxSteps)}, nil
}

// Advance returns the steps that are due at a time of the clock: n steps from first on. If more
// than maxSteps were due, it skips the ticks after these n, and skipped is their number. The first
// call starts at the clock's present step. No step is due while the clock runs backwards.
func (s *Stepper) Advance(now time.Duration) (first Tick, n int, skipped int64) {
	last := s.grid.Index(now)
	if !s.started {
		s.started, s.next = true, last
	}
	first = s.grid.Tick(s.next)
	due := max(0, last-s.next+1)
	run := min(due, s.most)
	s.next += run
	skipped = due - run
	s.next += skipped
	return first, int(run), skipped
}
