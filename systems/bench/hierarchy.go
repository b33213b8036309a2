package main

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

// shape is a kind of hierarchy: which node is the parent of node k, or -1.
type shape struct {
	name   string
	parent func(k int) int
}

var shapes = []shape{
	{"chains", func(k int) int { // a hundred deep
		if k%100 == 0 {
			return -1
		}
		return k - 1
	}},
	{"wide", func(k int) int { return min(k, 1) - 1 }}, // all under one root
	{"forest", func(k int) int { // trees of a root, nine branches and ninety leaves
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

// hierarchies measures frames, that is interpolation and propagation together, of worlds in which everybody belongs to a hierarchy. Of the moving one per cent only
// leaves are chosen where the shape has any, as for most things that move on their own.
func hierarchies(n int, s shape) []*workload {
	var list []*workload
	for _, pct := range []int{100, 1, 0} {
		list = append(list, hierarchy(n, pct, s.name, s.parent))
	}
	return list
}

func hierarchy(n, pct int, name string, parentOf func(int) int) *workload {
	e, err := ecs.New(ecs.Config{MaxDelta: time.Hour})
	if err != nil {
		fail("%v", err)
	}
	h := systems.Hierarchy3D()
	e.Install(systems.Interpolation3D(), h)
	w := e.World()
	a, b := poses(n)
	for i := range a { // scales that stay in range a hundred levels down
		a[i].Scale, b[i].Scale = mgl32.Vec3{1, 1, 1}, mgl32.Vec3{1, 1, 1}
	}
	builder := generic.NewMap3[components.Transform3D, components.Visual3D, components.Parent](w)
	entities := make([]arche.Entity, n)
	isParent := make([]bool, n)
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
			isParent[p] = true
		}
	}
	moves := movers(n, pct)
	if pct < 100 && name != "chains" {
		for i := range moves {
			moves[i] = moves[i] && !isParent[i]
		}
	}
	addGameplay(e, a, b, moves)
	step := func() { stepOn(e) }
	step()
	return &workload{
		name: fmt.Sprintf("hierarchy.%s.%dpct", name, pct), n: n,
		round: func() float64 {
			var spent time.Duration
			count := 0
			for spent < aMillisecond || count < 4 {
				step()
				const burst = 4
				part := e.Time().FixedDelta / (burst + 4)
				start := time.Now()
				for range burst {
					e.Update(part)
				}
				spent += time.Since(start)
				count += burst
			}
			return float64(spent.Nanoseconds()) / float64(count) / float64(n)
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
