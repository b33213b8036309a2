package interpolation_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

// mover spawns an entity that is at v*E at the end E of every step.
func mover(s *Stage, v [3]float64) arche.Entity {
	e := s.Spawn(components.Identity3D())
	s.Fixed(func(now ecs.Time) {
		t := Seconds(now.StepEnd)
		s.Logical(e).Set(At(v[0]*t, v[1]*t, v[2]*t))
	})
	return e
}

// onTheLine fails unless the mover is drawn at v*T.
func onTheLine(s *Stage, e arche.Entity, v [3]float64) {
	s.Helper()
	now := s.Time()
	p := s.Visual(e).Position
	for axis := range p {
		end := v[axis] * Seconds(now.StepEnd)
		s.Near(fmt.Sprintf("axis %d", axis), float64(p[axis]), v[axis]*Seconds(now.Normal), ulps(4, end))
	}
}

func TestCase01ConstantVelocityIsLinear(t *testing.T) {
	v := [3]float64{1, -2, 3}
	for _, rate := range []int{10, 60, 120} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			s := NewStage(t, rate)
			e := mover(s, v)
			// from the first frame on
			s.Run(2000, FPS(144, 1), func(ecs.Time) { onTheLine(s, e, v) })
		})
	}
}

func TestCase02RandomFramesAndPathIndependence(t *testing.T) {
	v := [3]float64{1, -2, 3}
	shown := map[time.Duration]components.Pose3D{} // by normal time, over all seeds
	met := 0
	for seed := range uint64(20) {
		s := NewStage(t, 60)
		e := mover(s, v)
		spin := s.Spawn(components.Identity3D())
		s.Fixed(func(now ecs.Time) {
			p := components.Identity3D()
			p.Rotation = TurnY(300 * Seconds(now.StepEnd))
			s.Logical(spin).Set(p)
		})
		schedule := Between(500*time.Microsecond, 40*time.Millisecond, seed)
		if seed%2 == 1 { // on a grid, so that schedules meet at equal times
			fine := Between(1, 80, seed)
			schedule = func(i int) time.Duration { return fine(i) * 500 * time.Microsecond }
		}
		s.Run(800, schedule, func(now ecs.Time) {
			onTheLine(s, e, v)
			both := s.Visual(e)
			both.Rotation = s.Visual(spin).Rotation
			if first, ok := shown[now.Normal]; ok {
				met++
				if first != both {
					t.Fatalf("seed %d: at %v drawn %v, but %v after other frame times", seed, now.Normal, both, first)
				}
			}
			shown[now.Normal] = both
		})
	}
	if met < 500 {
		t.Fatalf("the schedules met only %d times; the test compares nothing", met)
	}
}

func TestCase03ManyStepsPerFrame(t *testing.T) {
	s := NewStageWith(t, ecs.Config{FixedRate: 120, MaxSteps: 16})
	v := [3]float64{1, -2, 3}
	e := mover(s, v)
	s.Run(300, FPS(10, 1), func(now ecs.Time) {
		onTheLine(s, e, v)
		if now.Frame > 1 && now.Steps != 12 {
			t.Fatalf("%d steps in a frame, want 12", now.Steps)
		}
	})
}

func TestCase04StartFromRest(t *testing.T) {
	for _, phase := range []time.Duration{10, 50, 90} {
		const h = 100 * time.Millisecond
		s := NewStage(t, 10)
		e := s.Spawn(components.Identity3D())
		s.Fixed(func(now ecs.Time) {
			if now.Tick >= 10 {
				s.Logical(e).Set(At(float64(now.Tick)-9, 0, 0))
			}
		})
		first := true
		s.Run(20, func(i int) time.Duration {
			if i == 0 {
				return phase * time.Millisecond
			}
			return h
		}, func(now ecs.Time) {
			want := math.Max(0, Seconds(now.Normal)*10-10)
			s.Near("start from rest", s.X(e), want, 1e-5)
			if want > 0 && first {
				first = false
				s.Near("first moving frame", s.X(e), float64(phase)/100, 1e-6)
			}
		})
	}
}

