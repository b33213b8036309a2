package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// shape is a kind of hierarchy. Its function returns the parent of node k, or -1.
type shape struct {
	name   string
	deep   bool // not only leaves and a root
	parent func(k int) int
}

var shapes = []shape{
	{"chains", true, func(k int) int { // a hundred deep
		if k%100 == 0 {
			return -1
		}
		return k - 1
	}},
	{"wide", false, func(k int) int { return min(k, 1) - 1 }}, // all under one root
	{"forest", true, func(k int) int { // trees of a root, nine branches and ninety leaves
		switch at := k % 100; {
		case at == 0:
			return -1
		case at < 10:
			return k - at
		default:
			return k - at + at/10
		}
	}},
}

// workloads measures frames, that is interpolation and propagation together, of worlds in which
// every entity belongs to a hierarchy. The one per cent of all that moves are leaves, since most
// entities that move on their own are leaves. In a chain of a hundred that is the last node. Where
// any node may move, one that is no leaf moves all nodes below it.
func (s shape) workloads(t *testing.T, n int) []*workload {
	isParent := make([]bool, n)
	for k := range n {
		if p := s.parent(k); p >= 0 {
			isParent[p] = true
		}
	}
	leaf := func(k int) bool { return !isParent[k] }
	list := []*workload{
		tree(t, "hierarchy."+s.name+".100pct", s.parent, movers(n, 100)),
		tree(t, "hierarchy."+s.name+".1pct", s.parent, moversAmong(n, 1, leaf)),
		tree(t, "hierarchy."+s.name+".0pct", s.parent, movers(n, 0)),
	}
	if s.deep {
		list = append(list, tree(t, "hierarchy."+s.name+".anywhere.1pct", s.parent, movers(n, 1)))
	}
	return list
}

// tree measures a hierarchy in which the given nodes move.
func tree(t *testing.T, name string, parentOf func(int) int, moves []bool) *workload {
	n := len(moves)
	e := newEngine(t, ecs.Config{MaxDelta: time.Hour})
	h := hierarchy.New3D()
	e.Install(interpolation.New3D(), h)
	w := e.World()
	a, b := poses(n)
	for i := range a { // scales that stay in range a hundred levels down
		a[i].Scale, b[i].Scale = mgl32.Vec3{1, 1, 1}, mgl32.Vec3{1, 1, 1}
	}
	builder := generic.NewMap3[components.Transform3D, components.Visual3D, components.Parent](w)
	entities := make([]arche.Entity, n)
	query := builder.NewBatchQ(n)
	for i := 0; query.Next(); i++ {
		transform, _, _ := query.Get()
		*transform = components.NewLogical(a[i])
		entities[i] = query.Entity()
	}
	for i, entity := range entities {
		if p := parentOf(i); p >= 0 {
			_, _, parent := builder.Get(entity)
			parent.Entity = entities[p]
		}
	}
	addGameplay(e, a, b, moves)
	step := func() { stepOn(e) }
	step()
	return &workload{
		name: name,
		round: func() float64 {
			return perEntity(n, 4, func() (time.Duration, int) {
				step()
				const burst = 4
				return timed(e, burst, e.Time().FixedDelta/(burst+4))
			})
		},
		check: func() error {
			for i := n - 1; i >= 0; i -= max(1, n/50) {
				want := mgl32.Ident4()
				for k := i; k >= 0; k = parentOf(k) {
					_, visual, _ := builder.Get(entities[k])
					want = visual.Get().Mat4().Mul4(want)
				}
				got := h.VisualWorld(entities[i])
				if scale := 1 + want.Col(3).Vec3().Len(); got.Sub(want).Col(3).Vec3().Len() > 1e-3*scale {
					return fmt.Errorf("entity %d of %d stands at %v, want %v", i, n, got.Col(3), want.Col(3))
				}
			}
			return nil
		},
		close: e.Close,
	}
}
