package interpolation_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

// A Logical that is exchanged whole has jumped, however it was exchanged and whatever is written to
// it afterwards.
func TestOverwrittenWholeIsAJump(t *testing.T) {
	ways := map[string]func(s *Stage, e, other arche.Entity, v components.Pose3D){
		"assigned": func(s *Stage, e, _ arche.Entity, v components.Pose3D) { *s.Logical(e) = components.NewLogical(v) },
		"assigned, then set": func(s *Stage, e, _ arche.Entity, v components.Pose3D) {
			*s.Logical(e) = components.NewLogical(At(-4, 0, 0))
			s.Logical(e).Set(v)
		},
		"assigned, then set slowly": func(s *Stage, e, _ arche.Entity, v components.Pose3D) {
			*s.Logical(e) = components.Transform3D{}
			s.Logical(e).SetOver(v, time.Second)
		},
		"set, then assigned": func(s *Stage, e, _ arche.Entity, v components.Pose3D) {
			s.Logical(e).Set(At(-4, 0, 0))
			*s.Logical(e) = components.NewLogical(v)
		},
		"Map.Set": func(s *Stage, e, _ arche.Entity, v components.Pose3D) {
			l := components.NewLogical(v)
			m := generic.NewMap[components.Transform3D](s.W)
			m.Set(e, &l)
		},
		"removed and added": func(s *Stage, e, _ arche.Entity, v components.Pose3D) {
			s.Logicals.Remove(e)
			l := components.NewLogical(v)
			s.Logicals.Assign(e, &l)
		},
		"inserted by a command": func(s *Stage, e, _ arche.Entity, v components.Pose3D) {
			ecs.Insert(s.Commands(), e, components.NewLogical(v))
		},
		"copied from another": func(s *Stage, e, other arche.Entity, v components.Pose3D) {
			*s.Logical(e) = *s.Logical(other)
			s.Logical(e).Set(v)
		},
		"copied from another that had moved slowly": func(s *Stage, e, other arche.Entity, v components.Pose3D) {
			s.Logical(other).SetOver(v, time.Second)
			*s.Logical(e) = *s.Logical(other)
		},
		"copied from another that had moved slowly, then set": func(s *Stage, e, other arche.Entity, v components.Pose3D) {
			s.Logical(other).SetOver(At(1, 1, 1), time.Second)
			*s.Logical(e) = *s.Logical(other)
			s.Logical(e).Set(v)
		},
		"copied from a newborn": func(s *Stage, e, _ arche.Entity, v components.Pose3D) {
			newborn := s.Spawn(v)
			*s.Logical(e) = *s.Logical(newborn)
		},
	}
	for name, overwrite := range ways {
		for _, moving := range []bool{false, true} {
			s := NewStage(t, 10)
			e, other := s.Spawn(components.Identity3D()), s.Spawn(At(1, 2, 3))
			s.Fixed(func(now ecs.Time) {
				s.Logical(other).Set(At(float64(now.Tick), 0, 0))
				switch {
				case now.Tick == 5 || now.Tick == 9:
					overwrite(s, e, other, At(1000*float64(now.Tick), 0, 0))
				case now.Tick == 7: // moves as ever afterwards
					s.Logical(e).Set(At(5001, 0, 0))
				case moving && now.Tick < 5:
					s.Logical(e).Set(At(float64(now.Tick)+1, 0, 0))
				}
			})
			s.Run(90, Constant(13*time.Millisecond), func(now ecs.Time) {
				steps := Seconds(now.Normal) * 10
				want := 0.0
				switch {
				case steps >= 9:
					want = 9000
				case steps >= 7:
					want = 5000 + min(1, steps-7)
				case steps >= 5:
					want = 5000
				case moving:
					want = steps
				}
				s.Near(name, s.X(e), want, ulps(4, want))
			})
		}
	}
}

// An older copy of an entity's own value, as a saved game or a rollback keeps one, is a jump too
// when it is put back.
func TestRestoringAnOlderCopyIsAJump(t *testing.T) {
	s := NewStage(t, 10)
	e := s.Spawn(components.Identity3D())
	var saved components.Transform3D
	s.Fixed(func(now ecs.Time) {
		switch now.Tick {
		case 2:
			s.Logical(e).Set(At(2, 0, 0))
			saved = *s.Logical(e)
		case 3, 4, 5, 6:
			s.Logical(e).Set(At(100, 0, 0))
			s.Logical(e).Set(At(200, 0, 0))
		case 8:
			*s.Logical(e) = saved
		}
	})
	s.Run(90, Constant(13*time.Millisecond), func(now ecs.Time) {
		if Seconds(now.Normal) >= 0.8 {
			s.Near("restored", s.X(e), 2, 0)
		}
	})
}

