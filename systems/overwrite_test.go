package systems_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

// A Logical that is exchanged whole has jumped, however it was exchanged and whatever is written to it afterwards.
func TestOverwrittenWholeIsAJump(t *testing.T) {
	ways := map[string]func(s *stage, e, other arche.Entity, v components.Pose3D){
		"assigned": func(s *stage, e, _ arche.Entity, v components.Pose3D) { *s.logical(e) = components.NewLogical(v) },
		"assigned, then set": func(s *stage, e, _ arche.Entity, v components.Pose3D) {
			*s.logical(e) = components.NewLogical(at(-4, 0, 0))
			s.logical(e).Set(v)
		},
		"assigned, then set slowly": func(s *stage, e, _ arche.Entity, v components.Pose3D) {
			*s.logical(e) = components.Transform3D{}
			s.logical(e).SetOver(v, time.Second)
		},
		"set, then assigned": func(s *stage, e, _ arche.Entity, v components.Pose3D) {
			s.logical(e).Set(at(-4, 0, 0))
			*s.logical(e) = components.NewLogical(v)
		},
		"Map.Set": func(s *stage, e, _ arche.Entity, v components.Pose3D) {
			l := components.NewLogical(v)
			m := generic.NewMap[components.Transform3D](s.w)
			m.Set(e, &l)
		},
		"removed and added": func(s *stage, e, _ arche.Entity, v components.Pose3D) {
			s.logicals.Remove(e)
			l := components.NewLogical(v)
			s.logicals.Assign(e, &l)
		},
		"inserted by a command": func(s *stage, e, _ arche.Entity, v components.Pose3D) {
			ecs.Insert(s.Commands(), e, components.NewLogical(v))
		},
		"copied from another": func(s *stage, e, other arche.Entity, v components.Pose3D) {
			*s.logical(e) = *s.logical(other)
			s.logical(e).Set(v)
		},
		"copied from another that had moved slowly": func(s *stage, e, other arche.Entity, v components.Pose3D) {
			s.logical(other).SetOver(v, time.Second)
			*s.logical(e) = *s.logical(other)
		},
		"copied from another that had moved slowly, then set": func(s *stage, e, other arche.Entity, v components.Pose3D) {
			s.logical(other).SetOver(at(1, 1, 1), time.Second)
			*s.logical(e) = *s.logical(other)
			s.logical(e).Set(v)
		},
		"copied from a newborn": func(s *stage, e, _ arche.Entity, v components.Pose3D) {
			newborn := s.spawn(v)
			*s.logical(e) = *s.logical(newborn)
		},
	}
	for name, overwrite := range ways {
		for _, moving := range []bool{false, true} {
			s := newStage(t, 10)
			e, other := s.spawn(components.Identity3D()), s.spawn(at(1, 2, 3))
			s.fixed(func(now ecs.Time) {
				s.logical(other).Set(at(float64(now.Tick), 0, 0))
				switch {
				case now.Tick == 5 || now.Tick == 9:
					overwrite(s, e, other, at(1000*float64(now.Tick), 0, 0))
				case now.Tick == 7: // moves as ever afterwards
					s.logical(e).Set(at(5001, 0, 0))
				case moving && now.Tick < 5:
					s.logical(e).Set(at(float64(now.Tick)+1, 0, 0))
				}
			})
			s.run(90, constant(13*time.Millisecond), func(now ecs.Time) {
				steps := seconds(now.Normal) * 10
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
				s.near(name, s.x(e), want, ulps(4, want))
			})
		}
	}
}

// An older copy of an entity's own value, as a saved game or a rollback keeps one, is a jump too when it is put back.
func TestRestoringAnOlderCopyIsAJump(t *testing.T) {
	s := newStage(t, 10)
	e := s.spawn(components.Identity3D())
	var saved components.Transform3D
	s.fixed(func(now ecs.Time) {
		switch now.Tick {
		case 2:
			s.logical(e).Set(at(2, 0, 0))
			saved = *s.logical(e)
		case 3, 4, 5, 6:
			s.logical(e).Set(at(100, 0, 0))
			s.logical(e).Set(at(200, 0, 0))
		case 8:
			*s.logical(e) = saved
		}
	})
	s.run(90, constant(13*time.Millisecond), func(now ecs.Time) {
		if seconds(now.Normal) >= 0.8 {
			s.near("restored", s.x(e), 2, 0)
		}
	})
}

