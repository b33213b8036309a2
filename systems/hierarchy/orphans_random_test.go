package hierarchy_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
)

// orphanModel runs random edits on trees whose orphans stay, on the engine and on a model in
// float64 of all world poses of the simulation.
type orphanModel struct {
	*treeStage
	Chooser
	all      []arche.Entity
	local    map[arche.Entity]mgl64.Mat4
	parent   map[arche.Entity]arche.Entity // the zero entity for none
	known    map[arche.Entity]mgl64.Mat4   // world poses of parents, as of the newest sweep
	was      map[arche.Entity]orphanParent // what these are made from
	orphaned int
	quiet    bool
}

type orphanParent struct {
	parent arche.Entity
	local  mgl64.Mat4
}

func newOrphanModel(t testing.TB, c Chooser) *orphanModel {
	o := &orphanModel{
		treeStage: newTreeStage(t, 20, keepOrphans), Chooser: c,
		local: map[arche.Entity]mgl64.Mat4{}, parent: map[arche.Entity]arche.Entity{}, known: map[arche.Entity]mgl64.Mat4{},
		was: map[arche.Entity]orphanParent{},
	}
	o.Fixed(func(ecs.Time) { o.some(3) })
	swept := ecs.SystemFunc(func(*arche.World) { o.sweep() })
	o.AddAt(ecs.FixedEnd, hierarchy.OrderSweep, swept)
	o.AddAt(ecs.VisualSync, ecs.OrderSync-1, swept)
	for _, stage := range []ecs.Stage{ecs.FixedEnd, ecs.NormalUpdate, ecs.Render} {
		o.Add(stage, ecs.SystemFunc(func(*arche.World) { o.some(1) }))
	}
	return o
}

func matrix(p components.Pose3D) (m mgl64.Mat4) {
	for k, v := range p.Mat4() {
		m[k] = float64(v)
	}
	return m
}

// world composes down from the root, or from where an ancestor was who is dead.
func (o *orphanModel) world(e arche.Entity) mgl64.Mat4 {
	m := o.local[e]
	for p := o.parent[e]; !p.IsZero(); p = o.parent[p] {
		if !o.W.Alive(p) {
			return o.known[p].Mul4(m)
		}
		m = o.local[p].Mul4(m)
	}
	return m
}

// sweep does what the hierarchy has just done.
func (o *orphanModel) sweep() {
	parents := map[arche.Entity]bool{}
	for _, e := range o.all {
		if p := o.parent[e]; !p.IsZero() && !o.W.Alive(p) {
			o.local[e], o.parent[e] = o.known[p].Mul4(o.local[e]), arche.Entity{}
			o.orphaned++
		} else {
			parents[p] = true
		}
	}
	clear(o.known)
	for _, e := range o.all {
		if parents[e] {
			o.known[e], o.was[e] = o.world(e), orphanParent{o.parent[e], o.local[e]}
		}
	}
}

func (o *orphanModel) pose() components.Pose3D {
	return Turned(At(float64(o.Pick(9)-4), float64(o.Pick(9)-4), 1), Turn(float64(o.Pick(360)), 1, float64(o.Pick(3)), -1))
}

func (o *orphanModel) anyEntity() arche.Entity { return o.all[o.Pick(len(o.all))] }

func (o *orphanModel) isAncestor(a, of arche.Entity) bool {
	for ; !of.IsZero() && o.W.Alive(of); of = o.parent[of] {
		if of == a {
			return true
		}
	}
	return false
}

func (o *orphanModel) some(n int) {
	for range o.Pick(n + 1) {
		if !o.quiet {
			o.operate()
		}
	}
}

