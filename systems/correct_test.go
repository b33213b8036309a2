package systems_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

// A body moves at 10 units per second; at tick 8 its prediction turns out to be 3 too far. The simulation is right at once; the picture goes on without
// a jolt, and what is left of the difference halves every 100 ms of real time.
func TestCorrectionFades(t *testing.T) {
	for _, exact := range []bool{false, true} {
		for _, frames := range []schedule{fps(240, 1), fps(60, 1), fps(23, 1)} {
			s := newStage(t, 20)
			e := s.spawn(components.Identity3D())
			logicalX := func(now ecs.Time) float64 {
				x := 10 * seconds(now.StepEnd)
				if now.Tick >= 8 {
					x -= 3
				}
				return x
			}
			parting := 0.4 // when step 8 begins
			s.fixed(func(now ecs.Time) {
				x := logicalX(now)
				switch {
				case now.Tick != 8:
					s.logical(e).Set(at(x, 0, 0))
				case exact:
					if !s.ip.Correct(e, at(x-0.5, 0, 0), at(x, 0, 0)) {
						t.Error("Correct found no samples")
					}
				default:
					s.logical(e).Correct(at(x, 0, 0))
				}
				s.near("logical", float64(s.logical(e).Get().Position[0]), x, 1e-5)
			})
			first := -1.0
			last := 0.0
			s.run(300, frames, func(now ecs.Time) {
				tm := seconds(now.Normal)
				want := 10 * tm
				if now.Tick > 8 {
					if first < 0 {
						first = tm // begins to fade from its first picture on
						s.near("the first picture", s.x(e), want, 1e-4)
					}
					want += -3 + 3*math.Exp2(-(tm-first)/0.1)
				}
				if tm < parting && now.Tick > 8 {
					t.Fatal("drawn before its time")
				}
				s.near("position", s.x(e), want, 1e-4)
				// 3 units at 100 ms begin at 20.8 per second, so the body may go back, but never leaps.
				if math.Abs(s.x(e)-last) > 21*seconds(now.NormalDelta)+1e-4 {
					t.Fatalf("leapt from %v to %v", last, s.x(e))
				}
				last = s.x(e)
			})
			if x := s.logical(e).Get().Position[0]; x != s.visual(e).Position[0] && math.Abs(float64(x)-s.x(e)) > 1 {
				t.Errorf("ended at %v, the simulation at %v", s.x(e), x)
			}
		}
	}
}

// A gentle correction shortens a long offset at a steady speed, which depends on how long it is, until the half-life is slower; a short one fades as any other does.
func TestCorrectGently(t *testing.T) {
	const slow, fast, halfLife = 1.1, 2.4, 0.1
	for _, off := range []float64{0.05, 0.15, 0.5, 1.5, 6} {
		speed := min(max(off, slow), fast)
		rest := speed * halfLife / math.Ln2
		left := func(age float64) float64 {
			if straight := (off - rest) / speed; straight > 0 {
				if age < straight {
					return off - speed*age
				}
				return rest * math.Exp2(-(age-straight)/halfLife)
			}
			return off * math.Exp2(-age/halfLife)
		}
		for _, frames := range []schedule{fps(240, 1), fps(60, 1), fps(23, 1)} {
			s := newStage(t, 20)
			e := s.spawn(components.Identity3D())
			s.fixed(func(now ecs.Time) {
				if now.Tick == 8 {
					s.ip.CorrectGently(e, at(-off, 0, 0), at(-off, 0, 0), slow, fast)
				}
			})
			first, last, wasAt := -1.0, 0.0, 0.0
			s.run(1200, frames, func(now ecs.Time) {
				tm := seconds(now.Normal)
				if now.Tick <= 8 {
					wasAt = tm
					return
				}
				if first < 0 {
					first = tm
				}
				s.near("position", s.x(e), left(tm-first)-off, 1e-4)
				if moved := math.Abs(s.x(e) - last); moved > speed*(tm-wasAt)+1e-4 {
					t.Fatalf("an offset of %v: moved %v in %v s, want at most %v per second", off, moved, tm-wasAt, speed)
				}
				last, wasAt = s.x(e), tm
			})
			s.near("the end", s.x(e), -off, 1e-4)
		}
	}
	s := newStage(t, 20)
	e := s.spawn(components.Identity3D())
	for _, speeds := range [][2]float32{{0, 1}, {-1, 1}, {2, 1}, {float32(math.NaN()), 1}} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), "must be positive") {
					t.Errorf("speeds of %v: %v, want a panic with the remedy", speeds, r)
				}
			}()
			s.ip.CorrectGently(e, components.Identity3D(), components.Identity3D(), speeds[0], speeds[1])
		}()
	}
}

// An offset that nobody can measure, or that has no end, does not stay for ever.
func TestCorrectGentlyFromFarAway(t *testing.T) {
	s := newStage(t, 20)
	e := s.spawn(components.At3D(1e30, 0, 0))
	s.fixed(func(now ecs.Time) {
		if now.Tick == 8 {
			s.ip.CorrectGently(e, components.Identity3D(), components.Identity3D(), 1, 2)
		}
	})
	s.run(60*20, fps(60, 1), func(ecs.Time) {})
	if s.x(e) != 0 {
		t.Errorf("it ends at %v, want 0", s.x(e))
	}
}

