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
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// The origin follows a mover; relative to the moving origin everything continues.
func TestShiftKeepsTheMotion(t *testing.T) {
	for _, between := range []bool{false, true} {
		s := NewStage(t, 10)
		moving, resting, slow := s.Spawn(At(0, 0, 0)), s.Spawn(At(7, 0, 0)), s.Spawn(At(0, 0, 0))
		jumping := s.Spawn(At(0, 0, 0))
		origin := 0.0
		shift := func() {
			origin += 64
			s.Poses.Shift(MoveX(-64))
		}
		s.Fixed(func(now ecs.Time) {
			x := Seconds(now.StepEnd) * 30
			if now.Tick%2 == 0 {
				s.Logical(moving).Set(At(x-origin, 0, 0))
			}
			if now.Tick%5 == 0 {
				s.Logical(slow).SetOver(At(x+12-origin, 0, 0), 500*time.Millisecond)
			}
			if now.Tick%20 == 7 {
				if !between {
					shift() // in the middle of everybody's writes
				}
				s.Logical(jumping).Teleport(At(x-origin, 0, 0))
			}
			if now.Tick%2 == 1 {
				s.Logical(moving).Set(At(x-origin, 0, 0))
			}
		})
		revisions := [2]uint32{}
		s.Run(700, FPS(144, 1), func(now ecs.Time) {
			want := 30 * Seconds(now.Normal)
			s.Near("moving", s.X(moving)+origin, want, 1e-4)
			s.Near("slow", s.X(slow)+origin, want, 1e-4)
			s.Near("resting", s.X(resting)+origin, 7, 0)
			if between && now.Frame%97 == 5 {
				before := [2]components.Pose3D{s.Visual(moving), s.Visual(slow)}
				revisions = [2]uint32{s.Logical(moving).Revision(), s.Logical(resting).Revision()}
				shift()
				s.Near("at once", s.X(moving), float64(before[0].Position[0])-64, ulps(2, 600))
				s.Near("at once", s.X(slow), float64(before[1].Position[0])-64, ulps(2, 600))
				s.Near("logical", float64(s.Logical(resting).Get().Position[0])+origin, 7, 0)
				if revisions != [2]uint32{s.Logical(moving).Revision(), s.Logical(resting).Revision()} {
					t.Fatal("a shift made a new revision")
				}
			}
		})
		if origin == 0 {
			t.Fatal("nothing was shifted")
		}
	}
}

func TestShiftOfSome(t *testing.T) {
	s := NewStage(t, 10)
	a, b, dead := s.Spawn(At(1, 0, 0)), s.Spawn(At(2, 0, 0)), s.Spawn(At(3, 0, 0))
	s.Update(0)
	s.W.RemoveEntity(dead)
	s.Poses.Shift(MoveX(10), a, dead)
	s.Update(50 * time.Millisecond)
	s.Near("a", s.X(a), 11, 0)
	s.Near("b", s.X(b), 2, 0)
}

// Without names a shift is for all that stands in the world itself: also those that are only visual
// or only logical, newborn, or had a parent once; children move with their parents.
func TestShiftOfAll(t *testing.T) {
	h := hierarchy.New3D()
	s := NewStage(t, 10, h)
	parents := generic.NewMap1[components.Parent](s.W)
	root, child, detached := s.Spawn(At(1, 0, 0)), s.Spawn(At(2, 0, 0)), s.Spawn(At(3, 0, 0))
	parents.Assign(child, &components.Parent{Entity: root})
	parents.Assign(detached, &components.Parent{Entity: root})
	v := components.NewVisual(At(4, 0, 0))
	effect := s.Visuals.NewWith(&v)
	l := components.NewLogical(At(5, 0, 0))
	ghost := s.Logicals.NewWith(&l)
	s.Update(0)
	if err := h.Reparent(detached, components.Parent{}.Entity); err != nil {
		t.Fatal(err)
	}
	s.Update(10 * time.Millisecond)
	newborn := s.Spawn(At(6, 0, 0))
	s.Poses.Shift(MoveX(100))
	s.Update(10 * time.Millisecond)
	s.Near("root", s.X(root), 101, 0)
	s.Near("child, local", s.X(child), 2, 0)
	s.Near("child, in the world", float64(h.VisualWorld(child)[12]), 103, 0)
	s.Near("detached", s.X(detached), 104, 0)
	s.Near("detached, in the world", float64(h.VisualWorld(detached)[12]), 104, 0)
	s.Near("detached, logically", float64(h.LogicalWorld(detached)[12]), 104, 0)
	s.Near("effect", s.X(effect), 104, 0)
	s.Near("ghost", float64(s.Logical(ghost).Get().Position[0]), 105, 0)
	s.Near("newborn", s.X(newborn), 106, 0)
	s.Run(40, FPS(60, 1), nil)
	s.Near("newborn, later", s.X(newborn), 106, 0)
}

