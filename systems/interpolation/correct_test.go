package interpolation_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// A body moves at 10 units per second; at tick 8 its prediction turns out to be 3 too far. The
// simulation is right at once. The picture continues without a jolt, and the rest of the difference
// halves every 100 ms of real time.
func TestCorrectionFades(t *testing.T) {
	for _, exact := range []bool{false, true} {
		for _, frames := range []Schedule{FPS(240, 1), FPS(60, 1), FPS(23, 1)} {
			s := NewStage(t, 20)
			e := s.Spawn(components.Identity3D())
			logicalX := func(now ecs.Time) float64 {
				x := 10 * Seconds(now.StepEnd)
				if now.Tick >= 8 {
					x -= 3
				}
				return x
			}
			parting := 0.4 // when step 8 begins
			s.Fixed(func(now ecs.Time) {
				x := logicalX(now)
				switch {
				case now.Tick != 8:
					s.Logical(e).Set(At(x, 0, 0))
				case exact:
					if !s.Poses.Correct(e, At(x-0.5, 0, 0), At(x, 0, 0)) {
						t.Error("Correct found no samples")
					}
				default:
					s.Logical(e).Correct(At(x, 0, 0))
				}
				s.Near("logical", float64(s.Logical(e).Get().Position[0]), x, 1e-5)
			})
			first := -1.0
			last := 0.0
			s.Run(300, frames, func(now ecs.Time) {
				tm := Seconds(now.Normal)
				want := 10 * tm
				if now.Tick > 8 {
					if first < 0 {
						first = tm // begins to fade from its first picture on
						s.Near("the first picture", s.X(e), want, 1e-4)
					}
					want += -3 + 3*math.Exp2(-(tm-first)/0.1)
				}
				if tm < parting && now.Tick > 8 {
					t.Fatal("drawn before its time")
				}
				s.Near("position", s.X(e), want, 1e-4)
				// 3 units at 100 ms begin at 20.8 per second, so the body may go back, but never
				// leaps.
				if math.Abs(s.X(e)-last) > 21*Seconds(now.NormalDelta)+1e-4 {
					t.Fatalf("leapt from %v to %v", last, s.X(e))
				}
				last = s.X(e)
			})
			if x := s.Logical(e).Get().Position[0]; x != s.Visual(e).Position[0] && math.Abs(float64(x)-s.X(e)) > 1 {
				t.Errorf("ended at %v, the simulation at %v", s.X(e), x)
			}
		}
	}
}

// A gentle correction shortens a long offset at a steady speed, which depends on how long it is,
// until the half-life is slower; a short one fades as any other does.
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
		for _, frames := range []Schedule{FPS(240, 1), FPS(60, 1), FPS(23, 1)} {
			s := NewStage(t, 20)
			e := s.Spawn(components.Identity3D())
			s.Fixed(func(now ecs.Time) {
				if now.Tick == 8 {
					s.Poses.CorrectGently(e, At(-off, 0, 0), At(-off, 0, 0), slow, fast)
				}
			})
			first, last, wasAt := -1.0, 0.0, 0.0
			s.Run(1200, frames, func(now ecs.Time) {
				tm := Seconds(now.Normal)
				if now.Tick <= 8 {
					wasAt = tm
					return
				}
				if first < 0 {
					first = tm
				}
				s.Near("position", s.X(e), left(tm-first)-off, 1e-4)
				if moved := math.Abs(s.X(e) - last); moved > speed*(tm-wasAt)+1e-4 {
					t.Fatalf("an offset of %v: moved %v in %v s, want at most %v per second", off, moved, tm-wasAt, speed)
				}
				last, wasAt = s.X(e), tm
			})
			s.Near("the end", s.X(e), -off, 1e-4)
		}
	}
	s := NewStage(t, 20)
	e := s.Spawn(components.Identity3D())
	for _, speeds := range [][2]float32{{0, 1}, {-1, 1}, {2, 1}, {float32(math.NaN()), 1}} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), "must be positive") {
					t.Errorf("speeds of %v: %v, want a panic with the remedy", speeds, r)
				}
			}()
			s.Poses.CorrectGently(e, components.Identity3D(), components.Identity3D(), speeds[0], speeds[1])
		}()
	}
}

// An offset without a length, or with an infinite one, does not stay forever.
func TestCorrectGentlyFromFarAway(t *testing.T) {
	s := NewStage(t, 20)
	e := s.Spawn(components.At3D(1e30, 0, 0))
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 8 {
			s.Poses.CorrectGently(e, components.Identity3D(), components.Identity3D(), 1, 2)
		}
	})
	s.Run(60*20, FPS(60, 1), func(ecs.Time) {})
	if s.X(e) != 0 {
		t.Errorf("it ends at %v, want 0", s.X(e))
	}
}

