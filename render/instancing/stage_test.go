package instancing_test

import (
	"math"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/instancing"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// stage is an engine with bodies. They are the same entities on all stages that are treated alike.
type stage struct {
	engine   *ecs.Engine
	poses    *interpolation.Interpolator[components.Pose3D]
	batcher  *instancing.Batcher // nil on a stage without instances
	batches  [2]*render.MotionBatch
	bodies   generic.Map2[components.Transform3D, components.Visual3D]
	marker   arche.ID
	instance arche.ID
	parent   arche.ID
}

func newStage(t tester, withBatcher bool) *stage {
	t.Helper()
	e, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := &stage{engine: e, poses: interpolation.New3D()}
	e.Install(s.poses)
	w := e.World()
	s.bodies = generic.NewMap2[components.Transform3D, components.Visual3D](w)
	s.marker = arche.ComponentID[components.InterpolateOnGPU](w)
	s.instance = arche.ComponentID[instancing.Instance](w)
	s.parent = arche.ComponentID[components.Parent](w)
	for k := range s.batches {
		s.batches[k] = render.NewMotionBatch(render.Cube, render.Solid, render.Color{R: uint8(k)})
	}
	if withBatcher {
		s.batcher = instancing.New(s.poses, func(e arche.Entity) *render.MotionBatch { return s.batches[e.ID()/4%2] })
		s.batcher.Paint = colorOf
		e.Install(s.batcher)
	}
	return s
}

// colorOf gives each body a colour of its own, by its x.
func colorOf(colors []render.Color, _ []arche.Entity, to []components.Pose3D) {
	for k := range colors {
		colors[k] = render.Color{R: uint8(int(to[k].Position[0]))}
	}
}

func (s *stage) spawn(x float32) arche.Entity {
	l := components.NewLogical(components.At3D(x, 0, 0))
	return s.bodies.NewWith(&l, &components.Visual3D{})
}

func (s *stage) mark(e arche.Entity, on bool) {
	if w := s.engine.World(); w.Has(e, s.marker) != on {
		if on {
			w.Add(e, s.marker)
		} else {
			w.Remove(e, s.marker)
		}
	}
}

func (s *stage) logical(e arche.Entity) *components.Transform3D {
	l, _ := s.bodies.Get(e)
	return l
}

func (s *stage) visual(e arche.Entity) components.Pose3D {
	_, v := s.bodies.Get(e)
	return v.Get()
}

// drawn returns the poses that a picture would show: of all instances, and the visual values of all
// other bodies.
func (s *stage) drawn(t tester, living []arche.Entity) map[float32]components.Pose3D {
	s.batcher.Update()
	// by colour: each body keeps its own
	poses := map[float32]components.Pose3D{}
	w := s.engine.World()
	instances := 0
	for _, e := range living {
		if w.Has(e, s.instance) {
			instances++
		}
	}
	if n := s.batches[0].Len() + s.batches[1].Len(); n != instances || n != s.batcher.Len() {
		t.Fatalf("%d instances in the batches, %d by the batcher's count, %d entities with one", n, s.batcher.Len(), instances)
	}
	for _, b := range s.batches {
		colors := b.View().Colors
		for row := range b.Len() {
			poses[float32(colors[row].R)] = b.Pose(row)
		}
	}
	if len(poses) != instances {
		t.Fatalf("%d instances show %d bodies", instances, len(poses))
	}
	for _, e := range living {
		if w.Has(e, s.instance) {
			continue
		}
		p := s.visual(e)
		key := s.logical(e).Get().Position[0]
		if _, twice := poses[key]; twice {
			t.Fatalf("body %v is drawn by both ways", key)
		}
		poses[key] = p
	}
	return poses
}

type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// near allows for a batch's times, which are rounded to a microsecond.
func near(a, b components.Pose3D) bool { return nearBy(a, b, 0) }

// nearBy is near for positions that may be further apart by a slack.
func nearBy(a, b components.Pose3D, slack float32) bool {
	return a.Position.Sub(b.Position).Len() < 5e-3+slack && math.Abs(float64(a.Rotation.Dot(b.Rotation))) > 1-1e-5
}

// allRise moves all bodies up by one in every step.
func (s *stage) allRise() {
	filter := generic.NewFilter1[components.Transform3D]()
	s.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		for q := filter.Query(w); q.Next(); {
			l := q.Get()
			v := l.Get()
			v.Position[1]++
			l.Set(v)
		}
	}))
}
