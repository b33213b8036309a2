package hierarchy_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
)

// grove runs random edits on trees, in every stage, and compares every world pose with the product
// of the local ones, composed by brute force.
type grove struct {
	*treeStage
	Chooser
	orphans bool // the children of the dead live on
	tables  *Shuffler
	all     []arche.Entity
	hidden  map[arche.Entity]bool // lost their Visual since the interpolator has looked
	failure string                // the first; reported outside of Update, which would dress it up
}

func (g *grove) fail(format string, args ...any) {
	if g.failure == "" {
		g.failure = fmt.Sprintf(format, args...)
	}
}

func (g *grove) anyEntity() arche.Entity { return g.all[g.Pick(len(g.all))] }

func (g *grove) pose() components.Pose3D {
	p := Turned(At(float64(g.Pick(9)-4), float64(g.Pick(9)-4), 1), Turn(float64(g.Pick(360)), 1, float64(g.Pick(3)), -1))
	switch g.Pick(6) {
	case 0:
		p.Scale[0] = -1 // mirrored
	case 1:
		p.Scale = mgl32.Vec3{0.5, 1.25, 1} // sheared below
	}
	return p
}

// up composes by brute force. It knows no cache and no order. Scales multiply on the way down, so
// it also returns how far the result may be off: a share of the largest number that it is made
// from.
func (g *grove) up(e arche.Entity, local func(arche.Entity) components.Pose3D) (m mgl32.Mat4, tolerance float64) {
	largest := float32(1)
	parent := arche.ComponentID[components.Parent](g.W)
	for m = mgl32.Ident4(); ; e = g.parents.Get(e).Entity {
		m = local(e).Mat4().Mul4(m)
		for _, v := range m {
			largest = max(largest, v, -v)
		}
		if !g.W.Has(e, parent) || g.parents.Get(e).Entity.IsZero() {
			return m, 5e-3 * float64(largest)
		}
	}
}

func (g *grove) logicalPose(e arche.Entity) components.Pose3D {
	if g.W.Has(e, arche.ComponentID[components.Transform3D](g.W)) {
		return g.Logical(e).Get()
	}
	return components.Identity3D()
}

func (g *grove) visualPose(e arche.Entity) components.Pose3D {
	_, sampled := g.Poses.Samples(e)
	if awaitsSamples := !sampled && g.W.Has(e, arche.ComponentID[components.Transform3D](g.W)); awaitsSamples {
		return g.logicalPose(e) // drawn there, whatever its Visual says before the next frame
	}
	if g.W.Has(e, arche.ComponentID[components.Visual3D](g.W)) {
		return g.Visual(e)
	}
	return g.logicalPose(e)
}

func (g *grove) check() {
	for _, e := range g.all {
		if g.bereft(e) {
			continue
		}
		want, tolerance := g.up(e, g.visualPose)
		if got := g.h.VisualWorld(e); !nearMat(got, want, tolerance) {
			g.fail("%v is drawn at\n%v, want\n%v", e, got, want)
		}
		if g.Pick(3) == 0 { // read some only, so that caches are of different age
			want, tolerance := g.up(e, g.logicalPose)
			if got := g.h.LogicalWorld(e); !nearMat(got, want, tolerance) {
				g.fail("%v is at\n%v, want\n%v", e, got, want)
			}
		}
	}
}

// checkPass compares the poses that one pass has made, without reading any by itself before.
func (g *grove) checkPass() {
	reported := map[arche.Entity]bool{}
	g.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
		if reported[e] {
			g.fail("%v was reported twice", e)
		}
		reported[e] = true
		if want, tolerance := g.up(e, g.visualPose); !nearMat(*m, want, tolerance) {
			g.fail("the pass has %v at\n%v, want\n%v", e, *m, want)
		}
		if g.W.Has(e, arche.ComponentID[components.Parent](g.W)) {
			if p := g.parents.Get(e).Entity; !p.IsZero() && !reported[p] {
				g.fail("%v was reported before its parent %v", e, p)
			}
		}
	})
	parent := arche.ComponentID[components.Parent](g.W)
	for _, e := range g.all {
		if g.W.Has(e, parent) && !reported[e] {
			g.fail("%v has a Parent and was not reported", e)
		}
	}
}

