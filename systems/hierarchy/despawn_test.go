package hierarchy_test

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
)

// Case 26, second half: a despawned parent takes its subtree with it by the next FixedEnd or
// VisualSync, whichever is first.
func TestCase26DespawnedParentTakesItsSubtree(t *testing.T) {
	for _, stage := range []ecs.Stage{ecs.FixedUpdate, ecs.NormalUpdate} {
		f := newTreeStage(t, 10)
		root := f.Spawn(At(1, 0, 0))
		doomed := f.child(root, At(1, 0, 0))
		below := []arche.Entity{doomed}
		for k := range 20 { // a tree of several levels
			below = append(below, f.child(below[k/2], At(1, 0, 0)))
		}
		bystander := f.child(root, At(2, 0, 0))
		alive := func() (n int) {
			for _, e := range below {
				if f.W.Alive(e) {
					n++
				}
			}
			return n
		}
		killed := false
		f.Add(stage, ecs.SystemFunc(func(w *arche.World) {
			if f.Time().Frame == 3 && !killed {
				killed = true
				w.RemoveEntity(doomed)
			}
		}))
		check := func(*arche.World) {
			if killed && alive() != 0 {
				t.Errorf("%v: %d descendants are alive", stage, alive())
			}
		}
		if stage == ecs.FixedUpdate {
			f.AddAt(ecs.FixedEnd, ecs.OrderCapture, ecs.SystemFunc(check))
		}
		f.AddAt(ecs.VisualSync, ecs.OrderSync, ecs.SystemFunc(check))
		f.Run(3, Constant(100*time.Millisecond), nil)
		f.Run(3, Constant(100*time.Millisecond), nil)
		if !killed || alive() != 0 || !f.W.Alive(root) || !f.W.Alive(bystander) {
			t.Errorf("%v: killed %v, %d descendants alive, root %v, bystander %v", stage, killed, alive(), f.W.Alive(root), f.W.Alive(bystander))
		}
		f.Near("bystander", f.worldX(bystander), 3, 0)
	}
}

func TestDespawnInAFrameWithoutAStep(t *testing.T) {
	f := newTreeStage(t, 10)
	root := f.Spawn(At(1, 0, 0))
	child := f.child(root, At(1, 0, 0))
	f.Update(0)
	f.W.RemoveEntity(root)
	successor := f.Spawn(At(7, 0, 0)) // most likely with the id of the root
	f.Update(0)
	if f.W.Alive(child) || !f.W.Alive(successor) {
		t.Errorf("child alive %v, successor %v", f.W.Alive(child), f.W.Alive(successor))
	}
	f.Near("successor", f.worldX(successor), 7, 0)
}

// A parent that is despawned before a sweep has found it counts all the same.
func TestSpawnedAttachedAndOrphanedInOneStage(t *testing.T) {
	for _, keep := range []bool{false, true} {
		var options []func(*hierarchy.Hierarchy3D)
		if keep {
			options = append(options, keepOrphans)
		}
		f := newTreeStage(t, 10, options...)
		f.Update(0)
		parent := f.Spawn(At(1, 0, 0))
		child := f.child(parent, At(1, 0, 0))
		f.W.RemoveEntity(parent)
		f.Update(time.Millisecond)
		if f.W.Alive(child) != keep {
			t.Errorf("KeepOrphans %v: the child is alive %v", keep, f.W.Alive(child))
		}
		f.Run(10, FPS(60, 1), nil)
	}
}