// A portal that turns: position, direction of motion and orientation go through it.
func TestShiftThroughATurningPortal(t *testing.T) {
	s := NewStage(t, 10)
	e := s.Spawn(At(0, 0, 0))
	quarter := components.Pose3D{Rotation: TurnY(90), Scale: At(0, 0, 0).Scale}
	through := false
	s.Fixed(func(now ecs.Time) {
		x := float64(now.Tick + 1)
		p := Turned(At(x, 0, 0), Turn(20*x, 1, 0, 0))
		if now.Tick == 5 {
			s.Poses.Shift(quarter.Mul, e)
			through = true
		}
		if through {
			p = quarter.Mul(p)
		}
		s.Logical(e).Set(p)
	})
	s.Run(200, FPS(144, 1), func(now ecs.Time) {
		x := 10 * Seconds(now.Normal)
		want := Turned(At(x, 0, 0), Turn(20*x, 1, 0, 0))
		if through {
			want = quarter.Mul(want)
		}
		got := s.Visual(e)
		if got.Position.Sub(want.Position).Len() > 1e-5 || DegreesApart(got.Rotation, want.Rotation) > 0.01 {
			t.Fatalf("drawn at %v, want %v", got, want)
		}
	})
}

func TestShiftOfACorrectionInProgress(t *testing.T) {
	for _, inStep := range []bool{false, true} {
		plain, shifted := math.NaN(), math.NaN()
		for _, shift := range []bool{false, true} {
			s := NewStage(t, 10)
			e := s.Spawn(components.Identity3D())
			s.Fixed(func(now ecs.Time) {
				if now.Tick == 3 {
					s.Poses.Correct(e, At(4, 0, 0), At(5, 0, 0))
					if inStep && shift { // between the correction and its capture
						s.Poses.Shift(MoveX(1000))
					}
				}
			})
			s.Run(32, Constant(10*time.Millisecond), nil)
			if !inStep && shift {
				s.Poses.Shift(MoveX(1000))
			}
			s.Run(3, Constant(10*time.Millisecond), nil)
			if shift {
				shifted = s.X(e) - 1000
			} else {
				plain = s.X(e)
			}
		}
		if !(math.Abs(plain-shifted) < 1e-3) || plain > 4.5 {
			t.Errorf("in the step %v: a correction is drawn at %v, and at %v under a shift", inStep, plain, shifted)
		}
	}
}

// A feed reports every entity whose logical value goes to other coordinates, with the way there,
// until it is closed.
func TestFeedReportsShifts(t *testing.T) {
	s := NewStage(t, 10)
	one, two := s.Spawn(At(1, 0, 0)), s.Spawn(At(2, 0, 0))
	s.Run(20, FPS(60, 1), func(ecs.Time) {})
	heard := map[arche.Entity]float32{}
	all := 0
	feed := s.Poses.Subscribe(interpolation.Events[components.Pose3D]{
		Shifted: func(e arche.Entity, shift func(components.Pose3D) components.Pose3D) {
			heard[e] += shift(components.Identity3D()).Position[0]
		},
		ShiftEnded: func(shift func(components.Pose3D) components.Pose3D) {
			if shift != nil {
				all++
			}
		},
	})
	s.Poses.Shift(MoveX(8))
	s.Poses.Shift(MoveX(16), two)
	if len(heard) != 2 || heard[one] != 8 || heard[two] != 24 {
		t.Errorf("heard %v, want 8 of the first and 24 of the second", heard)
	}
	if all != 1 {
		t.Errorf("%d shifts of all entities, want 1", all)
	}
	feed.Close()
	feed.Close()
	s.Poses.Shift(MoveX(8))
	if heard[one] != 8 {
		t.Error("heard of a shift after the end")
	}
}

// A function that panics leaves no query open, which would lock the world for good.
func TestShiftThatPanics(t *testing.T) {
	s := NewStage(t, 10)
	e := s.Spawn(At(1, 0, 0))
	s.Update(0)
	MustSay(t, "the shift", func() { s.Poses.Shift(func(components.Pose3D) components.Pose3D { panic("no way") }) }, "no way")
	if s.W.IsLocked() {
		t.Fatal("the world is locked")
	}
	s.Poses.Shift(MoveX(2))
	s.Update(10 * time.Millisecond)
	s.Near("shifted", s.X(e), 3, 0)
}
