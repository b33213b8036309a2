package systems_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

// grove runs random edits on trees and compares every world pose with the product of the local ones, composed by brute force.
type grove struct {
	*family
	chooser
	all    []arche.Entity
	hidden map[arche.Entity]bool // lost their Visual since the last frame
}

func (g *grove) anybody() arche.Entity { return g.all[g.pick(len(g.all))] }

func (g *grove) pose() components.Pose3D {
	p := turned(at(float64(g.pick(9)-4), float64(g.pick(9)-4), 1), turn(float64(g.pick(360)), 1, float64(g.pick(3)), -1))
	switch g.pick(6) {
	case 0:
		p.Scale[0] = -1 // mirrored
	case 1:
		p.Scale = mgl32.Vec3{0.5, 1.25, 1} // sheared below
	}
	return p
}

// up composes by brute force. It knows no cache and no order.
func (g *grove) up(e arche.Entity, local func(arche.Entity) components.Pose3D) mgl32.Mat4 {
	m := local(e).Mat4()
	parent := arche.ComponentID[components.Parent](g.w)
	for g.w.Has(e, parent) && !g.parents.Get(e).Entity.IsZero() {
		e = g.parents.Get(e).Entity
		m = local(e).Mat4().Mul4(m)
	}
	return m
}

func (g *grove) logicalPose(e arche.Entity) components.Pose3D {
	if g.w.Has(e, arche.ComponentID[components.Transform3D](g.w)) {
		return g.logical(e).Get()
	}
	return components.Identity3D()
}

func (g *grove) visualPose(e arche.Entity) components.Pose3D {
	if g.w.Has(e, arche.ComponentID[components.Visual3D](g.w)) {
		return g.visual(e)
	}
	return g.logicalPose(e)
}

func (g *grove) check() {
	for _, e := range g.all {
		if got, want := g.h.VisualWorld(e), g.up(e, g.visualPose); !nearMat(got, want, 5e-3) {
			g.Fatalf("%v is drawn at\n%v, want\n%v", e, got, want)
		}
		if g.pick(3) == 0 { // read some only, so that caches are of different age
			if got, want := g.h.LogicalWorld(e), g.up(e, g.logicalPose); !nearMat(got, want, 5e-3) {
				g.Fatalf("%v is at\n%v, want\n%v", e, got, want)
			}
		}
	}
}

// checkPass compares the poses that one pass has made, without reading any by itself before.
func (g *grove) checkPass() {
	told := map[arche.Entity]bool{}
	g.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
		if told[e] {
			g.Fatalf("%v was told of twice", e)
		}
		told[e] = true
		if want := g.up(e, g.visualPose); !nearMat(*m, want, 5e-3) {
			g.Fatalf("the pass has %v at\n%v, want\n%v", e, *m, want)
		}
		if g.w.Has(e, arche.ComponentID[components.Parent](g.w)) {
			if p := g.parents.Get(e).Entity; !p.IsZero() && !told[p] {
				g.Fatalf("%v was told of before its parent %v", e, p)
			}
		}
	})
	parent := arche.ComponentID[components.Parent](g.w)
	for _, e := range g.all {
		if g.w.Has(e, parent) && !told[e] {
			g.Fatalf("%v has a Parent and was not told of", e)
		}
	}
}

func (g *grove) isAncestor(a, of arche.Entity) bool {
	parent := arche.ComponentID[components.Parent](g.w)
	for {
		if a == of {
			return true
		}
		if !g.w.Has(of, parent) || g.parents.Get(of).Entity.IsZero() {
			return false
		}
		of = g.parents.Get(of).Entity
	}
}