// bereft reports whether an ancestor is dead, which the next sweep is to find.
func (g *grove) bereft(e arche.Entity) bool {
	parent := arche.ComponentID[components.Parent](g.W)
	for g.W.Has(e, parent) && !g.parents.Get(e).Entity.IsZero() {
		if e = g.parents.Get(e).Entity; !g.W.Alive(e) {
			return true
		}
	}
	return false
}

func (g *grove) isAncestor(a, of arche.Entity) bool {
	parent := arche.ComponentID[components.Parent](g.W)
	for {
		if a == of {
			return true
		}
		if !g.W.Alive(of) || !g.W.Has(of, parent) || g.parents.Get(of).Entity.IsZero() {
			return false
		}
		of = g.parents.Get(of).Entity
	}
}

// flag gives a marker to an entity, or takes it away.
func (g *grove) flag(e arche.Entity, id arche.ID) {
	if g.W.Has(e, id) {
		g.W.Remove(e, id)
	} else {
		g.W.Add(e, id)
	}
}

// disturb moves entities to other tables, and writes those that no interpolator draws.
func (g *grove) disturb() {
	if len(g.all) == 0 {
		return
	}
	e := g.anyEntity()
	switch g.Pick(7) {
	case 0, 1:
		g.tables.Shuffle(e)
	case 2:
		g.flag(e, arche.ComponentID[components.NoInterpolation](g.W))
	case 3:
		g.flag(e, arche.ComponentID[components.InterpolateOnGPU](g.W))
	case 4:
		// the tables of this target are emptied, and used again for another
		k := g.Pick(len(g.tables.Groups))
		g.W.RemoveEntity(g.tables.Groups[k])
		g.tables.Groups[k] = g.W.NewEntity()
	case 5:
		if g.Pick(3) == 0 {
			g.Poses.SetEnabled(!g.Poses.Enabled())
		}
	case 6:
		_, sampled := g.Poses.Samples(e)
		if visual := arche.ComponentID[components.Visual3D](g.W); !sampled && g.W.Has(e, visual) {
			g.Visuals.Get(e).Set(g.pose())
		}
		if logical := arche.ComponentID[components.Transform3D](g.W); !sampled && g.W.Has(e, logical) {
			g.Logical(e).Set(g.pose())
		}
	}
}

func (g *grove) some(n int) {
	for range g.Pick(n + 1) {
		g.operate()
	}
}

func (g *grove) operate() {
	if len(g.all) == 0 || len(g.all) < 30 && g.Pick(4) == 0 {
		e := g.Spawn(g.pose())
		v := components.NewVisual(g.pose())
		switch g.Pick(6) {
		case 0: // only to be seen
			g.Logicals.Remove(e)
			*g.Visuals.Get(e) = v
		case 1: // only simulated
			g.Visuals.Remove(e)
		case 2: // a bare joint
			g.Logicals.Remove(e)
			g.Visuals.Remove(e)
		}
		if len(g.all) > 0 && g.Pick(3) > 0 {
			g.parents.Assign(e, &components.Parent{Entity: g.anyEntity()})
		}
		g.all = append(g.all, e)
		return
	}
	e := g.anyEntity()
	logical, visual := arche.ComponentID[components.Transform3D](g.W), arche.ComponentID[components.Visual3D](g.W)
	parent := arche.ComponentID[components.Parent](g.W)
	switch g.Pick(15) {
	case 0, 1, 2:
		if g.W.Has(e, logical) {
			g.Logical(e).Set(g.pose())
		} else if g.W.Has(e, visual) {
			g.Visuals.Get(e).Set(g.pose())
		}
	case 3:
		if g.W.Has(e, logical) {
			g.Logical(e).Teleport(g.pose())
		}
	case 4:
		if g.W.Has(e, logical) {
			g.Logical(e).SetOver(g.pose(), time.Duration(g.Pick(400))*time.Millisecond)
		}
	case 5: // written directly
		to := g.anyEntity()
		if g.isAncestor(e, to) {
			to = arche.Entity{}
		}
		if g.W.Has(e, parent) {
			g.parents.Get(e).Entity = to
		} else {
			g.parents.Assign(e, &components.Parent{Entity: to})
		}
	case 6, 7:
		to := g.anyEntity()
		if err := g.h.Reparent(e, to); (err != nil) != g.isAncestor(e, to) && err != nil {
			g.Fatalf("Reparent(%v, %v): %v", e, to, err)
		}
	case 8:
		if g.W.Has(e, parent) {
			g.parents.Remove(e)
		}
	case 9, 13, 14:
		g.disturb()
	case 10: // subtrees go with it
		var left []arche.Entity
		for _, o := range g.all {
			if o != e && (g.orphans || !g.isAncestor(e, o)) {
				left = append(left, o)
			}
		}
		g.all = left
		g.W.RemoveEntity(e)
	case 11:
		if g.W.Has(e, logical) {
			g.Logicals.Remove(e)
		} else {
			l := components.NewLogical(g.pose())
			g.Logicals.Assign(e, &l)
		}
	case 12:
		if g.W.Has(e, visual) {
			g.Visuals.Remove(e)
			g.hidden[e] = true
		} else if !g.hidden[e] {
			// within one stage a new visual value is not distinguished from the old one
			v := components.NewVisual(g.pose())
			g.Visuals.Assign(e, &v)
		}
	}
}