func (o *orphanModel) operate() {
	if len(o.all) < 5 || len(o.all) < 25 && o.Pick(3) == 0 {
		p := o.pose()
		e := o.Spawn(p)
		if len(o.all) > 0 && o.Pick(4) > 0 {
			o.parent[e] = o.anyEntity()
			o.parents.Assign(e, &components.Parent{Entity: o.parent[e]})
		}
		o.local[e] = matrix(p)
		o.all = append(o.all, e)
		return
	}
	e := o.anyEntity()
	switch o.Pick(9) {
	case 0, 1:
		p := o.pose()
		o.Logical(e).Set(p)
		o.local[e] = matrix(p)
	case 2:
		p := o.pose()
		o.Logical(e).Teleport(p)
		o.local[e] = matrix(p)
	case 3:
		p := o.pose()
		o.Logical(e).SetOver(p, time.Duration(o.Pick(200))*time.Millisecond)
		o.local[e] = matrix(p)
	case 4: // written directly
		to := o.anyEntity()
		if o.isAncestor(e, to) {
			return
		}
		if o.W.Has(e, arche.ComponentID[components.Parent](o.W)) {
			o.parents.Get(e).Entity = to
		} else {
			o.parents.Assign(e, &components.Parent{Entity: to})
		}
		o.parent[e] = to
	case 5:
		to := arche.Entity{}
		if o.Pick(3) > 0 {
			to = o.anyEntity()
		}
		if o.isAncestor(e, to) {
			return
		}
		is := o.world(e)
		o.reparent(e, to)
		o.parent[e], o.local[e] = to, is
		if !to.IsZero() {
			o.local[e] = o.world(to).Inv().Mul4(is)
		}
	case 6:
		o.Poses.Shift(func(p components.Pose3D) components.Pose3D {
			p.Position[1]++
			return p
		})
		up := mgl64.Translate3D(0, 1, 0)
		for _, e := range o.all {
			if o.parent[e].IsZero() {
				o.local[e] = up.Mul4(o.local[e])
			}
		}
		for p := range o.known { // the dead go where they would have gone
			if !o.W.Alive(p) && o.was[p].parent.IsZero() {
				o.known[p] = up.Mul4(o.known[p])
			}
		}
		for range len(o.known) { // deep enough
			for p := range o.known {
				if o.W.Alive(p) {
					o.known[p], o.was[p] = o.world(p), orphanParent{o.was[p].parent, o.local[p]}
				} else if above := o.was[p].parent; !above.IsZero() {
					o.known[p] = o.known[above].Mul4(o.was[p].local)
				}
			}
		}
	default:
		for _, c := range o.all {
			if _, known := o.known[e]; o.parent[c] == e && !known {
				return // nobody has seen it as a parent
			}
		}
		o.W.RemoveEntity(e)
		for k := range o.all {
			if o.all[k] == e {
				o.all = append(o.all[:k], o.all[k+1:]...)
				break
			}
		}
	}
}

func (o *orphanModel) check(what string, drawn bool) {
	for _, e := range o.all {
		want := o.world(e)
		got := o.h.LogicalWorld(e)
		visual := o.h.VisualWorld(e)
		for k := range want {
			if d := float64(got[k]) - want[k]; !(d < 5e-3 && d > -5e-3) {
				o.Fatalf("%s: %v is at\n%v, want\n%v", what, e, got, want)
			}
			if d := float64(visual[k]) - want[k]; drawn && !(d < 5e-3 && d > -5e-3) {
				o.Fatalf("%s: %v is drawn at\n%v, want\n%v", what, e, visual, want)
			}
		}
	}
}

// Orphans are where the simulation had them, whatever else happened to them and their parents, and
// when all have come to rest the picture shows them there.
func TestRandomEditsOfOrphansAgainstAModel(t *testing.T) {
	orphaned, n := 0, Few(30)
	for seed := range uint64(n) {
		o := newOrphanModel(t, SeededChooser{Rand: rand.New(rand.NewPCG(seed, 8))})
		for frame := range 120 {
			o.some(2)
			o.Update(time.Duration(o.Pick(80)) * time.Millisecond)
			o.check("in motion", false)
			if frame%30 == 29 {
				o.quiet = true
				o.Run(10, Constant(49*time.Millisecond), nil)
				o.check("at rest", true)
				o.quiet = false
			}
		}
		orphaned += o.orphaned
	}
	if 30*orphaned < 100*n {
		t.Errorf("only %d orphans", orphaned)
	}
}
