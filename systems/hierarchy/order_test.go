package hierarchy_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
)

// A ship's place was read long ago. Since then it has moved far, and it is despawned. A child that
// is reparented in the same stage stands at the ship's last place, not at the one that was read.
func TestReparentFromADeadParentThatMoved(t *testing.T) {
	f := newTreeStage(t, 10)
	ship := f.Spawn(At(0, 0, 0))
	pilot := f.child(ship, At(1, 0, 0))
	f.Fixed(func(now ecs.Time) {
		switch {
		case now.Tick == 1:
			f.Near("asked early", f.logicalX(ship), 1, 0)
		case now.Tick == 50:
			f.W.RemoveEntity(ship)
			f.reparent(pilot, arche.Entity{})
			f.Near("taken off", f.logicalX(pilot), 51, 1.01) // the picture is a step behind at most
			return
		}
		if f.W.Alive(ship) {
			f.Logical(ship).Set(At(float64(now.Tick)+1, 0, 0))
		}
	})
	f.Run(120, Constant(49*time.Millisecond), nil)
	if !f.W.Alive(pilot) || f.W.Alive(ship) {
		t.Fatalf("pilot %v, ship %v", f.W.Alive(pilot), f.W.Alive(ship))
	}
	f.Near("drawn in the end", f.worldX(pilot), f.logicalX(pilot), 1e-5)
}

// A parent dies when the frame has looked for deaths already, and its children are drawn where it
// was, once more, also if others have come into the hierarchy in this very frame.
func TestParentDespawnedWithinVisualSync(t *testing.T) {
	for _, joined := range []bool{false, true} {
		f := newTreeStage(t, 10)
		// so that everybody stands elsewhere in the order once it has gone
		first := f.child(f.Spawn(At(-1, 0, 0)), At(0, 0, 0))
		parent := f.Spawn(At(10, 0, 0))
		child := f.child(parent, At(1, 0, 0))
		below := f.child(child, At(1, 0, 0))
		f.Update(time.Millisecond)
		var drawn map[arche.Entity]float32
		f.AddAt(ecs.VisualSync, ecs.OrderSync, ecs.SystemFunc(func(w *arche.World) {
			if f.W.Alive(parent) {
				f.W.RemoveEntity(parent)
			}
		}))
		f.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) {
			drawn = map[arche.Entity]float32{}
			f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) { drawn[e] = m[12] })
		}))
		if joined {
			f.parents.Remove(first)
			f.child(first, At(0, 0, 0))
		}
		f.Update(time.Millisecond)
		if drawn[child] != 11 || drawn[below] != 12 {
			t.Errorf("others have joined %v: drawn at %v", joined, drawn)
		}
		if _, reported := drawn[parent]; reported {
			t.Error("a dead entity was reported")
		}
		f.Near("asked for", f.worldX(below), 12, 0)
		f.Update(time.Millisecond)
		if f.W.Alive(child) || f.W.Alive(below) || !f.W.Alive(first) {
			t.Errorf("child %v, below %v, first %v", f.W.Alive(child), f.W.Alive(below), f.W.Alive(first))
		}
	}
}

// Between a change of the hierarchy and the next frame, as in later steps of the same Update, the
// poses of all are those that were drawn last.
func TestPosesBetweenAChangeAndTheNextFrame(t *testing.T) {
	f := newTreeStage(t, 10)
	root := f.Spawn(At(100, 0, 0))
	var kids []arche.Entity
	for k := range 9 {
		kids = append(kids, f.child(root, At(float64(k), 0, 0)))
	}
	f.Update(time.Millisecond)
	looks := 0
	f.Fixed(func(now ecs.Time) {
		if now.Tick == 0 {
			return
		}
		f.W.RemoveEntity(kids[0]) // the order changes in every step
		kids = append(kids[1:], f.child(root, At(float64(now.Tick)+20, 0, 0)))
	})
	f.Add(ecs.FixedEnd, ecs.SystemFunc(func(*arche.World) {
		f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
			looks++
			if want := f.Visual(e).Position[0] + 100; e != root && m[12] != want {
				t.Errorf("%v stands at %v, want %v", e, m[12], want)
			}
		})
	}))
	f.Run(5, Constant(350*time.Millisecond), func(ecs.Time) {
		for _, e := range kids {
			f.Near("kid", f.worldX(e), 100+float64(f.Logical(e).Get().Position[0]), 0)
		}
	})
	if looks == 0 {
		t.Error("no entity was checked")
	}
}