// Two values exchanged for each other are two jumps, at rest and in motion.
func TestSwappedValuesAreJumps(t *testing.T) {
	s := newStage(t, 10)
	a, b := s.spawn(at(1, 0, 0)), s.spawn(at(2, 0, 0))
	swapped := false
	s.fixed(func(now ecs.Time) {
		if now.Tick%3 == 2 {
			x, y := s.logical(a), s.logical(b)
			*x, *y = *y, *x
			swapped = !swapped
		}
	})
	s.run(200, constant(13*time.Millisecond), func(ecs.Time) {
		x, y := 1.0, 2.0
		if swapped {
			x, y = y, x
		}
		s.near("a", s.x(a), x, 0)
		s.near("b", s.x(b), y, 0)
	})
}

// A program may write one value thousands of times in a step, and may write once in 2^32 writes exactly as often as makes the counter return: the former is a movement.
func TestManyWritesInAStepAreOneMovement(t *testing.T) {
	s := newStage(t, 10)
	e := s.spawn(components.Identity3D())
	s.fixed(func(now ecs.Time) {
		for k := range 5000 {
			s.logical(e).Set(at(float64(k), 0, 0))
		}
		s.logical(e).Set(at(float64(now.Tick)+1, 0, 0))
	})
	s.run(60, constant(13*time.Millisecond), func(now ecs.Time) {
		s.near("path", s.x(e), seconds(now.Normal)*10, 1e-5)
	})
}

// Visual values that were taken away and given back start from the logical value, even when no step ran in between and nothing moves.
func TestHiddenAndShownAgain(t *testing.T) {
	for _, step := range []bool{false, true} {
		for _, moving := range []bool{false, true} {
			s := newStage(t, 10)
			e := s.spawn(at(5, 0, 0))
			x := 5.0
			s.fixed(func(now ecs.Time) {
				if moving {
					x++
					s.logical(e).Set(at(x, 0, 0))
				}
			})
			s.Update(110 * time.Millisecond)
			s.visuals.Remove(e)
			pause := 10 * time.Millisecond
			if step {
				pause = 100 * time.Millisecond
			}
			s.Update(pause)
			s.visuals.Add(e)
			s.Update(10 * time.Millisecond)
			s.near("shown again", s.x(e), x, 0)
			if v := s.visual(e); v.Scale != at(0, 0, 0).Scale {
				t.Errorf("step between %v, moving %v: drawn at %v", step, moving, v)
			}
			s.run(100, constant(7*time.Millisecond), nil)
			if !moving {
				s.near("later", s.x(e), 5, 0)
			} else {
				s.near("later", s.x(e), x-(seconds(s.Time().Fixed)-seconds(s.Time().Normal))*10, 1e-4)
			}
		}
	}
}

// A Visual that is exchanged for another between two looks of the interpolator leaves no trace. What its comment advises holds: the value as its content shows at once, a jump to where the
// entity is from the next step on; and what moves needs neither.
func TestVisualReplacedUnnoticed(t *testing.T) {
	const rests, moves, jumps = "rests", "moves", "jumps"
	ways := map[string]func(s *stage, e arche.Entity, v components.Visual3D){
		"removed and added": func(s *stage, e arche.Entity, v components.Visual3D) {
			s.visuals.Remove(e)
			s.visuals.Assign(e, &v)
		},
		"overwritten": func(s *stage, e arche.Entity, v components.Visual3D) { *s.visuals.Get(e) = v },
	}
	for name, replace := range ways {
		for _, does := range []string{rests, moves, jumps} {
			s := newStage(t, 10)
			e, other := s.spawn(at(5, 0, 0)), s.spawn(at(7, 0, 0))
			s.fixed(func(now ecs.Time) {
				if does == moves {
					s.logical(e).Set(at(5+float64(now.Tick), 0, 0))
				}
			})
			s.run(33, constant(13*time.Millisecond), nil)
			given := components.Visual3D{}
			if does == rests {
				given = components.NewVisual(s.logical(e).Get())
			}
			replace(s, e, given)
			if does == jumps {
				s.logical(e).Teleport(s.logical(e).Get())
			}
			replaced := s.Time().Tick
			s.run(50, constant(13*time.Millisecond), func(now ecs.Time) {
				switch does {
				case moves:
					s.near(name+", in motion", s.x(e), 4+seconds(now.Normal)*10, 1e-5)
				case jumps:
					if now.Tick == replaced {
						return
					}
					fallthrough
				default:
					if got := s.visual(e); got != at(5, 0, 0) {
						t.Fatalf("%s: what %s is drawn at %v at %v", name, does, got, now.Normal)
					}
				}
				s.near("another", s.x(other), 7, 0)
			})
		}
	}
}