func TestCase06TriangleWaveTouchesItsCorners(t *testing.T) {
	for _, rate := range []int64{45, 60, 144} {
		s := NewStage(t, 30)
		wave := func(steps float64) float64 { // up for ten steps to 1 at an edge, down for ten
			return 1 - math.Abs(math.Mod(steps, 20)-10)/10
		}
		e := s.Spawn(components.Identity3D())
		s.Fixed(func(now ecs.Time) { s.Logical(e).Set(At(wave(float64(now.Tick+1)), 0, 0)) })
		atEdge := false
		s.Run(500, FPS(rate, 1), func(now ecs.Time) {
			if now.Normal == now.StepStart && now.Tick%20 == 11 {
				atEdge = true
				s.Near("at the corner", s.X(e), 1, 0)
			}
			// A few ns of the step's true length are lost to whole nanoseconds.
			s.Near("triangle wave", s.X(e), wave(Seconds(now.Normal)*30), 1e-6)
		})
		// 60 fps meets every edge; the others meet some, to the nanosecond or not.
		if rate == 60 && !atEdge {
			t.Error("no frame fell on a corner; the test shows nothing")
		}
	}
}

func TestCase07SlowMotion(t *testing.T) {
	s := NewStage(t, 60)
	if err := s.SetScale(0.25); err != nil {
		t.Fatal(err)
	}
	v := [3]float64{1, 0, 0}
	e := mover(s, v)
	last := math.NaN()
	s.Run(600, FPS(60, 1), func(now ecs.Time) {
		onTheLine(s, e, v)
		if last == last {
			s.Near("displacement per frame", s.X(e)-last, 1.0/240, ulps(4, s.X(e)))
			if s.X(e) == last {
				t.Fatal("two equal poses in a row")
			}
		}
		last = s.X(e)
	})
	if n := s.Time().Tick; n < 149 || n > 151 {
		t.Errorf("%d steps in ten seconds at a quarter of 60 Hz, want 150", n)
	}
}

func TestCase08SpeedSwitchedInMidStep(t *testing.T) {
	s := NewStageWith(t, ecs.Config{FixedRate: 60, MaxSteps: 8})
	v := [3]float64{1, 0, 0}
	e := mover(s, v)
	last := 0.0
	s.Run(600, FPS(61, 1), func(now ecs.Time) {
		onTheLine(s, e, v)
		if d := s.X(e) - last; d > Seconds(now.NormalDelta)+ulps(8, s.X(e)) {
			t.Fatalf("moved by %v in %v of normal time", d, now.NormalDelta)
		}
		last = s.X(e)
		if err := s.SetScale([]float64{0.25, 1, 4}[now.Frame/37%3]); err != nil {
			t.Fatal(err)
		}
	})
	if s.Time().Dropped != 0 {
		t.Errorf("dropped %v", s.Time().Dropped)
	}
}

func TestCase09RateSwitchedInFlight(t *testing.T) {
	for _, inStep := range []bool{false, true} {
		s := NewStage(t, 60)
		e := s.Spawn(components.Identity3D())
		x := 0.0
		change := func(tick uint64) {
			rate := 60
			if tick/25%2 == 1 {
				rate = 10
			}
			if err := s.SetRate(rate); err != nil {
				t.Fatal(err)
			}
		}
		s.Fixed(func(now ecs.Time) { // integrates its velocity
			x += Seconds(now.FixedDelta)
			s.Logical(e).Set(At(x, 0, 0))
			if inStep {
				change(now.Tick)
			}
		})
		last, fixed := 0.0, time.Duration(0)
		s.Run(1500, FPS(60, 1), func(now ecs.Time) {
			s.Near("position", s.X(e), Seconds(now.Normal), ulps(4, x))
			if s.X(e)-last > Seconds(now.NormalDelta)+ulps(8, x) {
				t.Fatalf("jumped by %v", s.X(e)-last)
			}
			if now.Fixed < fixed {
				t.Fatalf("fixed time went back from %v to %v", fixed, now.Fixed)
			}
			last, fixed = s.X(e), now.Fixed
			if !inStep {
				change(now.Tick)
			}
		})
	}
}

func TestCase51FarFromTheOrigin(t *testing.T) {
	s := NewStage(t, 60)
	e := s.Spawn(At(1e5, 0, 0))
	s.Fixed(func(now ecs.Time) { s.Logical(e).Set(At(1e5+10*Seconds(now.StepEnd), 0, 0)) })
	last := 0.0
	s.Run(2000, FPS(240, 1), func(now ecs.Time) {
		if s.X(e) < last {
			t.Fatalf("went back from %v to %v", last, s.X(e))
		}
		last = s.X(e)
		// Half a unit in the last place for each of: the two samples, the blend.
		s.Near("far out", s.X(e), 1e5+10*Seconds(now.Normal), 0.0078125)
	})
}

// ulps returns n units in the last place of a float32 of the size of x (of 1 at least).
func ulps(n, x float64) float64 {
	f := float32(math.Max(1, math.Abs(x)))
	return n * float64(math.Nextafter32(f, math.MaxFloat32)-f)
}
