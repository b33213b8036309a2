package systems_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

func (s *stage) scale(x float64) {
	s.Helper()
	if err := s.SetScale(x); err != nil {
		s.Fatal(err)
	}
}

func TestCase18PauseInMidStep(t *testing.T) {
	s := newStage(t, 60)
	v := [3]float64{1, 2, 3}
	e := s.mover(v)
	s.run(100, fps(144, 1), nil)
	s.scale(0)
	before, tick := s.visual(e), s.Time().Tick
	s.run(600, fps(60, 1), func(now ecs.Time) {
		if s.visual(e) != before || now.Tick != tick {
			t.Fatalf("paused, but at tick %d drawn at %v, was %v", now.Tick, s.visual(e), before)
		}
	})
	s.scale(1)
	s.Update(time.Millisecond)
	s.near("the next displacement", s.x(e)-float64(before.Position[0]), 1e-3, 1e-6)
	s.run(100, fps(144, 1), func(ecs.Time) { s.onTheLine(e, v) })
}

func TestCase19PauseWithinOneFrame(t *testing.T) {
	run := func(toggle bool) (shown []components.Pose3D) {
		s := newStage(t, 60)
		e := s.mover([3]float64{1, 2, 3})
		s.run(100, fps(144, 1), func(ecs.Time) {
			if toggle {
				s.scale(0)
				s.scale(1)
			}
			shown = append(shown, s.visual(e))
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
	s := newStage(t, 10)
	v := [3]float64{1, 0, 0}
	e := s.mover(v)
	s.run(25, fps(144, 1), nil)
	s.scale(0)
	s.Update(0)
	for k := range 20 {
		tick := s.Time().Tick
		if err := s.Step(); err != nil {
			t.Fatal(err)
		}
		s.Update(time.Second)
		if now := s.Time(); now.Tick != tick+1 || now.Normal != now.Fixed-1 {
			t.Fatalf("step %d: tick %d to %d, normal %v, fixed %v", k, tick, now.Tick, now.Normal, now.Fixed)
		}
		s.near("stepped to", s.x(e), seconds(s.Time().Fixed), ulps(2, s.x(e)))
		s.run(10, fps(60, 1), func(ecs.Time) { s.onTheLine(e, v) })
	}
}

// The fraction stays below one, as its documentation says, even where float32 would round it up.
func TestFractionStaysBelowOne(t *testing.T) {
	for _, rate := range []int{1, 2, 10, 60, 1000} {
		s := newStage(t, rate)
		s.scale(0)
		for range 3 {
			if err := s.Step(); err != nil {
				t.Fatal(err)
			}
			s.Update(0)
			if f := s.ip.Fraction(); !(f < 1 && f > 0.9999) {
				t.Errorf("%d Hz: a nanosecond before the end of a step the fraction is %v", rate, f)
			}
		}
	}
}