// Correction upon correction never jolts, and adds nothing up.
func TestCorrectionsInARow(t *testing.T) {
	s := newStage(t, 60)
	e := s.spawn(components.Identity3D())
	s.fixed(func(now ecs.Time) {
		s.logical(e).Correct(at(float64(now.Tick%7)*0.1, 0, 0))
	})
	last := 0.0
	s.run(2000, fps(240, 1), func(now ecs.Time) {
		x := s.x(e)
		if math.Abs(x) > 1.5 {
			t.Fatalf("drawn at %v; the value is never beyond 0.6", x)
		}
		// Offsets below 1.5 fade by at most 10.4 per second, and the path moves by 0.6 in 1/60 s at most.
		if limit := (1.5*math.Ln2/0.1 + 36.1) * seconds(now.NormalDelta); math.Abs(x-last) > limit+1e-5 {
			t.Fatalf("leapt from %v to %v in %v", last, x, now.NormalDelta)
		}
		last = x
	})
}

// An offset fades as fast where further corrections follow, even one in every frame.
func TestCorrectionFadesUnderCorrections(t *testing.T) {
	for _, rate := range []int{20, 60, 120} {
		for _, gently := range []bool{false, true} {
			s := newStage(t, rate)
			e := s.spawn(components.Identity3D())
			s.fixed(func(now ecs.Time) {
				switch to := at(1, 0, 0); {
				case now.Tick < 10:
				case gently:
					s.ip.CorrectGently(e, to, to, 2, 2)
				default:
					s.ip.Correct(e, to, to)
				}
			})
			var first time.Duration
			s.run(120, fps(60, 1), func(now ecs.Time) {
				if now.Tick <= 10 {
					first = now.Real + now.RealDelta // the first picture
					return
				}
				age := seconds(now.Real - first)
				want := math.Exp2(-age / 0.1)
				if rest := 2 * 0.1 / math.Ln2; gently {
					want = 1 - 2*age
					if want < rest {
						want = rest * math.Exp2(-(age-(1-rest)/2)/0.1)
					}
				}
				s.near("position", s.x(e), 1-want, 1e-4)
			})
		}
	}
}

// The clock of a correction is the viewer's: it fades in a pause and in slow motion as fast as ever.
func TestCorrectionFadesInRealTime(t *testing.T) {
	s := newStage(t, 20)
	s.ip.WithHalfLife(50 * time.Millisecond)
	e := s.spawn(components.Identity3D())
	s.fixed(func(now ecs.Time) {
		if now.Tick == 2 {
			s.logical(e).Correct(at(8, 0, 0))
			s.scale(0)
		}
	})
	s.run(2, constant(50*time.Millisecond), nil)
	s.near("the first picture", s.x(e), 0, 1e-5)
	for n := 1; n <= 5; n++ {
		s.Update(50 * time.Millisecond)
		s.near("paused", s.x(e), 8-8*math.Exp2(-float64(n)), 1e-5)
	}
	s.Update(math.MaxInt64)         // a host that was away for long, or is mistaken
	s.near("at last", s.x(e), 8, 0) // forgotten, exactly
}

func TestCorrectionOfARotation(t *testing.T) {
	s := newStage(t, 20)
	e := s.spawn(components.Identity3D())
	from := turn(30, 1, 2, 3)
	s.fixed(func(now ecs.Time) {
		switch {
		case now.Tick == 0:
			s.logical(e).Set(turned(at(1, 0, 0), from))
		case now.Tick == 3:
			p := turned(at(1, 0, 0), turn(80, 0, 1, 0).Mul(from))
			p.Scale[1] = 3
			s.logical(e).Correct(p)
		}
	})
	s.run(2, constant(50*time.Millisecond), nil)
	for n := range 7 {
		s.Update(50 * time.Millisecond)
		left := math.Exp2(-float64(n) / 2)
		want := turn(80*(1-left), 0, 1, 0).Mul(from)
		if d := degreesApart(s.visual(e).Rotation, want); !(d < 0.02) {
			t.Errorf("after %d half half-lives the rotation is %v degrees off", n, d)
		}
		s.near("scale", float64(s.visual(e).Scale[1]), 3-2*left, 1e-5)
	}
}