// Orphans stay where they are drawn, and go on to where the simulation has them.
func TestKeepOrphans(t *testing.T) {
	for _, inStep := range []bool{false, true} {
		f := newTreeStage(t, 10, keepOrphans)
		parent := f.Spawn(At(0, 0, 0))
		child := f.child(parent, Turned(At(3, 0, 0), TurnY(30)))
		grandchild := f.child(child, At(1, 0, 0))
		f.Fixed(func(now ecs.Time) {
			if f.W.Alive(parent) {
				f.Logical(parent).Set(At(float64(now.Tick)+1, 0, 0))
			}
			if inStep && now.Tick == 12 {
				f.W.RemoveEntity(parent)
			}
		})
		died, last := false, 3.0
		f.Run(400, FPS(240, 1), func(now ecs.Time) {
			if !inStep && now.Frame == 300 {
				f.W.RemoveEntity(parent)
			}
			x := f.worldX(child)
			if d := x - last; d < -1e-4 || d > 10*Seconds(now.NormalDelta)*1.05+1e-4 {
				t.Fatalf("in step %v, at %v: leapt from %v to %v", inStep, now.Normal, last, x)
			}
			last = x
			if died {
				return
			}
			if died = !f.W.Alive(parent); !died {
				f.Near("before", x, 3+10*Seconds(now.Normal), 1e-4)
			}
		})
		if !died || !f.W.Alive(child) || !f.W.Alive(grandchild) {
			t.Fatalf("died %v, child %v, grandchild %v", died, f.W.Alive(child), f.W.Alive(grandchild))
		}
		f.Near("the picture and the simulation", f.worldX(child), f.logicalX(child), 1e-5)
		if got := f.parents.Get(child).Entity; !got.IsZero() {
			t.Errorf("the orphan's parent is %v", got)
		}
		if got := f.parents.Get(grandchild).Entity; got != child {
			t.Errorf("the grandchild's parent is %v, want its own", got)
		}
		if d := DegreesApart(f.Logical(child).Get().Rotation, TurnY(30)); !(d < 0.01) {
			t.Errorf("the orphan was turned by %v degrees", d)
		}
	}
}

func TestKeepOrphansAtRest(t *testing.T) {
	f := newTreeStage(t, 10, keepOrphans)
	parent := f.Spawn(Turned(At(10, 2, 0), TurnY(90)))
	child := f.child(parent, At(0, 0, 5))
	f.Run(20, FPS(60, 1), nil)
	before := f.h.VisualWorld(child)
	f.W.RemoveEntity(parent)
	f.Run(40, FPS(60, 1), func(ecs.Time) {
		if m := f.h.VisualWorld(child); !nearMat(m, before, 1e-5) {
			t.Fatalf("moved to\n%v, from\n%v", m, before)
		}
		if m := f.h.LogicalWorld(child); !nearMat(m, before, 1e-5) {
			t.Fatalf("the simulation has it at\n%v, drawn at\n%v", m, before)
		}
	})
}

// The origin moves and the parent is despawned before the next sweep. The orphan stands at its
// place in the moved world.
func TestKeepOrphansAfterAShift(t *testing.T) {
	f := newTreeStage(t, 10, keepOrphans)
	parent := f.Spawn(At(10, 0, 0))
	child := f.child(parent, At(1, 0, 0))
	f.Run(20, FPS(60, 1), nil)
	f.Poses.Shift(func(p components.Pose3D) components.Pose3D {
		p.Position[0] -= 1000
		return p
	})
	f.W.RemoveEntity(parent)
	f.Run(40, FPS(60, 1), func(ecs.Time) {
		f.Near("drawn", f.worldX(child), -989, 1e-3)
		if x := f.h.LogicalWorld(child).Col(3)[0]; x != -989 {
			t.Fatalf("the simulation has it at %v, want -989", x)
		}
	})
}

