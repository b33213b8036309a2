package hierarchy_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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

// plane is an engine with a hierarchy of poses in the plane.
type plane struct {
	testing.TB
	*ecs.Engine
	*rand.Rand
	h        *hierarchy.Hierarchy2D
	poses    *interpolation.Interpolator[components.Pose2D]
	logicals generic.Map1[components.Transform2D]
	visuals  generic.Map1[components.Visual2D]
	parents  generic.Map1[components.Parent]
	all      []arche.Entity
}

func newPlane(t testing.TB, seed uint64, keep bool) *plane {
	t.Helper()
	e, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		t.Fatal(err)
	}
	p := &plane{TB: t, Engine: e, Rand: rand.New(rand.NewPCG(seed, 11)), h: hierarchy.New2D(), poses: interpolation.New2D()}
	p.h.KeepOrphans = keep
	p.h.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	e.Install(p.h, p.poses)
	p.logicals = generic.NewMap1[components.Transform2D](e.World())
	p.visuals = generic.NewMap1[components.Visual2D](e.World())
	p.parents = generic.NewMap1[components.Parent](e.World())
	return p
}

func (p *plane) spawn(pose components.Pose2D, parent arche.Entity) arche.Entity {
	logical := components.NewLogical(pose)
	both := generic.NewMap2[components.Transform2D, components.Visual2D](p.World())
	e := both.NewWith(&logical, &components.Visual2D{})
	if !parent.IsZero() {
		p.parents.Add(e)
		p.parents.Get(e).Entity = parent
	}
	p.all = append(p.all, e)
	return e
}

func (p *plane) anyEntity() arche.Entity { return p.all[p.IntN(len(p.all))] }

// pose returns a pose without shear below it, so that it can be kept to the digit.
func (p *plane) pose() components.Pose2D {
	pose := components.At2D(float32(p.IntN(9)-4), float32(p.IntN(9)-4))
	pose.Rotation = float32(p.NormFloat64())
	if p.IntN(4) == 0 {
		pose.Scale = mgl32.Vec2{0.5, 0.5}
	}
	if p.IntN(6) == 0 {
		pose.Scale[0] = -pose.Scale[0]
	}
	return pose
}

// up composes by brute force.
func (p *plane) up(e arche.Entity, local func(arche.Entity) components.Pose2D) mgl32.Mat3 {
	m := mgl32.Ident3()
	for {
		m = local(e).Mat3().Mul3(m)
		if !p.World().Has(e, arche.ComponentID[components.Parent](p.World())) || p.parents.Get(e).Entity.IsZero() {
			return m
		}
		e = p.parents.Get(e).Entity
	}
}

func (p *plane) visual(e arche.Entity) components.Pose2D  { return p.visuals.Get(e).Get() }
func (p *plane) logical(e arche.Entity) components.Pose2D { return p.logicals.Get(e).Get() }

func (p *plane) near(what string, got, want mgl32.Mat3) {
	p.Helper()
	for k := range got {
		if !(math.Abs(float64(got[k]-want[k])) <= 2e-3*(1+math.Abs(float64(want[k])))) {
			p.Fatalf("%s:\n%vwant\n%v(at %+v)", what, got, want, p.Time())
		}
	}
}

func (p *plane) check() {
	p.Helper()
	for _, e := range p.all {
		p.near("drawn", p.h.VisualWorld(e), p.up(e, p.visual))
		p.near("logical", p.h.LogicalWorld(e), p.up(e, p.logical))
	}
	seen := map[arche.Entity]bool{}
	p.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat3) {
		seen[e] = true
		p.near("drawn by the pass", *m, p.up(e, p.visual))
	})
	for _, e := range p.all {
		if p.World().Has(e, arche.ComponentID[components.Parent](p.World())) && !seen[e] {
			p.Fatalf("the pass leaves out %v", e)
		}
	}
}

func (p *plane) isAncestor(a, of arche.Entity) bool {
	for e := of; !e.IsZero(); e = p.parents.Get(e).Entity {
		if e == a {
			return true
		}
		if !p.World().Has(e, arche.ComponentID[components.Parent](p.World())) {
			return false
		}
	}
	return false
}

