package motion_test

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
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/motion"
)

func TestTurnWithoutADirection(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	half := mgl32.Quat{W: 0.5}
	for name, c := range map[string]struct {
		rotation mgl32.Quat
		angular  mgl32.Vec3
	}{
		"too short, at rest": {half, mgl32.Vec3{}},
		"zero, at rest":      {mgl32.Quat{}, mgl32.Vec3{}},
		"zero, turning":      {mgl32.Quat{}, mgl32.Vec3{0, 1, 0}},
		"no number":          {mgl32.QuatIdent(), mgl32.Vec3{nan, 0, 0}},
		"infinite":           {mgl32.QuatIdent(), mgl32.Vec3{0, inf, 0}},
	} {
		if got := motion.Turn(c.rotation, c.angular, 0.5); got != mgl32.QuatIdent() {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := motion.Turn(TurnY(40), mgl32.Vec3{}, 1); got != TurnY(40) {
		t.Errorf("at rest: %v, want %v", got, TurnY(40))
	}
}

func TestMotionIntegratesVelocities(t *testing.T) {
	s := NewStage(t, 50, motion.New3D(), motion.New2D(), interpolation.New2D())
	velocities := generic.NewMap1[components.Velocity3D](s.W)
	mover, idle := s.Spawn(components.Identity3D()), s.Spawn(components.Identity3D())
	velocities.Assign(mover, &components.Velocity3D{Linear: mgl32.Vec3{1, -2, 3}, Angular: mgl32.Vec3{0, 2, 0}})
	velocities.Assign(idle, &components.Velocity3D{})
	flat := generic.NewMap3[components.Transform2D, components.Visual2D, components.Velocity2D](s.W)
	l := components.NewLogical(components.Identity2D())
	disc := flat.NewWith(&l, &components.Visual2D{}, &components.Velocity2D{Linear: mgl32.Vec2{1, -2}, Angular: -20})
	s.Update(0)
	revision := s.Logical(idle).Revision()
	s.Run(500, FPS(144, 1), func(now ecs.Time) {
		tm := Seconds(now.Normal)
		v := s.Visual(mover)
		if want := (mgl32.Vec3{float32(tm), float32(-2 * tm), float32(3 * tm)}); v.Position.Sub(want).Len() > 1e-3 {
			t.Fatalf("at %v, want %v", v.Position, want)
		}
		if d := DegreesApart(v.Rotation, TurnY(2*tm*180/math.Pi)); !(d < 0.02) {
			t.Fatalf("turned %v degrees off", d)
		}
		_, dv, _ := flat.Get(disc)
		s.Near("disc", float64(dv.Get().Position[1]), -2*tm, 1e-4)
		if off := math.Remainder(float64(dv.Get().Rotation)+20*tm, 2*math.Pi); math.Abs(off) > 1e-3 {
			t.Fatalf("the disc's angle is %v off", off)
		}
	})
	if s.Logical(idle).Revision() != revision {
		t.Error("a body without velocity was written")
	}
	if r := flat; math.Abs(float64(func() float32 { l, _, _ := r.Get(disc); return l.Get().Rotation }())) > math.Pi+1e-5 {
		t.Error("an angle grows without bound")
	}
}

// A body that appears in motion makes one step's way in its first step if package motion runs
// before the system that makes it, and two if it runs after it, as New3D says.
func TestMotionRunsInItsPlaceAmongTheSystems(t *testing.T) {
	for _, c := range []struct {
		what  string
		after bool // motion runs after the system
		want  float32
	}{{"motion first", false, 5}, {"motion last", true, 10}} {
		engine := MustEngine(20, interpolation.New2D())
		shots := generic.NewMap3[components.Transform2D, components.Visual2D, components.Velocity2D](engine.World())
		var shot arche.Entity
		if !c.after {
			engine.Install(motion.New2D())
		}
		engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if shot.IsZero() {
				logical, visual := components.InMotion(components.At2D(0, 0), components.At2D(5, 0))
				shot = shots.NewWith(&logical, &visual, &components.Velocity2D{Linear: mgl32.Vec2{100, 0}})
			}
		}))
		if c.after {
			engine.Install(motion.New2D())
		}
		engine.Update(time.Millisecond)
		if logical, _, _ := shots.Get(shot); logical.Get().Position[0] != c.want {
			t.Errorf("%s: the step ends at %v, want %v", c.what, logical.Get().Position[0], c.want)
		}
	}
}