func (g *grove) frame() {
	g.some(4)
	dt := time.Duration(g.Pick(60)) * time.Millisecond
	if g.Pick(4) == 0 {
		dt = 0
	}
	g.Update(dt)
	for _, e := range g.all {
		if !g.W.Alive(e) {
			g.Fatalf("%v is gone, though none of its ancestors is", e)
		}
	}
	g.check()
	if g.failure != "" {
		g.Fatalf("%s", g.failure)
	}
}

func newGrove(t testing.TB, c Chooser, options ...func(*hierarchy.Hierarchy3D)) *grove {
	g := &grove{treeStage: newTreeStage(t, 20, options...), Chooser: c, orphans: len(options) > 0, hidden: map[arche.Entity]bool{}}
	g.tables = NewShuffler(g.W, uint64(g.Pick(1000)))
	do := func(stage ecs.Stage, order ecs.Order, f func()) {
		g.AddAt(stage, order, ecs.SystemFunc(func(*arche.World) { f() }))
	}
	do(ecs.FixedUpdate, ecs.OrderUser, func() { g.some(2) })
	do(ecs.FixedEnd, hierarchy.OrderSweep+1, func() { g.some(1) })
	do(ecs.FixedEnd, ecs.OrderCapture+1, func() { g.some(1) })
	do(ecs.NormalUpdate, ecs.OrderUser, func() { g.some(1) })
	do(ecs.VisualSync, ecs.OrderSync+1, func() {
		clear(g.hidden)
		for range g.Pick(3) {
			g.disturb()
		}
	})
	do(ecs.VisualSync, hierarchy.OrderPropagate+1, g.checkPass)
	do(ecs.VisualSync, ecs.OrderUser, g.check)
	do(ecs.Render, ecs.OrderUser, func() { g.some(1) })
	return g
}

// Wherever an edit happens, every world pose is the product of the local ones, by the pass and on
// demand.
func TestRandomEditsOfTreesAgainstBruteForce(t *testing.T) {
	for name, options := range map[string][]func(*hierarchy.Hierarchy3D){"subtrees go": nil, "orphans stay": {keepOrphans}} {
		t.Run(name, func(t *testing.T) {
			for seed := range Few(uint64(30)) {
				g := newGrove(t, SeededChooser{Rand: rand.New(rand.NewPCG(seed, 7))}, options...)
				t.Logf("seed %d", seed)
				for range 150 {
					g.frame()
				}
			}
		})
	}
}

func TestShortRandomEditsOfTrees(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		g := newGrove(rapidTB{outer, t}, RapidChooser{T: t})
		for range rapid.IntRange(1, 12).Draw(t, "frames") {
			g.frame()
		}
	})
}

// rapidTB lets helpers that want a testing.TB fail a rapid check.
type rapidTB struct {
	testing.TB
	t *rapid.T
}

func (r rapidTB) Helper()                           {}
func (r rapidTB) Fatal(args ...any)                 { r.t.Fatal(args...) }
func (r rapidTB) Fatalf(format string, args ...any) { r.t.Fatalf(format, args...) }
