package interpolation_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

func TestCase18PauseInMidStep(t *testing.T) {
	s := NewStage(t, 60)
	v := [3]float64{1, 2, 3}
	e := mover(s, v)
	s.Run(100, FPS(144, 1), nil)
	s.Scale(0)
	before, tick := s.Visual(e), s.Time().Tick
	s.Run(600, FPS(60, 1), func(now ecs.Time) {
		if s.Visual(e) != before || now.Tick != tick {
			t.Fatalf("paused, but at tick %d drawn at %v, was %v", now.Tick, s.Visual(e), before)
		}
	})
	s.Scale(1)
	s.Update(time.Millisecond)
	s.Near("the next displacement", s.X(e)-float64(before.Position[0]), 1e-3, 1e-6)
	s.Run(100, FPS(144, 1), func(ecs.Time) { onTheLine(s, e, v) })
}

func TestCase19PauseWithinOneFrame(t *testing.T) {
	run := func(toggle bool) (shown []components.Pose3D) {
		s := NewStage(t, 60)
		e := mover(s, [3]float64{1, 2, 3})
		s.Run(100, FPS(144, 1), func(ecs.Time) {
			if toggle {
				s.Scale(0)
				s.Scale(1)
			}
			shown = append(shown, s.Visual(e))
		})
		return shown
	}
	plain, toggled := run(false), run(true)
	for k := range plain {
		if plain[k] != toggled[k] {
			t.Fatalf("frame %d: %v, with a pause that nobody should see %v", k, plain[k], toggled[k])
		}
	}
}

func TestCase20SingleStepShowsTheNewSample(t *testing.T) {
	s := NewStage(t, 10)
	v := [3]float64{1, 0, 0}
	e := mover(s, v)
	s.Run(25, FPS(144, 1), nil)
	s.Scale(0)
	s.Update(0)
	for k := range 20 {
		tick := s.Time().Tick
		if err := s.RequestStep(); err != nil {
			t.Fatal(err)
		}
		s.Update(time.Second)
		if now := s.Time(); now.Tick != tick+1 || now.Normal != now.Fixed-1 {
			t.Fatalf("step %d: tick %d to %d, normal %v, fixed %v", k, tick, now.Tick, now.Normal, now.Fixed)
		}
		s.Near("stepped to", s.X(e), Seconds(s.Time().Fixed), ulps(2, s.X(e)))
		s.Run(10, FPS(60, 1), func(ecs.Time) { onTheLine(s, e, v) })
	}
}

// The fraction stays below one, as its documentation says, even where float32 would round it up.
func TestFractionStaysBelowOne(t *testing.T) {
	for _, rate := range []int{1, 2, 10, 60, 1000} {
		s := NewStage(t, rate)
		s.Scale(0)
		for range 3 {
			if err := s.RequestStep(); err != nil {
				t.Fatal(err)
			}
			s.Update(0)
			if f := s.Poses.Fraction(); !(f < 1 && f > 0.9999) {
				t.Errorf("%d Hz: a nanosecond before the end of a step the fraction is %v", rate, f)
			}
		}
	}
}