// Correction upon correction never jolts, and adds nothing up.
func TestCorrectionsInARow(t *testing.T) {
	s := NewStage(t, 60)
	e := s.Spawn(components.Identity3D())
	s.Fixed(func(now ecs.Time) {
		s.Logical(e).Correct(At(float64(now.Tick%7)*0.1, 0, 0))
	})
	last := 0.0
	s.Run(2000, FPS(240, 1), func(now ecs.Time) {
		x := s.X(e)
		if math.Abs(x) > 1.5 {
			t.Fatalf("drawn at %v; the value is never beyond 0.6", x)
		}
		// Offsets below 1.5 fade by at most 10.4 per second, and the path moves by 0.6 in 1/60 s at
		// most.
		if limit := (1.5*math.Ln2/0.1 + 36.1) * Seconds(now.NormalDelta); math.Abs(x-last) > limit+1e-5 {
			t.Fatalf("leapt from %v to %v in %v", last, x, now.NormalDelta)
		}
		last = x
	})
}

// An offset fades as fast where further corrections follow, even one in every frame.
func TestCorrectionFadesUnderCorrections(t *testing.T) {
	for _, rate := range []int{20, 60, 120} {
		for _, gently := range []bool{false, true} {
			s := NewStage(t, rate)
			e := s.Spawn(components.Identity3D())
			s.Fixed(func(now ecs.Time) {
				switch to := At(1, 0, 0); {
				case now.Tick < 10:
				case gently:
					s.Poses.CorrectGently(e, to, to, 2, 2)
				default:
					s.Poses.Correct(e, to, to)
				}
			})
			var first time.Duration
			s.Run(120, FPS(60, 1), func(now ecs.Time) {
				if now.Tick <= 10 {
					first = now.Real + now.RealDelta // the first picture
					return
				}
				age := Seconds(now.Real - first)
				want := math.Exp2(-age / 0.1)
				if rest := 2 * 0.1 / math.Ln2; gently {
					want = 1 - 2*age
					if want < rest {
						want = rest * math.Exp2(-(age-(1-rest)/2)/0.1)
					}
				}
				s.Near("position", s.X(e), 1-want, 1e-4)
			})
		}
	}
}

// The clock of a correction is the viewer's: it fades in a pause and in slow motion as fast as
// ever.
func TestCorrectionFadesInRealTime(t *testing.T) {
	poses := interpolation.New3D()
	poses.HalfLife = 50 * time.Millisecond
	s := NewStage(t, 20, poses)
	e := s.Spawn(components.Identity3D())
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 2 {
			s.Logical(e).Correct(At(8, 0, 0))
			s.Scale(0)
		}
	})
	s.Run(2, Constant(50*time.Millisecond), nil)
	s.Near("the first picture", s.X(e), 0, 1e-5)
	for n := 1; n <= 5; n++ {
		s.Update(50 * time.Millisecond)
		s.Near("paused", s.X(e), 8-8*math.Exp2(-float64(n)), 1e-5)
	}
	s.Update(math.MaxInt64)         // a host that was away for long, or is mistaken
	s.Near("at last", s.X(e), 8, 0) // forgotten, exactly
}

func TestCorrectionOfARotation(t *testing.T) {
	s := NewStage(t, 20)
	e := s.Spawn(components.Identity3D())
	from := Turn(30, 1, 2, 3)
	s.Fixed(func(now ecs.Time) {
		switch {
		case now.Tick == 0:
			s.Logical(e).Set(Turned(At(1, 0, 0), from))
		case now.Tick == 3:
			p := Turned(At(1, 0, 0), Turn(80, 0, 1, 0).Mul(from))
			p.Scale[1] = 3
			s.Logical(e).Correct(p)
		}
	})
	s.Run(2, Constant(50*time.Millisecond), nil)
	for n := range 7 {
		s.Update(50 * time.Millisecond)
		left := math.Exp2(-float64(n) / 2)
		want := Turn(80*(1-left), 0, 1, 0).Mul(from)
		if d := DegreesApart(s.Visual(e).Rotation, want); !(d < 0.02) {
			t.Errorf("after %d half half-lives the rotation is %v degrees off", n, d)
		}
		s.Near("scale", float64(s.Visual(e).Scale[1]), 3-2*left, 1e-5)
	}
}

// After the rate has fallen the step before was shorter: a body's path through this one is as many
// times longer.
func TestCorrectionAfterTheRateHasFallen(t *testing.T) {
	for _, slow := range []int{30, 10, 5} {
		s := NewStage(t, 60)
		e := s.Spawn(components.Identity3D())
		spin := func(d time.Duration) components.Pose3D { // 90 degrees and 9 units per second
			return Turned(At(9*Seconds(d), 0, 0), TurnY(90*Seconds(d)))
		}
		rotten := true
		s.Fixed(func(now ecs.Time) {
			switch {
			case now.Rate == slow && rotten:
				rotten = false
				s.Logical(e).Correct(spin(now.StepEnd)) // which is what was predicted
			default:
				s.Logical(e).Set(spin(now.StepEnd))
			}
			if now.Tick == 9 {
				if err := s.SetRate(slow); err != nil {
					t.Fatal(err)
				}
			}
		})
		s.Run(200, FPS(144, 1), func(now ecs.Time) {
			s.Near("position", s.X(e), 9*Seconds(now.Normal), 1e-4)
			if d := DegreesApart(s.Visual(e).Rotation, TurnY(90*Seconds(now.Normal))); !(d < 0.02) {
				t.Fatalf("%d Hz, at %v: %v degrees off", slow, now.Normal, d)
			}
		})
	}
}