// A child that gets another parent after its own was despawned, but before the sweep, keeps its
// place in the world.
func TestReparentFromADeadParent(t *testing.T) {
	for _, options := range [][]func(*hierarchy.Hierarchy3D){nil, {keepOrphans}} {
		for _, moving := range []bool{false, true} {
			for _, stage := range []ecs.Stage{ecs.FixedUpdate, ecs.NormalUpdate} {
				f := newTreeStage(t, 10, options...)
				ship := f.Spawn(Turned(At(10, 0, 0), TurnY(90)))
				deck := f.child(ship, At(0, 0, 0))
				// at (12, 3, 0) in the world
				pilot := f.child(deck, Turned(At(0, 3, 2), TurnY(-90)))
				raft := f.Spawn(At(100, 0, 0))
				x := 10.0
				f.Fixed(func(now ecs.Time) {
					if moving && f.W.Alive(ship) {
						x++
						f.Logical(ship).Set(Turned(At(x, 0, 0), TurnY(90)))
					}
				})
				saved := false
				f.Add(stage, ecs.SystemFunc(func(w *arche.World) {
					if f.Time().Frame == 20 && !saved {
						saved = true
						w.RemoveEntity(ship)
						f.reparent(pilot, raft)
					}
				}))
				last := 12.0
				f.Run(60, Constant(49*time.Millisecond), func(now ecs.Time) {
					got := f.worldX(pilot)
					if d := got - last; d < -1e-4 || d > 0.49*1.05+1e-4 || !moving && math.Abs(d) > 1e-5 {
						t.Fatalf("moving %v, %v, frame %d: leapt from %v to %v", moving, stage, now.Frame, last, got)
					}
					last = got
				})
				if f.W.Alive(ship) || !f.W.Alive(pilot) || f.W.Alive(deck) != (options != nil) {
					t.Fatalf("ship %v, deck %v, pilot %v", f.W.Alive(ship), f.W.Alive(deck), f.W.Alive(pilot))
				}
				f.Near("the picture and the simulation", f.worldX(pilot), f.logicalX(pilot), 1e-4)
				if x := f.worldX(pilot); x < 11.9 || x > 24 {
					t.Errorf("moving %v, %v: ended at %v", moving, stage, x)
				}
				if d := DegreesApart(f.Logical(pilot).Get().Rotation, TurnY(0)); !(d < 0.01) {
					t.Errorf("turned by %v degrees", d)
				}
			}
		}
	}
}

// A parent is despawned and the origin moves in one stage, in either order. The child stands at its
// place in the moved world, as an orphan and after reparenting.
func TestParentDespawnedDuringAShift(t *testing.T) {
	for _, options := range [][]func(*hierarchy.Hierarchy3D){nil, {keepOrphans}} {
		for _, before := range []bool{false, true} {
			f := newTreeStage(t, 10, options...)
			fleet := f.Spawn(At(100, 0, 0))
			ship := f.child(fleet, At(10, 0, 0))
			pilot := f.child(ship, At(1, 0, 0))
			car := f.Spawn(At(200, 0, 0))
			driver := f.child(car, At(1, 0, 0))
			shift := func() {
				f.Poses.Shift(func(p components.Pose3D) components.Pose3D {
					p.Position[0] -= 1000
					return p
				})
			}
			f.Fixed(func(now ecs.Time) {
				if now.Tick != 5 {
					return
				}
				if !before {
					shift()
				}
				f.W.RemoveEntity(ship)
				f.W.RemoveEntity(car)
				if before {
					shift()
				}
				if options == nil {
					f.reparent(pilot, arche.Entity{})
					f.reparent(driver, arche.Entity{})
				}
			})
			f.Run(50, Constant(23*time.Millisecond), func(now ecs.Time) {
				x := 0.0
				if now.Tick > 5 {
					x = -1000
				}
				f.Near("pilot", f.logicalX(pilot), x+111, 1e-3)
				f.Near("driver", f.logicalX(driver), x+201, 1e-3)
				f.Near("pilot drawn", f.worldX(pilot), x+111, 1e-3)
				f.Near("driver drawn", f.worldX(driver), x+201, 1e-3)
			})
		}
	}
}

// A member without children gets one and is despawned before a sweep has found it as a parent. Its
// last drawn place counts.
func TestOrphanOfALeaf(t *testing.T) {
	f := newTreeStage(t, 10, keepOrphans)
	root := f.Spawn(At(10, 0, 0))
	leaf := f.child(root, At(1, 0, 0))
	other := f.child(root, At(5, 0, 0))
	f.Run(3, Constant(100*time.Millisecond), nil)
	f.parents.Get(other).Entity = leaf
	f.Near("attached", f.worldX(other), 16, 0)
	f.W.RemoveEntity(leaf)
	f.Run(10, Constant(33*time.Millisecond), func(ecs.Time) {
		f.Near("drawn", f.worldX(other), 16, 1e-5)
		f.Near("simulated", f.logicalX(other), 16, 1e-5)
	})
}
