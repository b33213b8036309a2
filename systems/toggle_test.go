package systems_test

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

func TestInterpolationSwitchedForAll(t *testing.T) {
	s := newStage(t, 10)
	v := [3]float64{1, 2, 3}
	e := s.mover(v)
	slow := s.spawn(components.Identity3D())
	resting := s.spawn(at(9, 0, 0))
	s.fixed(func(now ecs.Time) {
		if now.Tick == 0 {
			s.logical(slow).SetOver(at(10, 0, 0), time.Second)
		}
	})
	if !s.ip.Enabled() {
		t.Fatal("an interpolator starts disabled")
	}
	s.run(200, fps(144, 1), func(now ecs.Time) {
		if s.ip.Enabled() {
			s.onTheLine(e, v)
			s.near("slow", s.x(slow), math.Min(10, 10*seconds(now.Normal)), 1e-5)
		} else {
			s.near("newest", s.x(e), seconds(now.StepEnd), ulps(1, 2))
			s.near("slow, newest", s.x(slow), 10, 0)
		}
		s.near("resting", s.x(resting), 9, 0)
		s.ip.SetEnabled(now.Frame/7%2 == 0)
	})
}

func TestInterpolationSwitchedForOne(t *testing.T) {
	s := newStage(t, 10)
	v := [3]float64{1, 2, 3}
	raw, smooth := s.mover(v), s.mover(v)
	marks := generic.NewMap1[components.NoInterpolation](s.w)
	marked, since, until := false, uint64(0), time.Duration(0)
	s.run(200, fps(144, 1), func(now ecs.Time) {
		s.onTheLine(smooth, v)
		if marked || now.StepStart < until { // a step that was captured without interpolation stays so
			s.near("newest", s.x(raw), seconds(now.StepEnd), ulps(1, 2))
		} else {
			s.onTheLine(raw, v)
		}
		switch {
		case now.Frame%9 == 4 && !marked:
			marks.Add(raw)
			marked, since = true, now.Tick
		case now.Frame%9 == 0 && marked:
			marks.Remove(raw)
			marked = false
			if now.Tick > since {
				until = now.Fixed
			}
		}
	})
}

// An offset that is still fading must not stick to what is drawn without interpolation.
func TestSwitchedOffWhileACorrectionFades(t *testing.T) {
	for _, one := range []bool{false, true} {
		s := newStage(t, 10)
		e := s.spawn(components.Identity3D())
		s.fixed(func(now ecs.Time) {
			if now.Tick == 3 {
				s.logical(e).Correct(at(5, 0, 0))
			}
		})
		s.run(40, constant(10*time.Millisecond), nil)
		if s.x(e) > 4 {
			t.Fatalf("the correction is not fading: %v", s.x(e))
		}
		if one {
			marks := generic.NewMap1[components.NoInterpolation](s.w)
			marks.Add(e)
		} else {
			s.ip.SetEnabled(false)
		}
		s.run(10, constant(10*time.Millisecond), func(ecs.Time) { s.near("switched off", s.x(e), 5, 0) })
		// Though it is not seen it fades, and is over at last: what rests costs nothing.
		marks := generic.NewMap1[components.InterpolateOnGPU](s.w)
		marks.Add(e)
		told := 0
		s.run(200, constant(20*time.Millisecond), func(ecs.Time) {
			told = 0
			s.ip.EachMotion(func(arche.Entity, *systems.Motion[components.Pose3D]) { told++ })
		})
		if told != 0 {
			t.Error("four seconds later it still changes in every frame")
		}
	}
}
