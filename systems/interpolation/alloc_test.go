package interpolation_test

import (
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
	"github.com/tandem-ecs/tandem/systems/motion"
)

// herd is many bodies of one kind, in a table of their own.
type herd struct {
	filter *generic.Filter1[components.Transform3D]
	write  func(l *components.Transform3D, k float32, now ecs.Time)
	now    *ecs.Engine
}

func (h *herd) Initialize(*arche.World) {}
func (h *herd) Finalize(*arche.World)   {}
func (h *herd) Update(w *arche.World) {
	now := h.now.Time()
	query := h.filter.Query(w)
	for k := float32(0); query.Next(); k++ {
		h.write(query.Get(), k, now)
	}
}

// addHerd spawns n bodies with the marker M and a system that writes them in every step.
func addHerd[M any](s *Stage, n int, write func(l *components.Transform3D, k float32, now ecs.Time)) {
	m := generic.NewMap3[components.Transform3D, components.Visual3D, M](s.W)
	query := m.NewBatchQ(n)
	for k := float32(0); query.Next(); k++ {
		l, _, _ := query.Get()
		p := components.At3D(k, 0, 0)
		p.Rotation = mgl32.QuatRotate(k, mgl32.Vec3{0, 1, 0})
		*l = components.NewLogical(p)
	}
	if write != nil {
		filter := generic.NewFilter1[components.Transform3D]()
		s.Add(ecs.FixedUpdate, &herd{filter: filter.With(generic.T[M]()), write: write, now: s.Engine})
	}
}

// Kinds of bodies.
type (
	walker  struct{ _ int8 }
	slowly  struct{ _ int8 }
	sleeper struct{ _ int8 }
	member  struct{ _ int8 }
	patient struct{ _ int8 }
)

// Case 55. A frame and a step of a hundred thousand moving bodies allocate nothing, beside others
// that move slowly, rest, are being mended, or form a tree.
func TestCase55NoAllocationsInSteadyState(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 1000
	}
	h := hierarchy.New3D()
	s := NewStage(t, 60, h)
	addHerd[walker](s, n, func(l *components.Transform3D, k float32, now ecs.Time) {
		p := l.Get()
		p.Position[0] = k + float32(now.Tick)
		l.Set(p)
	})
	addHerd[slowly](s, n/10, func(l *components.Transform3D, k float32, now ecs.Time) {
		if now.Tick%4 == 0 {
			p := l.Get()
			p.Position[1] = float32(now.Tick)
			l.SetOver(p, 66*time.Millisecond)
		}
	})
	addHerd[patient](s, n/100, func(l *components.Transform3D, k float32, now ecs.Time) {
		p := l.Get()
		p.Position[1] = float32(now.Tick)
		if now.Tick%8 == 0 {
			l.Correct(p)
		} else {
			l.Set(p)
		}
	})
	addHerd[sleeper](s, n, nil)
	// A tree of ten thousand, of which a part moves.
	addHerd[member](s, n/10, func(l *components.Transform3D, k float32, now ecs.Time) {
		if int(k)%16 == int(now.Tick)%16 {
			p := l.Get()
			p.Position[2] = float32(now.Tick)
			l.Set(p)
		}
	})
	var members []arche.Entity
	filter := generic.NewFilter1[member]()
	query := filter.Query(s.W)
	for query.Next() {
		members = append(members, query.Entity())
	}
	parents := generic.NewMap1[components.Parent](s.W)
	for k, e := range members {
		if k > 0 {
			parents.Assign(e, &components.Parent{Entity: members[k/3]})
		}
	}
	s.Run(20, FPS(60, 1), nil)
	moved := 0
	count := func(arche.Entity, *mgl32.Mat4) { moved++ }
	for name, frame := range map[string]time.Duration{
		"a frame without a step":  0,
		"a frame with a step":     16_666_667,
		"a frame with two":        33_333_334,
		"a frame in between":      time.Millisecond,
		"a frame that drops time": time.Second,
	} {
		if allocs := testing.AllocsPerRun(5, func() { s.Update(frame); h.EachVisualWorld(count) }); allocs != 0 {
			t.Errorf("%s allocates %v times", name, allocs)
		}
	}
	s.Poses.SetEnabled(false)
	if allocs := testing.AllocsPerRun(5, func() { s.Update(time.Millisecond) }); allocs != 0 {
		t.Errorf("without interpolation a frame allocates %v times", allocs)
	}
	s.Poses.SetEnabled(true)
	if allocs := testing.AllocsPerRun(5, func() {
		s.Poses.Shift(func(p components.Pose3D) components.Pose3D { return p })
	}); allocs > 20 { // a handful for the queries; none per entity
		t.Errorf("a shift of everything allocates %v times", allocs)
	}
	for _, e := range []arche.Entity{members[0], members[len(members)-1]} {
		if allocs := testing.AllocsPerRun(5, func() { h.VisualWorld(e); h.LogicalWorld(e) }); allocs != 0 {
			t.Errorf("reading a world pose allocates %v times", allocs)
		}
	}
	if moved == 0 {
		t.Error("the tree is empty")
	}
}