func (g *grove) operate() {
	if len(g.all) == 0 || len(g.all) < 30 && g.pick(4) == 0 {
		e := g.spawn(g.pose())
		v := components.NewVisual(g.pose())
		switch g.pick(6) {
		case 0: // only to be seen
			g.logicals.Remove(e)
			*g.visuals.Get(e) = v
		case 1: // only simulated
			g.visuals.Remove(e)
		case 2: // a bare joint
			g.logicals.Remove(e)
			g.visuals.Remove(e)
		}
		if len(g.all) > 0 && g.pick(3) > 0 {
			g.parents.Assign(e, &components.Parent{Entity: g.anybody()})
		}
		g.all = append(g.all, e)
		return
	}
	e := g.anybody()
	logical, visual := arche.ComponentID[components.Transform3D](g.w), arche.ComponentID[components.Visual3D](g.w)
	parent := arche.ComponentID[components.Parent](g.w)
	switch g.pick(13) {
	case 0, 1, 2:
		if g.w.Has(e, logical) {
			g.logical(e).Set(g.pose())
		} else if g.w.Has(e, visual) {
			g.visuals.Get(e).Set(g.pose())
		}
	case 3:
		if g.w.Has(e, logical) {
			g.logical(e).Teleport(g.pose())
		}
	case 4:
		if g.w.Has(e, logical) {
			g.logical(e).SetOver(g.pose(), time.Duration(g.pick(400))*time.Millisecond)
		}
	case 5: // written directly
		to := g.anybody()
		if g.isAncestor(e, to) {
			to = arche.Entity{}
		}
		if g.w.Has(e, parent) {
			g.parents.Get(e).Entity = to
		} else {
			g.parents.Assign(e, &components.Parent{Entity: to})
		}
	case 6, 7:
		to := g.anybody()
		if err := g.h.Reparent(e, to); (err != nil) != g.isAncestor(e, to) && err != nil {
			g.Fatalf("Reparent(%v, %v): %v", e, to, err)
		}
	case 8:
		if g.w.Has(e, parent) {
			g.parents.Remove(e)
		}
	case 9:
		id := arche.ComponentID[hat](g.w)
		if g.w.Has(e, id) {
			g.w.Remove(e, id)
		} else {
			g.w.Add(e, id)
		}
	case 10: // subtrees go with it
		var left []arche.Entity
		for _, o := range g.all {
			if !g.isAncestor(e, o) {
				left = append(left, o)
			}
		}
		g.all = left
		g.w.RemoveEntity(e)
	case 11:
		if g.w.Has(e, logical) {
			g.logicals.Remove(e)
		} else {
			l := components.NewLogical(g.pose())
			g.logicals.Assign(e, &l)
		}
	case 12:
		if g.w.Has(e, visual) {
			g.visuals.Remove(e)
			g.hidden[e] = true
		} else if !g.hidden[e] { // within one stage a new visual value is not told from the old one
			v := components.NewVisual(g.pose())
			g.visuals.Assign(e, &v)
		}
	}
}

func (g *grove) frame() {
	for range g.pick(5) {
		g.operate()
	}
	dt := time.Duration(g.pick(60)) * time.Millisecond
	if g.pick(4) == 0 {
		dt = 0
	}
	g.Update(dt)
	clear(g.hidden)
	for _, e := range g.all {
		if !g.w.Alive(e) {
			g.Fatalf("%v is gone, though none of its ancestors is", e)
		}
	}
	g.checkPass()
	g.check()
}

func newGrove(t testing.TB, c chooser) *grove {
	g := &grove{family: newFamily(t, 20), chooser: c, hidden: map[arche.Entity]bool{}}
	g.fixed(func(ecs.Time) {
		for range g.pick(3) {
			g.operate()
		}
	})
	return g
}

// Wherever an edit happens, every world pose is the product of the local ones, by the pass and on demand.
func TestRandomEditsOfTreesAgainstBruteForce(t *testing.T) {
	for seed := range uint64(30) {
		g := newGrove(t, seededChooser{rand.New(rand.NewPCG(seed, 7))})
		t.Logf("seed %d", seed)
		for range 150 {
			g.frame()
		}
	}
}

func TestShortRandomEditsOfTrees(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		g := newGrove(rapidTB{outer, t}, rapidChooser{t})
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

func TestDeepChainsAndWideTrees(t *testing.T) {
	const n = 10_000
	f := newFamily(t, 10, systems.KeepOrphans())
	chain := []arche.Entity{f.spawn(at(0, 0, 0))}
	for range n - 1 {
		chain = append(chain, f.child(chain[len(chain)-1], at(1, 0, 0)))
	}
	wide := []arche.Entity{f.spawn(at(0, 0, 0))}
	for range n - 1 {
		wide = append(wide, f.child(wide[0], at(1, 0, 0)))
	}
	moveAll := false
	f.fixed(func(now ecs.Time) {
		x := float64(now.Tick) + 1
		if f.w.Alive(wide[0]) {
			f.logical(wide[0]).Set(at(x, 0, 0))
		}
		for k, e := range chain {
			if (k == 0 || moveAll) && f.w.Alive(e) {
				f.logical(e).Set(at(1, x, 0))
			}
		}
	})
	f.run(8, constant(40*time.Millisecond), func(now ecs.Time) {
		x := 10 * seconds(now.Normal)
		f.near("deepest", f.worldX(chain[n-1]), n-1+min(1, x), 1e-2)
		f.near("widest", f.worldX(wide[n-1]), 1+x, 1e-4)
	})
	moveAll = true // everything is dirty: a frame may not take the square of the depth
	f.run(40, constant(40*time.Millisecond), func(now ecs.Time) {
		if f.Time().Tick > 10 {
			y := float64(f.h.VisualWorld(chain[n-1])[13])
			f.near("all moving", y, n*10*seconds(now.Normal), 2e-4*n*10*seconds(now.Normal))
		}
	})
	// Cut in the middle, and at the top.
	f.w.RemoveEntity(chain[n/2])
	f.w.RemoveEntity(wide[0])
	f.Update(0)
	f.near("parent of the cut", float64(f.parents.Get(chain[n/2+1]).Entity.ID()), 0, 0)
	for k := 1; k < n; k++ {
		if !f.parents.Get(wide[k]).Entity.IsZero() {
			t.Fatalf("leaf %d has a dead parent", k)
		}
	}
	f.run(5, constant(40*time.Millisecond), nil)
}