// World poses in the plane are those composed by brute force, whatever is written, moved and
// reparented in whichever stage.
func TestPlaneAgainstBruteForce(t *testing.T) {
	for seed := range Few(uint64(12)) {
		p := newPlane(t, seed, false)
		for k := range 12 {
			var parent arche.Entity
			if k > 0 && p.IntN(4) > 0 {
				parent = p.anyEntity()
			}
			p.spawn(p.pose(), parent)
		}
		operate := func(*arche.World) {
			for range p.IntN(5) {
				e := p.anyEntity()
				switch p.IntN(6) {
				case 0:
					p.logicals.Get(e).Teleport(p.pose())
				case 1:
					p.logicals.Get(e).SetOver(p.pose(), time.Duration(p.IntN(400))*time.Millisecond)
				case 2, 3:
					parent := p.anyEntity()
					if p.IntN(4) == 0 {
						parent = arche.Entity{}
					}
					if err := p.h.Reparent(e, parent); err != nil != p.isAncestor(e, parent) || err != nil && !errors.Is(err, hierarchy.ErrCycle) {
						p.Errorf("Reparent: %v", err)
					}
				default:
					p.logicals.Get(e).Set(p.pose())
				}
			}
		}
		p.Add(ecs.FixedUpdate, ecs.SystemFunc(operate))
		p.Add(ecs.NormalUpdate, ecs.SystemFunc(operate))
		for range 60 {
			p.Update(time.Duration(p.IntN(170)) * time.Millisecond)
			for _, e := range p.all {
				p.near("drawn", p.h.VisualWorld(e), p.up(e, p.visual))
				p.near("logical", p.h.LogicalWorld(e), p.up(e, p.logical))
			}
		}
	}
}

// The pass over all members agrees with brute force right after VisualSync.
func TestPlanePropagation(t *testing.T) {
	p := newPlane(t, 3, false)
	for range 40 {
		var parent arche.Entity
		if len(p.all) > 0 {
			parent = p.anyEntity()
		}
		p.spawn(p.pose(), parent)
	}
	p.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for range 3 {
			p.logicals.Get(p.anyEntity()).Set(p.pose())
		}
	}))
	p.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) { p.check() }))
	for range 100 {
		p.Update(30 * time.Millisecond)
	}
}

// Reparent keeps the world pose of both samples: the path through the world continues, at every
// moment of the step.
func TestPlaneReparentKeepsTheWay(t *testing.T) {
	for _, inStep := range []bool{true, false} {
		p := newPlane(t, 1, false)
		turned := components.At2D(3, 1)
		turned.Rotation, turned.Scale = 1.2, mgl32.Vec2{2, 2}
		from, to := p.spawn(components.At2D(-5, 2), arche.Entity{}), p.spawn(turned, arche.Entity{})
		child := p.spawn(components.At2D(1, 0), from)
		free := p.spawn(components.At2D(-4, 2), arche.Entity{})
		move := true
		p.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if now := p.Time(); move && now.Tick < 4 {
				p.logicals.Get(child).Set(components.At2D(2+float32(now.Tick), 0))
				p.logicals.Get(free).Set(components.At2D(-3+float32(now.Tick), 2))
			}
			if inStep && p.Time().Tick == 4 {
				if err := p.h.Reparent(child, to); err != nil {
					t.Error(err)
				}
			}
		}))
		for k := range 60 {
			p.Update(10 * time.Millisecond)
			if !inStep && k == 33 {
				if err := p.h.Reparent(child, to); err != nil {
					t.Fatal(err)
				}
			}
			a, b := p.h.VisualWorld(child).Col(2), p.h.VisualWorld(free).Col(2)
			if a.Sub(b).Len() > 1e-4 {
				t.Fatalf("in a step %v: after %v the child is drawn at %v, want %v", inStep, p.Time().Normal, a, b)
			}
			if got := p.logical(child); k > 50 && p.parents.Get(child).Entity != to {
				t.Fatalf("the child is still below its old parent, at %v", got)
			}
		}
	}
}

