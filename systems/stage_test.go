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

// stage is an engine with interpolated poses, and short words for what the tests do with it.
type stage struct {
	testing.TB
	*ecs.Engine
	w  *arche.World
	ip *systems.Interpolator[components.Pose3D]

	logicals generic.Map1[components.Transform3D]
	visuals  generic.Map1[components.Visual3D]
}

func newStage(t testing.TB, rate int, plugins ...ecs.Plugin) *stage {
	t.Helper()
	return newStageWith(t, ecs.Config{FixedRate: rate}, plugins...)
}

func newStageWith(t testing.TB, c ecs.Config, plugins ...ecs.Plugin) *stage {
	t.Helper()
	e, err := ecs.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{TB: t, Engine: e, w: e.World(), ip: systems.Interpolation3D()}
	e.Install(s.ip)
	e.Install(plugins...)
	s.logicals = generic.NewMap1[components.Transform3D](s.w)
	s.visuals = generic.NewMap1[components.Visual3D](s.w)
	return s
}

// spawn makes an entity with a logical and a visual pose. The visual one is left zero, as the documentation allows.
func (s *stage) spawn(p components.Pose3D) arche.Entity {
	m := generic.NewMap2[components.Transform3D, components.Visual3D](s.w)
	e := m.New()
	l, _ := m.Get(e)
	*l = components.NewLogical(p)
	return e
}

func (s *stage) logical(e arche.Entity) *components.Transform3D { return s.logicals.Get(e) }
func (s *stage) visual(e arche.Entity) components.Pose3D        { return s.visuals.Get(e).Get() }
func (s *stage) x(e arche.Entity) float64                       { return float64(s.visual(e).Position[0]) }

// fixed runs f in every fixed step.
func (s *stage) fixed(f func(now ecs.Time)) {
	s.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { f(s.Time()) }))
}

// run makes n frames of the schedule and calls check after each.
func (s *stage) run(n int, schedule schedule, check func(now ecs.Time)) {
	s.Helper()
	for i := range n {
		s.Update(schedule(i))
		if now := s.Time(); now.Fixed <= now.Normal {
			s.Fatalf("fixed %v is not ahead of normal %v", now.Fixed, now.Normal)
		}
		if check != nil {
			check(s.Time())
		}
	}
}

func at(x, y, z float64) components.Pose3D {
	return components.At3D(float32(x), float32(y), float32(z))
}

func seconds(d time.Duration) float64 { return d.Seconds() }

// ulps returns n units in the last place of a float32 of the size of x (of 1 at least).
func ulps(n, x float64) float64 {
	f := float32(math.Max(1, math.Abs(x)))
	return n * float64(math.Nextafter32(f, math.MaxFloat32)-f)
}

// near fails the test unless got is within tol of want; a NaN never is.
func (s *stage) near(what string, got, want, tol float64) {
	s.Helper()
	if !(math.Abs(got-want) <= tol) {
		s.Fatalf("%s = %v, want %v within %v (normal %v, tick %d)", what, got, want, tol, s.Time().Normal, s.Time().Tick)
	}
}
