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

func moveX(d float64) func(components.Pose3D) components.Pose3D {
	return func(p components.Pose3D) components.Pose3D {
		p.Position[0] += float32(d)
		return p
	}
}

// The origin follows a mover; relative to the moving origin everything goes on as it was.
func TestShiftKeepsTheMotion(t *testing.T) {
	for _, between := range []bool{false, true} {
		s := newStage(t, 10)
		moving, resting, slow := s.spawn(at(0, 0, 0)), s.spawn(at(7, 0, 0)), s.spawn(at(0, 0, 0))
		jumping := s.spawn(at(0, 0, 0))
		origin := 0.0
		shift := func() {
			origin += 64
			s.ip.Shift(moveX(-64))
		}
		s.fixed(func(now ecs.Time) {
			x := seconds(now.StepEnd) * 30
			if now.Tick%2 == 0 {
				s.logical(moving).Set(at(x-origin, 0, 0))
			}
			if now.Tick%5 == 0 {
				s.logical(slow).SetOver(at(x+12-origin, 0, 0), 500*time.Millisecond)
			}
			if now.Tick%20 == 7 {
				if !between {
					shift() // in the middle of everybody's writes
				}
				s.logical(jumping).Teleport(at(x-origin, 0, 0))
			}
			if now.Tick%2 == 1 {
				s.logical(moving).Set(at(x-origin, 0, 0))
			}
		})
		revisions := [2]uint32{}
		s.run(700, fps(144, 1), func(now ecs.Time) {
			want := 30 * seconds(now.Normal)
			s.near("moving", s.x(moving)+origin, want, 1e-4)
			s.near("slow", s.x(slow)+origin, want, 1e-4)
			s.near("resting", s.x(resting)+origin, 7, 0)
			if between && now.Frame%97 == 5 {
				before := [2]components.Pose3D{s.visual(moving), s.visual(slow)}
				revisions = [2]uint32{s.logical(moving).Revision(), s.logical(resting).Revision()}
				shift()
				s.near("at once", s.x(moving), float64(before[0].Position[0])-64, ulps(2, 600))
				s.near("at once", s.x(slow), float64(before[1].Position[0])-64, ulps(2, 600))
				s.near("logical", float64(s.logical(resting).Get().Position[0])+origin, 7, 0)
				if revisions != [2]uint32{s.logical(moving).Revision(), s.logical(resting).Revision()} {
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
	s := newStage(t, 10)
	a, b, dead := s.spawn(at(1, 0, 0)), s.spawn(at(2, 0, 0)), s.spawn(at(3, 0, 0))
	s.Update(0)
	s.w.RemoveEntity(dead)
	s.ip.Shift(moveX(10), a, dead)
	s.Update(50 * time.Millisecond)
	s.near("a", s.x(a), 11, 0)
	s.near("b", s.x(b), 2, 0)
}

// Without names a shift is for all that stands in the world itself: also those that are only visual or only logical, newborn, or had a
// parent once; children move with their parents.
func TestShiftOfAll(t *testing.T) {
	h := systems.Hierarchy3D()
	s := newStage(t, 10, h)
	parents := generic.NewMap1[components.Parent](s.w)
	root, child, detached := s.spawn(at(1, 0, 0)), s.spawn(at(2, 0, 0)), s.spawn(at(3, 0, 0))
	parents.Assign(child, &components.Parent{Entity: root})
	parents.Assign(detached, &components.Parent{Entity: root})
	v := components.NewVisual(at(4, 0, 0))
	effect := s.visuals.NewWith(&v)
	l := components.NewLogical(at(5, 0, 0))
	ghost := s.logicals.NewWith(&l)
	s.Update(0)
	if err := h.Reparent(detached, components.Parent{}.Entity); err != nil {
		t.Fatal(err)
	}
	s.Update(10 * time.Millisecond)
	newborn := s.spawn(at(6, 0, 0))
	s.ip.Shift(moveX(100))
	s.Update(10 * time.Millisecond)
	s.near("root", s.x(root), 101, 0)
	s.near("child, local", s.x(child), 2, 0)
	s.near("child, in the world", float64(h.VisualWorld(child)[12]), 103, 0)
	s.near("detached", s.x(detached), 104, 0)
	s.near("detached, in the world", float64(h.VisualWorld(detached)[12]), 104, 0)
	s.near("detached, logically", float64(h.LogicalWorld(detached)[12]), 104, 0)
	s.near("effect", s.x(effect), 104, 0)
	s.near("ghost", float64(s.logical(ghost).Get().Position[0]), 105, 0)
	s.near("newborn", s.x(newborn), 106, 0)
	s.run(40, fps(60, 1), nil)
	s.near("newborn, later", s.x(newborn), 106, 0)
}

// A portal that turns: position, direction of motion and orientation go through it.
func TestShiftThroughATurningPortal(t *testing.T) {
	s := newStage(t, 10)
	e := s.spawn(at(0, 0, 0))
	quarter := components.Pose3D{Rotation: turnY(90), Scale: at(0, 0, 0).Scale}
	through := false
	s.fixed(func(now ecs.Time) {
		x := float64(now.Tick + 1)
		p := turned(at(x, 0, 0), turn(20*x, 1, 0, 0))
		if now.Tick == 5 {
			s.ip.Shift(quarter.Mul, e)
			through = true
		}
		if through {
			p = quarter.Mul(p)
		}
		s.logical(e).Set(p)
	})
	s.run(200, fps(144, 1), func(now ecs.Time) {
		x := 10 * seconds(now.Normal)
		want := turned(at(x, 0, 0), turn(20*x, 1, 0, 0))
		if through {
			want = quarter.Mul(want)
		}
		got := s.visual(e)
		if got.Position.Sub(want.Position).Len() > 1e-5 || degreesApart(got.Rotation, want.Rotation) > 0.01 {
			t.Fatalf("drawn at %v, want %v", got, want)
		}
	})
}

func TestShiftOfACorrectionInProgress(t *testing.T) {
	for _, inStep := range []bool{false, true} {
		plain, shifted := math.NaN(), math.NaN()
		for _, shift := range []bool{false, true} {
			s := newStage(t, 10)
			e := s.spawn(components.Identity3D())
			s.fixed(func(now ecs.Time) {
				if now.Tick == 3 {
					s.ip.Correct(e, at(4, 0, 0), at(5, 0, 0))
					if inStep && shift { // between the correction and its capture
						s.ip.Shift(moveX(1000))
					}
				}
			})
			s.run(32, constant(10*time.Millisecond), nil)
			if !inStep && shift {
				s.ip.Shift(moveX(1000))
			}
			s.run(3, constant(10*time.Millisecond), nil)
			if shift {
				shifted = s.x(e) - 1000
			} else {
				plain = s.x(e)
			}
		}
		if !(math.Abs(plain-shifted) < 1e-3) || plain > 4.5 {
			t.Errorf("in the step %v: a correction is drawn at %v, and at %v under a shift", inStep, plain, shifted)
		}
	}
}

// Who remembers values is told of everyone whose logical value goes to other coordinates, with the way there, until he has heard enough.
func TestOnShiftTellsWhoIsTaken(t *testing.T) {
	s := newStage(t, 10)
	one, two := s.spawn(at(1, 0, 0)), s.spawn(at(2, 0, 0))
	s.run(20, fps(60, 1), func(ecs.Time) {})
	heard := map[arche.Entity]float32{}
	end := s.ip.OnShift(func(e arche.Entity, shift func(components.Pose3D) components.Pose3D) {
		heard[e] += shift(components.Identity3D()).Position[0]
	})
	s.ip.Shift(moveX(8))
	s.ip.Shift(moveX(16), two)
	if len(heard) != 2 || heard[one] != 8 || heard[two] != 24 {
		t.Errorf("heard %v, want 8 of the first and 24 of the second", heard)
	}
	end()
	end()
	s.ip.Shift(moveX(8))
	if heard[one] != 8 {
		t.Error("heard of a shift after the end")
	}
}

// A function that panics leaves no query open, which would lock the world for good.
func TestShiftThatPanics(t *testing.T) {
	s := newStage(t, 10)
	e := s.spawn(at(1, 0, 0))
	s.Update(0)
	mustSay(t, "the shift", func() { s.ip.Shift(func(components.Pose3D) components.Pose3D { panic("no way") }) }, "no way")
	if s.w.IsLocked() {
		t.Fatal("the world is locked")
	}
	s.ip.Shift(moveX(2))
	s.Update(10 * time.Millisecond)
	s.near("shifted", s.x(e), 3, 0)
}