// The same for other types than poses in space, and with relation tables.
func TestNoAllocationsOfOtherKinds(t *testing.T) {
	colours := interpolation.New(func(a, b colour, f float32) colour {
		return colour{a.R + (b.R-a.R)*f, a.G + (b.G-a.G)*f, a.B + (b.B-a.B)*f}
	})
	s := NewStage(t, 60, interpolation.New2D(), colours, motion.New2D(), motion.New3D())
	logical, visual := arche.ComponentID[components.Logical[colour]](s.W), arche.ComponentID[components.Visual[colour]](s.W)
	g := arche.ComponentID[Group](s.W)
	var lights []arche.Entity
	targets := []arche.Entity{s.W.NewEntity(), s.W.NewEntity(), s.W.NewEntity()}
	for k := range 3000 {
		e := s.W.NewEntity(logical, visual, g)
		s.W.Relations().Set(e, g, targets[k%3])
		lights = append(lights, e)
		flat := generic.NewMap3[components.Transform2D, components.Visual2D, components.Velocity2D](s.W)
		spin := components.Velocity2D{Linear: mgl32.Vec2{1, 2}, Angular: 3}
		l := components.NewLogical(components.Identity2D())
		flat.NewWith(&l, &components.Visual2D{}, &spin)
	}
	s.Fixed(func(now ecs.Time) {
		for _, e := range lights {
			(*components.Logical[colour])(s.W.Get(e, logical)).Set(colour{R: float32(now.Tick)})
		}
	})
	s.Run(20, FPS(60, 1), nil)
	if allocs := testing.AllocsPerRun(20, func() { s.Update(16_666_667) }); allocs != 0 {
		t.Errorf("a frame allocates %v times", allocs)
	}
}

// Rockets that come and go allocate no more than entities that appear at rest and are despawned at
// once: what arche takes to attach samples.
func TestRocketsAllocateNothing(t *testing.T) {
	measure := func(inMotion bool) float64 {
		s := NewStage(t, 20)
		both := generic.NewMap2[components.Transform3D, components.Visual3D](s.W)
		var last []arche.Entity
		fired := 0
		s.Fixed(func(now ecs.Time) {
			for _, e := range last {
				s.Commands().Despawn(e)
			}
			last = last[:0]
			for k := range 50 {
				l, v := components.NewLogical(At(float64(k), 0, 0)), components.Visual3D{}
				if inMotion {
					l, v = components.InMotion(At(float64(k), 0, 0), At(float64(k)+1, 0, 0))
				}
				e := both.NewWith(&l, &v)
				fired++
				if !inMotion {
					last = append(last, e)
					continue
				}
				left := time.Duration(10+3*k) * time.Millisecond
				s.Logical(e).SetOver(At(float64(k)+5, 0, 0), left)
				s.Commands().DespawnAfter(e, left)
			}
		})
		s.Run(200, Constant(50*time.Millisecond), nil)
		fired = 0
		allocs := testing.AllocsPerRun(100, func() { s.Update(50 * time.Millisecond) })
		if fired != 50*101 {
			t.Fatalf("%d were fired", fired)
		}
		return allocs
	}
	if got, atRest := measure(true), measure(false); got > atRest {
		t.Errorf("a step allocates %v times, and %v times for entities that appear at rest", got, atRest)
	}
}
