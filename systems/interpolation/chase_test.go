package interpolation_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

// chase is the negative control: the algorithm of the Emergence/Celerity devlog on transform
// interpolation, reduced to the plane. It keeps one logical value and one visual value and, in
// every frame, takes the visual value from wherever it is a part of the way to the logical one. The
// part is the normal time since the last frame, out of what is left until the fixed time at which a
// frame first saw the newest value.
//
// The tests below must reject it: a test that cannot fail proves nothing.
type chase struct {
	logical, visual [2]float64
	written, seen   int // revisions
	// fixed time after all steps of the frame that saw the newest value
	observed time.Duration
	synced   time.Duration // normal time of the last synchronisation
	started  bool          // synced is valid
	busy     bool
}

func (c *chase) set(x, y float64) {
	c.logical = [2]float64{x, y}
	c.written++
	if !c.busy {
		c.busy, c.started = true, false
	}
}

func (c *chase) sync(now ecs.Time) {
	if !c.busy {
		return
	}
	if c.seen != c.written {
		c.seen, c.observed = c.written, now.Fixed
	}
	if !c.started {
		c.started, c.synced = true, now.Normal
	}
	left := max(1, c.observed-c.synced)
	part := min(1, float64(now.Normal-c.synced)/float64(left))
	for k := range c.visual {
		c.visual[k] += (c.logical[k] - c.visual[k]) * part
	}
	c.synced = now.Normal
	c.busy = now.Normal < c.observed
}

func TestNegativeControlStartsLate(t *testing.T) { // case 4
	s := NewStage(t, 10)
	var c chase
	s.Fixed(func(now ecs.Time) {
		if now.Tick >= 10 {
			c.set(float64(now.Tick)-9, 0)
		}
	})
	var shown []float64
	s.Run(14, func(i int) time.Duration {
		if i == 0 {
			return 90 * time.Millisecond
		}
		return 100 * time.Millisecond
	}, func(now ecs.Time) {
		c.sync(now)
		if now.Normal > time.Second {
			shown = append(shown, c.visual[0])
		}
	})
	// The truth is 0.9, 1.9, 2.9; it stands still for a frame, then makes up for it by a leap.
	if math.Abs(shown[0]-0.9) < 0.5 || shown[1]-shown[0] < 1.5 {
		t.Errorf("the chase started in time (%v); it is no negative control any more", shown)
	}
}

// circleError is the greatest distance from the truth that a unit circle at one turn per second is
// drawn at, by Tandem and by the chase.
func circleError(t *testing.T, rate int, frames Schedule, n int) (tandem, chased float64) {
	s := NewStageWith(t, ecs.Config{FixedRate: rate, MaxSteps: 32})
	on := func(d time.Duration) (x, y float64) {
		sin, cos := math.Sincos(2 * math.Pi * Seconds(d))
		return cos, sin
	}
	c := chase{visual: [2]float64{1, 0}, logical: [2]float64{1, 0}}
	e := s.Spawn(At(1, 0, 0))
	s.Fixed(func(now ecs.Time) {
		x, y := on(now.StepEnd)
		c.set(x, y)
		s.Logical(e).Set(At(x, y, 0))
	})
	s.Run(n, frames, func(now ecs.Time) {
		c.sync(now)
		x, y := on(now.Normal)
		p := s.Visual(e).Position
		tandem = max(tandem, math.Hypot(float64(p[0])-x, float64(p[1])-y))
		if now.Frame > 20 { // its late start is another test's
			chased = max(chased, math.Hypot(c.visual[0]-x, c.visual[1]-y))
		}
	})
	return tandem, chased
}

// Case 5. A chord of h seconds misses the circle by 1 - cos(pi*h) and by nothing more, whatever the
// frame rate is.
func TestCase05CircleAtAnyFrameRate(t *testing.T) {
	const rate = 60
	bound := 1 - math.Cos(math.Pi/rate) + 1e-6
	for _, f := range []int64{20, 60, 240} {
		tandem, chased := circleError(t, rate, jittered(FPS(f, 1), 0.1, uint64(f)), int(f)*5)
		if !(tandem <= bound) {
			t.Errorf("at %d fps the circle is missed by %v, more than a chord's %v", f, tandem, bound)
		}
		if chased < 2*bound {
			t.Errorf("at %d fps the chase misses by %v, no more than twice the chord's %v; it is no negative control any more", f, chased, bound)
		}
	}
}

func TestNegativeControlStopsAndGoes(t *testing.T) { // case 36
	s := NewStage(t, 60)
	var c chase
	s.Fixed(func(now ecs.Time) {
		if now.Tick%3 == 0 { // 20 Hz
			c.set(Seconds(now.StepStart)+0.05, 0)
		}
	})
	last, still, n := 0.0, 0, 0
	s.Run(480, FPS(240, 1), func(now ecs.Time) {
		c.sync(now)
		if now.Frame > 100 {
			n++
			if c.visual[0] == last {
				still++
			}
		}
		last = c.visual[0]
	})
	if float64(still) < 0.5*float64(n) {
		t.Errorf("the chase stood still in %d of %d frames, less than half; it is no negative control any more", still, n)
	}
}

// jittered makes every frame of a schedule longer or shorter, by up to the given part.
func jittered(s Schedule, part float64, seed uint64) Schedule {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(i int) time.Duration {
		return time.Duration(float64(s(i)) * (1 + part*(2*r.Float64()-1)))
	}
}