// Two values exchanged for each other are two jumps, at rest and in motion.
func TestSwappedValuesAreJumps(t *testing.T) {
	s := NewStage(t, 10)
	a, b := s.Spawn(At(1, 0, 0)), s.Spawn(At(2, 0, 0))
	swapped := false
	s.Fixed(func(now ecs.Time) {
		if now.Tick%3 == 2 {
			x, y := s.Logical(a), s.Logical(b)
			*x, *y = *y, *x
			swapped = !swapped
		}
	})
	s.Run(200, Constant(13*time.Millisecond), func(ecs.Time) {
		x, y := 1.0, 2.0
		if swapped {
			x, y = y, x
		}
		s.Near("a", s.X(a), x, 0)
		s.Near("b", s.X(b), y, 0)
	})
}

// A program may write one value thousands of times in a step, and may write once in 2^32 writes
// exactly as often as makes the counter return: the former is a movement.
func TestManyWritesInAStepAreOneMovement(t *testing.T) {
	s := NewStage(t, 10)
	e := s.Spawn(components.Identity3D())
	s.Fixed(func(now ecs.Time) {
		for k := range 5000 {
			s.Logical(e).Set(At(float64(k), 0, 0))
		}
		s.Logical(e).Set(At(float64(now.Tick)+1, 0, 0))
	})
	s.Run(60, Constant(13*time.Millisecond), func(now ecs.Time) {
		s.Near("path", s.X(e), Seconds(now.Normal)*10, 1e-5)
	})
}

// Visual values that were taken away and given back start from the logical value, even when no step
// ran in between and nothing moves.
func TestVisualRemovedAndAddedAgain(t *testing.T) {
	for _, step := range []bool{false, true} {
		for _, moving := range []bool{false, true} {
			s := NewStage(t, 10)
			e := s.Spawn(At(5, 0, 0))
			x := 5.0
			s.Fixed(func(now ecs.Time) {
				if moving {
					x++
					s.Logical(e).Set(At(x, 0, 0))
				}
			})
			s.Update(110 * time.Millisecond)
			s.Visuals.Remove(e)
			pause := 10 * time.Millisecond
			if step {
				pause = 100 * time.Millisecond
			}
			s.Update(pause)
			s.Visuals.Add(e)
			s.Update(10 * time.Millisecond)
			s.Near("shown again", s.X(e), x, 0)
			if v := s.Visual(e); v.Scale != At(0, 0, 0).Scale {
				t.Errorf("step between %v, moving %v: drawn at %v", step, moving, v)
			}
			s.Run(100, Constant(7*time.Millisecond), nil)
			if !moving {
				s.Near("later", s.X(e), 5, 0)
			} else {
				s.Near("later", s.X(e), x-(Seconds(s.Time().Fixed)-Seconds(s.Time().Normal))*10, 1e-4)
			}
		}
	}
}

// A Visual that is replaced between two looks of the interpolator is not noticed. The advice in the
// comment of Visual holds: a value as its content shows at once, a Teleport shows it from the next
// step on, and an entity in motion needs neither.
func TestVisualReplacedUnnoticed(t *testing.T) {
	const rests, moves, jumps = "rests", "moves", "jumps"
	ways := map[string]func(s *Stage, e arche.Entity, v components.Visual3D){
		"removed and added": func(s *Stage, e arche.Entity, v components.Visual3D) {
			s.Visuals.Remove(e)
			s.Visuals.Assign(e, &v)
		},
		"overwritten": func(s *Stage, e arche.Entity, v components.Visual3D) { *s.Visuals.Get(e) = v },
	}
	for name, replace := range ways {
		for _, does := range []string{rests, moves, jumps} {
			s := NewStage(t, 10)
			e, other := s.Spawn(At(5, 0, 0)), s.Spawn(At(7, 0, 0))
			s.Fixed(func(now ecs.Time) {
				if does == moves {
					s.Logical(e).Set(At(5+float64(now.Tick), 0, 0))
				}
			})
			s.Run(33, Constant(13*time.Millisecond), nil)
			given := components.Visual3D{}
			if does == rests {
				given = components.NewVisual(s.Logical(e).Get())
			}
			replace(s, e, given)
			if does == jumps {
				s.Logical(e).Teleport(s.Logical(e).Get())
			}
			replaced := s.Time().Tick
			s.Run(50, Constant(13*time.Millisecond), func(now ecs.Time) {
				switch does {
				case moves:
					s.Near(name+", in motion", s.X(e), 4+Seconds(now.Normal)*10, 1e-5)
				case jumps:
					if now.Tick == replaced {
						return
					}
					fallthrough
				default:
					if got := s.Visual(e); got != At(5, 0, 0) {
						t.Fatalf("%s: what %s is drawn at %v at %v", name, does, got, now.Normal)
					}
				}
				s.Near("another", s.X(other), 7, 0)
			})
		}
	}
}