func TestPlaneCycles(t *testing.T) {
	p := newPlane(t, 1, false)
	var text bytes.Buffer
	p.h.Log = slog.New(slog.NewTextHandler(&text, nil))
	a := p.spawn(components.At2D(1, 0), arche.Entity{})
	b := p.spawn(components.At2D(2, 0), a)
	c := p.spawn(components.At2D(4, 0), b)
	if err := p.h.Reparent(a, c); !errors.Is(err, hierarchy.ErrCycle) {
		t.Errorf("a cycle: %v", err)
	}
	p.parents.Add(a)
	p.parents.Get(a).Entity = b
	p.Update(0)
	p.Update(0)
	if n := strings.Count(text.String(), "cycle"); n != 1 {
		t.Errorf("reported %d times:\n%s", n, text.String())
	}
	for _, test := range []struct {
		e arche.Entity
		x float32
	}{{a, 1}, {b, 2}, {c, 6}} {
		if x := p.h.VisualWorld(test.e)[6]; x != test.x {
			t.Errorf("%v is drawn at %v, want %v: members of a cycle count as roots", test.e, x, test.x)
		}
	}
}

func TestPlaneDespawn(t *testing.T) {
	for _, keep := range []bool{false, true} {
		p := newPlane(t, 1, keep)
		turned := components.At2D(3, 0)
		turned.Rotation = math.Pi / 2
		root := p.spawn(turned, arche.Entity{})
		child := p.spawn(components.At2D(1, 0), root)
		leaf := p.spawn(components.At2D(1, 0), child)
		p.Update(150 * time.Millisecond)
		want := p.h.VisualWorld(leaf)
		p.World().RemoveEntity(root)
		p.Update(100 * time.Millisecond)
		if p.World().Alive(child) != keep || p.World().Alive(leaf) != keep {
			t.Fatalf("orphans stay %v: child %v, leaf %v", keep, p.World().Alive(child), p.World().Alive(leaf))
		}
		if keep {
			p.near("the leaf of an orphan", p.h.VisualWorld(leaf), want)
			p.near("its logical pose", p.h.LogicalWorld(leaf), want)
		}
	}
}

// An engine may have both hierarchies. Each says which entities it cannot serve, and an orphan with
// poses of both kinds stays where it is in both.
func TestPlaneBesideSpace(t *testing.T) {
	p := newPlane(t, 1, true)
	h3, w := hierarchy.New3D(), p.World()
	h3.KeepOrphans = true
	p.Install(interpolation.New3D(), h3)
	flat := p.spawn(components.At2D(2, 0), arche.Entity{})
	solid := components.NewLogical(components.At3D(0, 7, 0))
	solids := generic.NewMap1[components.Transform3D](w)
	deep := solids.NewWith(&solid)
	bare := w.NewEntity()
	child := p.spawn(components.At2D(1, 0), flat)
	solids.Assign(child, &solid)
	below := w.NewEntity(arche.ComponentID[components.Parent](w))
	p.parents.Get(below).Entity = flat
	p.Update(150 * time.Millisecond)
	MustSay(t, "space of a flat one", func() { h3.VisualWorld(flat) }, "cannot serve", "hierarchy.New2D")
	MustSay(t, "space of a flat one", func() { h3.LogicalWorld(flat) }, "LogicalWorld", "hierarchy.New2D")
	MustSay(t, "the plane of a deep one", func() { p.h.VisualWorld(deep) }, "cannot serve", "hierarchy.New3D")
	if m := p.h.VisualWorld(bare); m != mgl32.Ident3() {
		t.Errorf("an entity without any pose is drawn at %v, want the identity", m)
	}
	if x := p.h.VisualWorld(below)[6]; x != 2 {
		t.Errorf("an entity without a pose is drawn at %v, want that of its parent, 2", x)
	}
	if m := h3.VisualWorld(child); m[13] != 7 {
		t.Errorf("in space the child is at %v", m)
	}
	w.RemoveEntity(flat)
	p.Update(100 * time.Millisecond)
	if !w.Alive(child) || p.h.VisualWorld(child)[6] != 3 || h3.VisualWorld(child)[13] != 7 {
		t.Error("an orphan of both kinds has left its place in the plane or in space")
	}
	p.all = slices.DeleteFunc(p.all, func(e arche.Entity) bool { return !w.Alive(e) })
	p.Close()
}
