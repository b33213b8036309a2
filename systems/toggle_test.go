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

// Who is interpolated again glides from where he is seen, and is never seen to go back: at once if the marker goes within a step, whose end is not captured yet, and from the
// next step on if it goes after one, since the picture is at that step's end already.
func TestInterpolatedAgain(t *testing.T) {
	const tick = 5
	within := func(where ecs.Stage) func(s *stage, unmark func()) {
		return func(s *stage, unmark func()) {
			s.Add(where, ecs.SystemFunc(func(*arche.World) {
				if s.Time().Tick == tick {
					unmark()
				}
			}))
		}
	}
	for name, test := range map[string]struct {
		when func(s *stage, unmark func())
		from uint64 // tick
	}{
		"in FixedUpdate": {within(ecs.FixedUpdate), tick},
		"in FixedEnd":    {within(ecs.FixedEnd), tick},
		"in a frame": {func(s *stage, unmark func()) {
			s.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) {
				if now := s.Time(); now.Tick == tick+1 && now.Normal-now.StepStart > now.FixedDelta/3 { // in the midst of that step
					unmark()
				}
			}))
		}, tick + 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, 10)
			v := [3]float64{1, 2, 3}
			e := s.mover(v)
			marks := generic.NewMap1[components.NoInterpolation](s.w)
			marks.Add(e)
			test.when(s, func() {
				if s.w.Has(e, arche.ComponentID[components.NoInterpolation](s.w)) {
					marks.Remove(e)
				}
			})
			glides, last := 0, 0.0
			s.run(150, fps(144, 1), func(now ecs.Time) {
				if step := now.Tick - 1; step < test.from {
					s.near("newest", s.x(e), seconds(now.StepEnd), ulps(1, 2))
				} else {
					s.onTheLine(e, v)
					glides++
				}
				if s.x(e) < last {
					t.Fatalf("it is seen to go back, from %v to %v", last, s.x(e))
				}
				last = s.x(e)
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
