package systems_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

// Somebody has asked long ago where a ship was. It has gone far since, and is lost: who is taken off it in the same stage is where it was last, not where it was asked for.
func TestReparentAwayFromTheDeadForgetsOldQuestions(t *testing.T) {
	f := newFamily(t, 10)
	ship := f.spawn(at(0, 0, 0))
	pilot := f.child(ship, at(1, 0, 0))
	f.fixed(func(now ecs.Time) {
		switch {
		case now.Tick == 1:
			f.near("asked early", f.logicalX(ship), 1, 0)
		case now.Tick == 50:
			f.w.RemoveEntity(ship)
			f.reparent(pilot, arche.Entity{})
			f.near("taken off", f.logicalX(pilot), 51, 1.01) // the picture is a step behind at most
			return
		}
		if f.w.Alive(ship) {
			f.logical(ship).Set(at(float64(now.Tick)+1, 0, 0))
		}
	})
	f.run(120, constant(49*time.Millisecond), nil)
	if !f.w.Alive(pilot) || f.w.Alive(ship) {
		t.Fatalf("pilot %v, ship %v", f.w.Alive(pilot), f.w.Alive(ship))
	}
	f.near("drawn in the end", f.worldX(pilot), f.logicalX(pilot), 1e-5)
}

// A parent dies when the frame has looked for deaths already, and its children are drawn where it was, once more, also if others have come into the family in this very frame.
func TestParentDiesWithinVisualSync(t *testing.T) {
	for _, joined := range []bool{false, true} {
		f := newFamily(t, 10)
		first := f.child(f.spawn(at(-1, 0, 0)), at(0, 0, 0)) // so that everybody stands elsewhere in the order once it has gone
		parent := f.spawn(at(10, 0, 0))
		child := f.child(parent, at(1, 0, 0))
		below := f.child(child, at(1, 0, 0))
		f.Update(time.Millisecond)
		var drawn map[arche.Entity]float32
		f.AddAt(ecs.VisualSync, ecs.OrderSync, ecs.SystemFunc(func(w *arche.World) {
			if f.w.Alive(parent) {
				f.w.RemoveEntity(parent)
			}
		}))
		f.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) {
			drawn = map[arche.Entity]float32{}
			f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) { drawn[e] = m[12] })
		}))
		if joined {
			f.parents.Remove(first)
			f.child(first, at(0, 0, 0))
		}
		f.Update(time.Millisecond)
		if drawn[child] != 11 || drawn[below] != 12 {
			t.Errorf("others have joined %v: drawn at %v", joined, drawn)
		}
		if _, told := drawn[parent]; told {
			t.Error("told of a dead entity")
		}
		f.near("asked for", f.worldX(below), 12, 0)
		f.Update(time.Millisecond)
		if f.w.Alive(child) || f.w.Alive(below) || !f.w.Alive(first) {
			t.Errorf("child %v, below %v, first %v", f.w.Alive(child), f.w.Alive(below), f.w.Alive(first))
		}
	}
}

// Between a change of the family and the next frame, as in later steps of the same Update, the poses of all are those that were drawn last.
func TestPosesBetweenAChangeAndTheNextFrame(t *testing.T) {
	f := newFamily(t, 10)
	root := f.spawn(at(100, 0, 0))
	var kids []arche.Entity
	for k := range 9 {
		kids = append(kids, f.child(root, at(float64(k), 0, 0)))
	}
	f.Update(time.Millisecond)
	looks := 0
	f.fixed(func(now ecs.Time) {
		if now.Tick == 0 {
			return
		}
		f.w.RemoveEntity(kids[0]) // the order changes in every step
		kids = append(kids[1:], f.child(root, at(float64(now.Tick)+20, 0, 0)))
	})
	f.Add(ecs.FixedEnd, ecs.SystemFunc(func(*arche.World) {
		f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
			looks++
			if want := f.visual(e).Position[0] + 100; e != root && m[12] != want {
				t.Errorf("%v stands at %v, want %v", e, m[12], want)
			}
		})
	}))
	f.run(5, constant(350*time.Millisecond), func(ecs.Time) {
		for _, e := range kids {
			f.near("kid", f.worldX(e), 100+float64(f.logical(e).Get().Position[0]), 0)
		}
	})
	if looks == 0 {
		t.Error("nobody was looked at")
	}
}

// What is only visual may have a rotation of any length; it counts at unit length, in the pass and on demand.
func TestRotationsOfAnyLengthInAHierarchy(t *testing.T) {
	f := newFamily(t, 10)
	root := f.child(arche.Entity{}, at(0, 0, 0))
	leaf := f.child(root, at(0, 0, 1))
	f.logicals.Remove(root)
	for _, length := range []float32{1, 3, 1e-20, 0, 1e30} {
		pose := turned(at(5, 0, 0), turnY(90))
		want := turned(at(5, 0, 0), turnY(90)).Mul(at(0, 0, 1)).Position
		if length == 0 {
			want = mgl32.Vec3{5, 0, 1}
		}
		pose.Rotation = pose.Rotation.Scale(length)
		f.visuals.Get(root).Set(pose)
		if got := f.h.VisualWorld(leaf).Col(3).Vec3(); !got.ApproxEqualThreshold(want, 1e-5) {
			t.Errorf("length %v, on demand: at %v, want %v", length, got, want)
		}
		f.Update(time.Millisecond)
		f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
			if got := m.Col(3).Vec3(); e == leaf && !got.ApproxEqualThreshold(want, 1e-5) {
				t.Errorf("length %v, in the pass: at %v, want %v", length, got, want)
			}
		})
	}
}

// A family that changes in every step costs no memory: what an order is made with is kept.
func TestChangingFamiliesAllocateLittle(t *testing.T) {
	for _, options := range [][]systems.HierarchyOption{nil, {systems.KeepOrphans()}} {
		f := newFamily(t, 10, options...)
		root := f.spawn(at(0, 0, 0))
		all := []arche.Entity{root}
		r := rand.New(rand.NewPCG(1, 1))
		for range 2000 {
			all = append(all, f.child(all[r.IntN(len(all))], at(1, 0, 0)))
		}
		leaf := f.child(root, at(1, 0, 0))
		f.run(3, constant(100*time.Millisecond), nil)
		to := 0
		change := func() {
			to++
			f.parents.Get(leaf).Entity = all[to%len(all)]
			f.Update(100 * time.Millisecond)
		}
		for range 10 {
			change()
		}
		if allocs := testing.AllocsPerRun(20, change); allocs > 10 { // a handful for arche's filters; none per entity
			t.Errorf("a change of a family of %d allocates %v times", len(all), allocs)
		}
	}
}

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
