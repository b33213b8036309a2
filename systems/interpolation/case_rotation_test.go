package interpolation_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// between two poses written in steps 0 and 1, at each tenth of the second step.
func tenths(s *Stage, from, to components.Pose3D, check func(f float64, v components.Pose3D)) {
	s.Helper()
	e := s.Spawn(from)
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 1 {
			s.Logical(e).Set(to)
		}
	})
	s.Update(0)
	s.Update(100 * time.Millisecond)
	for k := range 10 {
		check(float64(k)/10, s.Visual(e))
		s.Update(10 * time.Millisecond)
	}
	check(1, s.Visual(e))
}

func TestCase27RotationsTakeTheShortestArc(t *testing.T) {
	s := NewStage(t, 10)
	tenths(s, Turned(At(0, 0, 0), TurnY(170)), Turned(At(0, 0, 0), TurnY(-170)), func(f float64, v components.Pose3D) {
		if d := DegreesApart(v.Rotation, TurnY(170+20*f)); !(d <= 0.01) {
			t.Errorf("170 to -170 degrees at %v is %v degrees off", f, d)
		}
	})
	s = NewStage(t, 10)
	q := Turn(57, 3, -1, 2)
	tenths(s, Turned(At(0, 0, 0), q), Turned(At(0, 0, 0), q.Scale(-1)), func(f float64, v components.Pose3D) {
		if d := DegreesApart(v.Rotation, q); !(d <= 1e-4) {
			t.Errorf("q to -q at %v has moved by %v degrees", f, d)
		}
	})
	for step := 0.0; step <= 90; step += 7.5 {
		s = NewStage(t, 10)
		from := Turn(40, 1, 5, -2)
		tenths(s, Turned(At(0, 0, 0), from), Turned(At(0, 0, 0), Turn(step, 2, 1, 1).Mul(from)), func(f float64, v components.Pose3D) {
			if d := DegreesApart(v.Rotation, Turn(step*f, 2, 1, 1).Mul(from)); !(d <= 0.01) {
				t.Errorf("%v degrees at %v is %v degrees off", step, f, d)
			}
		})
	}
}

func TestCase28AnglesTakeTheShorterWay(t *testing.T) {
	for _, test := range []struct{ from, to, half float64 }{
		{350, 10, 0}, {10, 350, 0}, {-170, 170, 180}, {0, 90, 45}, {3610, -3610, 0}, {720, 0, 0}, {100, 279, 189.5}, {100, 281, 10.5},
	} {
		e, err := ecs.New(ecs.Config{FixedRate: 10})
		if err != nil {
			t.Fatal(err)
		}
		e.Install(interpolation.New2D())
		m := generic.NewMap2[components.Transform2D, components.Visual2D](e.World())
		body := m.New()
		l, _ := m.Get(body)
		angle := func(degrees float64) components.Pose2D {
			p := components.At2D(1, 2)
			p.Rotation = float32(degrees * math.Pi / 180)
			return p
		}
		*l = components.NewLogical(angle(test.from))
		e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if e.Time().Tick == 1 {
				l, _ := m.Get(body)
				l.Set(angle(test.to))
			}
		}))
		e.Update(0)
		e.Update(150 * time.Millisecond)
		_, v := m.Get(body)
		got := float64(v.Get().Rotation) * 180 / math.Pi
		if off := math.Remainder(got-test.half, 360); math.Abs(off) > 1e-3 {
			t.Errorf("%v to %v degrees halfway = %v, want %v", test.from, test.to, got, test.half)
		}
		e.Update(100 * time.Millisecond)
		if _, v := m.Get(body); v.Get() != angle(test.to) {
			t.Errorf("%v to %v degrees arrived at %v, want %v to the bit", test.from, test.to, v.Get(), angle(test.to))
		}
	}
}

// A rotation that is not finite is refused: the pose before stays.
func TestCase29DegenerateRotations(t *testing.T) {
	finite := func(q mgl32.Quat) bool { return Turned(At(0, 0, 0), q).IsFinite() }
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	bad := []mgl32.Quat{
		TurnY(0), TurnY(180), TurnY(-180), TurnY(90), Turn(180, 1, 0, 0), {}, {W: 1.01}, TurnY(77).Scale(1.01), TurnY(77).Scale(1e-18), TurnY(77).Scale(1e18),
		{W: 1e-30}, {W: inf}, {W: nan}, {V: mgl32.Vec3{nan, 0, 0}}, {W: -1},
	}
	for _, from := range bad {
		for _, to := range bad {
			s := NewStage(t, 10)
			tenths(s, Turned(At(0, 0, 0), from), Turned(At(0, 0, 0), to), func(f float64, v components.Pose3D) {
				if n := length(v.Rotation); !(math.Abs(n-1) <= 1e-6) {
					t.Fatalf("%v to %v at %v has length %v", from, to, f, n)
				}
				for end, q := range map[float64]mgl32.Quat{0: from, 1: to} {
					if f == end {
						if end == 1 && !finite(to) && finite(from) {
							q = from
						}
						// At zero signs of zeros may differ, which == forgives.
						if want := components.NormalizeQuat(q); v.Rotation != want {
							t.Errorf("%v to %v ends at %v, want %v", from, to, v.Rotation, want)
						}
					}
				}
			})
		}
	}
}

// The simulation reads the value that it wrote: only samples are normalised.
func TestGetReturnsTheSetValue(t *testing.T) {
	s := NewStage(t, 10)
	long := Turned(At(1, 2, 3), TurnY(30).Scale(3))
	e, born := s.Spawn(At(0, 0, 0)), s.Spawn(long)
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 1 {
			s.Logical(e).Set(long)
		}
	})
	s.Run(20, FPS(60, 1), nil)
	for _, entity := range []arche.Entity{e, born} {
		if got := s.Logical(entity).Get(); got != long {
			t.Errorf("the logical pose is %v, want %v as written", got, long)
		}
		if n := length(s.Visual(entity).Rotation); !(math.Abs(n-1) <= 1e-6) {
			t.Errorf("the drawn rotation has length %v", n)
		}
	}
}

func TestCase31ScalesAreBlendedStraight(t *testing.T) {
	from, to := components.Identity3D(), components.Identity3D()
	from.Scale, to.Scale = mgl32.Vec3{1, 1, 0}, mgl32.Vec3{3, -1, 0}
	s := NewStage(t, 10, hierarchy.New3D())
	tenths(s, from, to, func(f float64, v components.Pose3D) {
		want := mgl32.Vec3{float32(1 + 2*f), float32(1 - 2*f), 0}
		if !v.Scale.ApproxEqualThreshold(want, 1e-6) || v.Rotation != mgl32.QuatIdent() {
			t.Errorf("at %v: scale %v and rotation %v, want %v and none", f, v.Scale, v.Rotation, want)
		}
		for _, m := range v.Mat4() {
			if m != m || math.IsInf(float64(m), 0) {
				t.Errorf("at %v: the matrix of %v is not finite", f, v)
			}
		}
	})
}

// length returns the length of a quaternion.
func length(q mgl32.Quat) float64 {
	return math.Sqrt(float64(q.W)*float64(q.W) + float64(q.V[0])*float64(q.V[0]) + float64(q.V[1])*float64(q.V[1]) + float64(q.V[2])*float64(q.V[2]))
}
