package interpolation_test

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

func TestInterpolationSwitchedForAll(t *testing.T) {
	s := NewStage(t, 10)
	v := [3]float64{1, 2, 3}
	e := mover(s, v)
	slow := s.Spawn(components.Identity3D())
	resting := s.Spawn(At(9, 0, 0))
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 0 {
			s.Logical(slow).SetOver(At(10, 0, 0), time.Second)
		}
	})
	if !s.Poses.Enabled() {
		t.Fatal("an interpolator starts disabled")
	}
	s.Run(200, FPS(144, 1), func(now ecs.Time) {
		if s.Poses.Enabled() {
			onTheLine(s, e, v)
			s.Near("slow", s.X(slow), math.Min(10, 10*Seconds(now.Normal)), 1e-5)
		} else {
			s.Near("newest", s.X(e), Seconds(now.StepEnd), ulps(1, 2))
			s.Near("slow, newest", s.X(slow), 10, 0)
		}
		s.Near("resting", s.X(resting), 9, 0)
		s.Poses.SetEnabled(now.Frame/7%2 == 0)
	})
}

func TestInterpolationSwitchedForOne(t *testing.T) {
	s := NewStage(t, 10)
	v := [3]float64{1, 2, 3}
	raw, smooth := mover(s, v), mover(s, v)
	marks := generic.NewMap1[components.NoInterpolation](s.W)
	marked, since, until := false, uint64(0), time.Duration(0)
	s.Run(200, FPS(144, 1), func(now ecs.Time) {
		onTheLine(s, smooth, v)
		if marked || now.StepStart < until {
			// a step that was captured without interpolation stays so
			s.Near("newest", s.X(raw), Seconds(now.StepEnd), ulps(1, 2))
		} else {
			onTheLine(s, raw, v)
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

// An entity that is interpolated again glides from its drawn place, and never jumps back. If the
// marker is removed within a step, whose end is not captured yet, it glides at once. If it is
// removed after a step, it glides from the next step on, since the picture is at that step's end
// already.
func TestNoInterpolationRemoved(t *testing.T) {
	const tick = 5
	within := func(where ecs.Stage) func(s *Stage, unmark func()) {
		return func(s *Stage, unmark func()) {
			s.Add(where, ecs.SystemFunc(func(*arche.World) {
				if s.Time().Tick == tick {
					unmark()
				}
			}))
		}
	}
	for name, test := range map[string]struct {
		when func(s *Stage, unmark func())
		from uint64 // tick
	}{
		"in FixedUpdate": {within(ecs.FixedUpdate), tick},
		"in FixedEnd":    {within(ecs.FixedEnd), tick},
		"in a frame": {func(s *Stage, unmark func()) {
			s.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) {
				if now := s.Time(); now.Tick == tick+1 && now.Normal-now.StepStart > now.FixedDelta/3 {
					// in the midst of that step
					unmark()
				}
			}))
		}, tick + 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStage(t, 10)
			v := [3]float64{1, 2, 3}
			e := mover(s, v)
			marks := generic.NewMap1[components.NoInterpolation](s.W)
			marks.Add(e)
			test.when(s, func() {
				if s.W.Has(e, arche.ComponentID[components.NoInterpolation](s.W)) {
					marks.Remove(e)
				}
			})
			glides, last := 0, 0.0
			s.Run(150, FPS(144, 1), func(now ecs.Time) {
				if step := now.Tick - 1; step < test.from {
					s.Near("newest", s.X(e), Seconds(now.StepEnd), ulps(1, 2))
				} else {
					onTheLine(s, e, v)
					glides++
				}
				if s.X(e) < last {
					t.Fatalf("it is seen to go back, from %v to %v", last, s.X(e))
				}
				last = s.X(e)
			})
			if glides < 50 {
				t.Fatalf("only %d frames were drawn with interpolation", glides)
			}
		})
	}
}

// An offset that is still fading must not stick to what is drawn without interpolation.
func TestSwitchedOffWhileACorrectionFades(t *testing.T) {
	for _, one := range []bool{false, true} {
		s := NewStage(t, 10)
		e := s.Spawn(components.Identity3D())
		s.Fixed(func(now ecs.Time) {
			if now.Tick == 3 {
				s.Logical(e).Correct(At(5, 0, 0))
			}
		})
		s.Run(40, Constant(10*time.Millisecond), nil)
		if s.X(e) > 4 {
			t.Fatalf("the correction is not fading: %v", s.X(e))
		}
		if one {
			marks := generic.NewMap1[components.NoInterpolation](s.W)
			marks.Add(e)
		} else {
			s.Poses.SetEnabled(false)
		}
		s.Run(10, Constant(10*time.Millisecond), func(ecs.Time) { s.Near("switched off", s.X(e), 5, 0) })
		// Though it is not drawn it fades, and is gone in the end: rest costs nothing.
		marks := generic.NewMap1[components.InterpolateOnGPU](s.W)
		marks.Add(e)
		told := 0
		tell := eachMotion(s.W, s.Poses, func(arche.Entity, *interpolation.Samples[components.Pose3D]) { told++ })
		s.Run(200, Constant(20*time.Millisecond), func(ecs.Time) {
			told = 0
			tell()
		})
		if told != 0 {
			t.Error("four seconds later it still changes in every frame")
		}
	}
}