// An entity that is only visual may have a rotation of any length. It counts at unit length, in the
// pass and on demand.
func TestRotationsOfAnyLengthInAHierarchy(t *testing.T) {
	f := newTreeStage(t, 10)
	root := f.child(arche.Entity{}, At(0, 0, 0))
	leaf := f.child(root, At(0, 0, 1))
	f.Logicals.Remove(root)
	for _, length := range []float32{1, 3, 1e-20, 0, 1e30} {
		pose := Turned(At(5, 0, 0), TurnY(90))
		want := Turned(At(5, 0, 0), TurnY(90)).Mul(At(0, 0, 1)).Position
		if length == 0 {
			want = mgl32.Vec3{5, 0, 1}
		}
		pose.Rotation = pose.Rotation.Scale(length)
		f.Visuals.Get(root).Set(pose)
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

// A hierarchy that changes in every step allocates no memory: the scratch of the order is kept.
func TestTopologyChangesAllocateLittle(t *testing.T) {
	for _, options := range [][]func(*hierarchy.Hierarchy3D){nil, {keepOrphans}} {
		f := newTreeStage(t, 10, options...)
		root := f.Spawn(At(0, 0, 0))
		all := []arche.Entity{root}
		r := rand.New(rand.NewPCG(1, 1))
		for range 2000 {
			all = append(all, f.child(all[r.IntN(len(all))], At(1, 0, 0)))
		}
		leaf := f.child(root, At(1, 0, 0))
		f.Run(3, Constant(100*time.Millisecond), nil)
		to := 0
		change := func() {
			to++
			f.parents.Get(leaf).Entity = all[to%len(all)]
			f.Update(100 * time.Millisecond)
		}
		for range 10 {
			change()
		}
		if allocs := testing.AllocsPerRun(20, change); allocs > 10 {
			// a handful for arche's filters; none per entity
			t.Errorf("a change of a hierarchy of %d allocates %v times", len(all), allocs)
		}
	}
}

func TestDeepChainsAndWideTrees(t *testing.T) {
	n := Few(10_000)
	deep := float64(n)
	f := newTreeStage(t, 10, keepOrphans)
	chain := []arche.Entity{f.Spawn(At(0, 0, 0))}
	for range n - 1 {
		chain = append(chain, f.child(chain[len(chain)-1], At(1, 0, 0)))
	}
	wide := []arche.Entity{f.Spawn(At(0, 0, 0))}
	for range n - 1 {
		wide = append(wide, f.child(wide[0], At(1, 0, 0)))
	}
	moveAll := false
	f.Fixed(func(now ecs.Time) {
		x := float64(now.Tick) + 1
		if f.W.Alive(wide[0]) {
			f.Logical(wide[0]).Set(At(x, 0, 0))
		}
		for k, e := range chain {
			if (k == 0 || moveAll) && f.W.Alive(e) {
				f.Logical(e).Set(At(1, x, 0))
			}
		}
	})
	f.Run(8, Constant(40*time.Millisecond), func(now ecs.Time) {
		x := 10 * Seconds(now.Normal)
		f.Near("deepest", f.worldX(chain[n-1]), deep-1+min(1, x), 1e-2)
		f.Near("widest", f.worldX(wide[n-1]), 1+x, 1e-4)
	})
	moveAll = true // everything is dirty: a frame may not take the square of the depth
	f.Run(40, Constant(40*time.Millisecond), func(now ecs.Time) {
		if f.Time().Tick > 10 {
			y := float64(f.h.VisualWorld(chain[n-1])[13])
			f.Near("all moving", y, deep*10*Seconds(now.Normal), 2e-4*deep*10*Seconds(now.Normal))
		}
	})
	// Cut in the middle, and at the top.
	f.W.RemoveEntity(chain[n/2])
	f.W.RemoveEntity(wide[0])
	f.Update(0)
	f.Near("parent of the cut", float64(f.parents.Get(chain[n/2+1]).Entity.ID()), 0, 0)
	for k := 1; k < n; k++ {
		if !f.parents.Get(wide[k]).Entity.IsZero() {
			t.Fatalf("leaf %d has a dead parent", k)
		}
	}
	f.Run(5, Constant(40*time.Millisecond), nil)
}
