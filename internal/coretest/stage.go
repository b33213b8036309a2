// Package coretest holds what the tests of the core share: an engine with interpolated poses and
// short methods for it, schedules of frames, and changes of tables.
package coretest

import (
	"math"
	"slices"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Stage is an engine with interpolated poses, with short methods for tests.
type Stage struct {
	testing.TB
	*ecs.Engine
	W     *arche.World
	Poses *interpolation.Interpolator[components.Pose3D]

	Logicals generic.Map1[components.Transform3D]
	Visuals  generic.Map1[components.Visual3D]
}

func NewStage(t testing.TB, rate int, plugins ...ecs.Plugin) *Stage {
	t.Helper()
	return NewStageWith(t, ecs.Config{FixedRate: rate}, plugins...)
}

func NewStageWith(t testing.TB, c ecs.Config, plugins ...ecs.Plugin) *Stage {
	t.Helper()
	e, err := ecs.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &Stage{TB: t, Engine: e, W: e.World(), Poses: interpolation.New3D()}
	own := slices.ContainsFunc(plugins, func(p ecs.Plugin) bool {
		ip, ok := p.(*interpolation.Interpolator[components.Pose3D])
		if ok {
			s.Poses = ip
		}
		return ok
	})
	if !own {
		e.Install(s.Poses)
	}
	e.Install(plugins...)
	s.Logicals = generic.NewMap1[components.Transform3D](s.W)
	s.Visuals = generic.NewMap1[components.Visual3D](s.W)
	return s
}

// Spawn makes an entity with a logical and a visual pose. The visual one is left zero, as the
// documentation allows.
func (s *Stage) Spawn(p components.Pose3D) arche.Entity {
	m := generic.NewMap2[components.Transform3D, components.Visual3D](s.W)
	e := m.New()
	l, _ := m.Get(e)
	*l = components.NewLogical(p)
	return e
}

func (s *Stage) Logical(e arche.Entity) *components.Transform3D { return s.Logicals.Get(e) }
func (s *Stage) Visual(e arche.Entity) components.Pose3D        { return s.Visuals.Get(e).Get() }
func (s *Stage) X(e arche.Entity) float64                       { return float64(s.Visual(e).Position[0]) }

// Fixed runs f in every fixed step.
func (s *Stage) Fixed(f func(now ecs.Time)) {
	s.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { f(s.Time()) }))
}

// Run makes n frames of the schedule and calls check after each.
func (s *Stage) Run(n int, schedule Schedule, check func(now ecs.Time)) {
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

func At(x, y, z float64) components.Pose3D {
	return components.At3D(float32(x), float32(y), float32(z))
}

func Seconds(d time.Duration) float64 { return d.Seconds() }

// Near fails the test unless got is within tol of want; a NaN never is.
func (s *Stage) Near(what string, got, want, tol float64) {
	s.Helper()
	if !(math.Abs(got-want) <= tol) {
		s.Fatalf("%s = %v, want %v within %v (normal %v, tick %d)", what, got, want, tol, s.Time().Normal, s.Time().Tick)
	}
}

func (s *Stage) Scale(x float64) {
	s.Helper()
	if err := s.SetScale(x); err != nil {
		s.Fatal(err)
	}
}

func MoveX(d float64) func(components.Pose3D) components.Pose3D {
	return func(p components.Pose3D) components.Pose3D {
		p.Position[0] += float32(d)
		return p
	}
}