func TestTeleportDropsTheCorrection(t *testing.T) {
	s := NewStage(t, 20)
	e := s.Spawn(components.Identity3D())
	s.Fixed(func(now ecs.Time) {
		switch now.Tick {
		case 2:
			s.Logical(e).Correct(At(8, 0, 0))
		case 4:
			s.Logical(e).Teleport(At(100, 0, 0))
		case 6:
			s.Logical(e).Set(At(101, 0, 0))
		case 8:
			s.Poses.Correct(e, At(-1, 0, 0), At(0, 0, 0))
			s.Logical(e).Teleport(At(50, 0, 0))
		case 9:
			s.Logical(e).Correct(At(49, 0, 0)) // must not find case 8's start again
		}
	})
	s.Run(200, FPS(240, 1), func(now ecs.Time) {
		tm := Seconds(now.Normal) * 20
		switch {
		case tm >= 9:
			if x := s.X(e); x > 50.0001 || x < 48.9999 {
				t.Fatalf("at step %v drawn at %v", tm, x)
			}
		case tm >= 8:
			s.Near("jumped again", s.X(e), 50, 0)
		case tm >= 6:
			s.Near("moving", s.X(e), 100+min(1, tm-6), 1e-4)
		case tm >= 4:
			s.Near("jumped", s.X(e), 100, 0)
		}
	})
}

// An entity that dies, or loses what it was drawn by, takes its offset with it; its successor
// starts clean.
func TestDespawnRemovesTheCorrection(t *testing.T) {
	s := NewStage(t, 20)
	e := s.Spawn(components.Identity3D())
	s.Fixed(func(now ecs.Time) {
		switch now.Tick {
		case 2:
			s.Logical(e).Correct(At(8, 0, 0))
		case 4:
			s.W.RemoveEntity(e)
			e = s.Spawn(At(3, 0, 0)) // most likely with the same id
		case 6:
			s.Logical(e).Correct(At(5, 0, 0))
		}
	})
	s.Run(7, Constant(50*time.Millisecond), func(now ecs.Time) {
		if now.Tick > 4 && now.Tick <= 6 {
			s.Near("successor", s.X(e), 3, 0)
		}
	})
	s.W.Remove(e, s.W.Ids(e)...)
	v, l := components.Visual3D{}, components.NewLogical(At(4, 0, 0))
	s.Visuals.Assign(e, &v)
	s.Logicals.Assign(e, &l)
	s.Run(20, Constant(50*time.Millisecond), func(ecs.Time) { s.Near("made anew", s.X(e), 4, 0) })
}

// Without a known difference a correction moves like any other write, in its step.
func TestCorrectWithoutADifference(t *testing.T) {
	ip := interpolation.New(func(a, b float64, f float32) float64 { return a + (b-a)*float64(f) })
	s := NewStage(t, 10, ip)
	m := generic.NewMap2[components.Logical[float64], components.Visual[float64]](s.W)
	e := m.New()
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 2 {
			l, _ := m.Get(e)
			l.Correct(10)
		}
	})
	s.Run(100, FPS(144, 1), func(now ecs.Time) {
		_, v := m.Get(e)
		s.Near("value", v.Get(), 10*math.Max(0, math.Min(1, Seconds(now.Normal)*10-2)), 1e-6)
	})
}

// An entity without samples, a server's or a newborn one, is simply written, and its revision says
// so.
func TestCorrectOfAnEntityWithoutSamples(t *testing.T) {
	s := NewStage(t, 10)
	l := components.NewLogical(At(1, 0, 0))
	bare := s.Logicals.NewWith(&l)
	s.Update(0)
	before := s.Logical(bare).Revision()
	if s.Poses.Correct(bare, At(0, 0, 0), At(2, 0, 0)) {
		t.Error("Correct found samples where there are none")
	}
	if got := s.Logical(bare); got.Get() != At(2, 0, 0) || got.Revision() == before {
		t.Errorf("the value is %v at revision %d, was revision %d", got.Get(), got.Revision(), before)
	}
	s.W.RemoveEntity(bare)
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "dead") {
			t.Errorf("Correct of a dead entity panicked with %q", p)
		}
	}()
	s.Poses.Correct(bare, At(0, 0, 0), At(2, 0, 0))
}