// After the rate has fallen the step before was shorter: a body's path through this one is as many times longer.
func TestCorrectionAfterTheRateHasFallen(t *testing.T) {
	for _, slow := range []int{30, 10, 5} {
		s := newStage(t, 60)
		e := s.spawn(components.Identity3D())
		spin := func(d time.Duration) components.Pose3D { // 90 degrees and 9 units per second
			return turned(at(9*seconds(d), 0, 0), turnY(90*seconds(d)))
		}
		rotten := true
		s.fixed(func(now ecs.Time) {
			switch {
			case now.Rate == slow && rotten:
				rotten = false
				s.logical(e).Correct(spin(now.StepEnd)) // which is what was predicted
			default:
				s.logical(e).Set(spin(now.StepEnd))
			}
			if now.Tick == 9 {
				if err := s.SetRate(slow); err != nil {
					t.Fatal(err)
				}
			}
		})
		s.run(200, fps(144, 1), func(now ecs.Time) {
			s.near("position", s.x(e), 9*seconds(now.Normal), 1e-4)
			if d := degreesApart(s.visual(e).Rotation, turnY(90*seconds(now.Normal))); !(d < 0.02) {
				t.Fatalf("%d Hz, at %v: %v degrees off", slow, now.Normal, d)
			}
		})
	}
}

func TestTeleportForgetsTheCorrection(t *testing.T) {
	s := newStage(t, 20)
	e := s.spawn(components.Identity3D())
	s.fixed(func(now ecs.Time) {
		switch now.Tick {
		case 2:
			s.logical(e).Correct(at(8, 0, 0))
		case 4:
			s.logical(e).Teleport(at(100, 0, 0))
		case 6:
			s.logical(e).Set(at(101, 0, 0))
		case 8:
			s.ip.Correct(e, at(-1, 0, 0), at(0, 0, 0))
			s.logical(e).Teleport(at(50, 0, 0))
		case 9:
			s.logical(e).Correct(at(49, 0, 0)) // must not find case 8's start again
		}
	})
	s.run(200, fps(240, 1), func(now ecs.Time) {
		tm := seconds(now.Normal) * 20
		switch {
		case tm >= 9:
			if x := s.x(e); x > 50.0001 || x < 48.9999 {
				t.Fatalf("at step %v drawn at %v", tm, x)
			}
		case tm >= 8:
			s.near("jumped again", s.x(e), 50, 0)
		case tm >= 6:
			s.near("moving", s.x(e), 100+min(1, tm-6), 1e-4)
		case tm >= 4:
			s.near("jumped", s.x(e), 100, 0)
		}
	})
}

// An entity that dies, or loses what it was drawn by, takes its offset with it; its successor starts clean.
func TestCorrectionDiesWithItsEntity(t *testing.T) {
	s := newStage(t, 20)
	e := s.spawn(components.Identity3D())
	s.fixed(func(now ecs.Time) {
		switch now.Tick {
		case 2:
			s.logical(e).Correct(at(8, 0, 0))
		case 4:
			s.w.RemoveEntity(e)
			e = s.spawn(at(3, 0, 0)) // most likely with the same id
		case 6:
			s.logical(e).Correct(at(5, 0, 0))
		}
	})
	s.run(7, constant(50*time.Millisecond), func(now ecs.Time) {
		if now.Tick > 4 && now.Tick <= 6 {
			s.near("successor", s.x(e), 3, 0)
		}
	})
	s.w.Remove(e, s.w.Ids(e)...)
	v, l := components.Visual3D{}, components.NewLogical(at(4, 0, 0))
	s.visuals.Assign(e, &v)
	s.logicals.Assign(e, &l)
	s.run(20, constant(50*time.Millisecond), func(ecs.Time) { s.near("made anew", s.x(e), 4, 0) })
}

// Without a known difference a correction moves like any other write, in its step.
func TestCorrectWithoutADifference(t *testing.T) {
	ip := systems.Interpolation(func(a, b float64, f float32) float64 { return a + (b-a)*float64(f) })
	s := newStage(t, 10, ip)
	m := generic.NewMap2[components.Logical[float64], components.Visual[float64]](s.w)
	e := m.New()
	s.fixed(func(now ecs.Time) {
		if now.Tick == 2 {
			l, _ := m.Get(e)
			l.Correct(10)
		}
	})
	s.run(100, fps(144, 1), func(now ecs.Time) {
		_, v := m.Get(e)
		s.near("value", v.Get(), 10*math.Max(0, math.Min(1, seconds(now.Normal)*10-2)), 1e-6)
	})
}

// An entity without samples, a server's or a newborn one, is simply written, and its revision says so.
func TestCorrectOfAnEntityWithoutSamples(t *testing.T) {
	s := newStage(t, 10)
	l := components.NewLogical(at(1, 0, 0))
	bare := s.logicals.NewWith(&l)
	s.Update(0)
	before := s.logical(bare).Revision()
	if s.ip.Correct(bare, at(0, 0, 0), at(2, 0, 0)) {
		t.Error("Correct found samples where there are none")
	}
	if got := s.logical(bare); got.Get() != at(2, 0, 0) || got.Revision() == before {
		t.Errorf("the value is %v at revision %d, was revision %d", got.Get(), got.Revision(), before)
	}
	s.w.RemoveEntity(bare)
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "dead") {
			t.Errorf("Correct of a dead entity panicked with %q", p)
		}
	}()
	s.ip.Correct(bare, at(0, 0, 0), at(2, 0, 0))
}
