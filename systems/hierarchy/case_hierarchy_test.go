package hierarchy_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
)

// treeStage is a stage with a hierarchy.
type treeStage struct {
	*Stage
	h       *hierarchy.Hierarchy3D
	parents generic.Map1[components.Parent]
}

func newTreeStage(t testing.TB, rate int, options ...func(*hierarchy.Hierarchy3D)) *treeStage {
	t.Helper()
	h := hierarchy.New3D()
	for _, o := range options {
		o(h)
	}
	f := &treeStage{Stage: NewStage(t, rate, h), h: h}
	f.parents = generic.NewMap1[components.Parent](f.W)
	return f
}

// child spawns an entity with a parent.
func (f *treeStage) child(parent arche.Entity, p components.Pose3D) arche.Entity {
	e := f.Spawn(p)
	f.parents.Assign(e, &components.Parent{Entity: parent})
	return e
}

func (f *treeStage) worldX(e arche.Entity) float64   { return float64(f.h.VisualWorld(e)[12]) }
func (f *treeStage) logicalX(e arche.Entity) float64 { return float64(f.h.LogicalWorld(e)[12]) }

func (f *treeStage) reparent(child, parent arche.Entity) {
	f.Helper()
	if err := f.h.Reparent(child, parent); err != nil {
		f.Fatal(err)
	}
}

func (f *treeStage) reparentLocal(child, parent arche.Entity) {
	f.Helper()
	if err := f.h.ReparentLocal(child, parent); err != nil {
		f.Fatal(err)
	}
}

func nearMat(a, b mgl32.Mat4, tol float64) bool {
	for k := range a {
		if !(math.Abs(float64(a[k]-b[k])) <= tol) {
			return false
		}
	}
	return true
}

func TestCase21ChildOnATurningParentKeepsItsDistance(t *testing.T) {
	f := newTreeStage(t, 10)
	parent := f.Spawn(At(5, 0, 0))
	child := f.child(parent, At(1, 0, 0))
	f.Fixed(func(now ecs.Time) {
		if now.Tick == 3 {
			f.Logical(parent).Set(Turned(At(5, 0, 0), TurnY(90)))
		}
	})
	f.Run(200, FPS(240, 1), func(now ecs.Time) {
		m := f.h.VisualWorld(child)
		x, z := float64(m[12])-5, float64(m[14])
		f.Near("distance", math.Hypot(x, z), 1, 1e-6)
		alpha := math.Max(0, math.Min(1, 10*Seconds(now.Normal)-3))
		f.Near("angle", math.Atan2(-z, x)*180/math.Pi, 90*alpha, 0.01)
	})
}

// Case 22. All orders in which four levels can be read, with a sibling, while all of them move. The
// seed's caches fail it.
func TestCase22WorldPosesInEveryReadOrder(t *testing.T) {
	for _, order := range permutations(4) {
		f := newTreeStage(t, 10)
		a := f.Spawn(At(1, 0, 0))
		b := f.child(a, At(2, 0, 0))
		c := f.child(b, At(3, 0, 0))
		d := f.child(b, At(4, 0, 0)) // c's sibling
		all := []arche.Entity{a, b, c, d}
		f.Fixed(func(now ecs.Time) {
			for k, e := range all {
				if now.Tick%uint64(k+2) == 0 { // not all in every step
					x := float64(now.Tick)
					f.Logical(e).Set(Turned(At(x, float64(k), 0), TurnY(10*x*float64(k+1))))
				}
			}
		})
		f.Run(60, FPS(61, 1), func(ecs.Time) {
			want := map[arche.Entity]mgl32.Mat4{}
			want[a] = f.Visual(a).Mat4()
			want[b] = want[a].Mul4(f.Visual(b).Mat4())
			want[c] = want[b].Mul4(f.Visual(c).Mat4())
			want[d] = want[b].Mul4(f.Visual(d).Mat4())
			for _, k := range order {
				if got := f.h.VisualWorld(all[k]); !nearMat(got, want[all[k]], 1e-4) {
					t.Fatalf("order %v: %c is at\n%v, want\n%v", order, 'a'+k, got, want[all[k]])
				}
			}
		})
	}
}

// A query refreshes the parent after the grandparent has moved. The other child must still follow.
func TestGrandparentMovedAfterASiblingWasRead(t *testing.T) {
	for _, logical := range []bool{false, true} {
		f := newTreeStage(t, 10)
		x := f.worldX
		if logical {
			x = f.logicalX
		}
		g := f.Spawn(At(0, 0, 0))
		p := f.child(g, At(10, 0, 0))
		a, b := f.child(p, At(1, 0, 0)), f.child(p, At(21, 0, 0))
		f.Update(0)
		f.Near("a", x(a), 11, 0)
		f.Near("b", x(b), 31, 0)
		f.Logical(g).Teleport(At(100, 0, 0))
		f.Update(100 * time.Millisecond)
		f.Near("a", x(a), 111, 0)
		f.Near("b", x(b), 131, 0)
		f.Logical(g).Teleport(At(200, 0, 0))
		f.Update(100 * time.Millisecond)
		f.Near("p", x(p), 210, 0)
		f.Near("a", x(a), 211, 0)
		f.Near("b", x(b), 231, 0)
	}
}

func TestCase24ReparentKeepsTheWorldPose(t *testing.T) {
	for _, step := range []bool{false, true} { // inside a step or between Updates
		f := newTreeStage(t, 10)
		old, next := f.Spawn(At(0, 0, 0)), f.Spawn(Turned(At(101, 0, 0), TurnY(90)))
		child := f.child(old, At(100, 0, 0))
		f.Fixed(func(now ecs.Time) {
			if step && now.Tick == 5 {
				f.reparent(child, next)
			}
		})
		f.Run(300, FPS(240, 1), func(now ecs.Time) {
			if !step && now.Frame == 130 {
				f.reparent(child, next)
			}
			if m := f.h.VisualWorld(child); !nearMat(m, At(100, 0, 0).Mat4(), 1e-4) {
				t.Fatalf("at %v the child is drawn at\n%v", now.Normal, m)
			}
			if m := f.h.LogicalWorld(child); !nearMat(m, At(100, 0, 0).Mat4(), 1e-4) {
				t.Fatalf("at %v the child is at\n%v", now.Normal, m)
			}
		})
		if got := f.parents.Get(child).Entity; got != next {
			t.Errorf("the parent is %v, want %v", got, next)
		}
	}
}

// Both parents move at constant speed and the child may too: the child's path in the world
// continues, sample by sample.
func TestReparentBetweenMovingParents(t *testing.T) {
	for _, childMoves := range []bool{false, true} {
		for _, inStep := range []bool{false, true} {
			for _, to := range []string{"other", "none"} {
				t.Run(fmt.Sprintf("child moves %v, in step %v, to %s", childMoves, inStep, to), func(t *testing.T) {
					f := newTreeStage(t, 10)
					a, b := f.Spawn(At(0, 0, 0)), f.Spawn(At(50, 0, 0))
					child := f.child(a, At(3, 0, 0))
					local := 3.0 // of the child, logical
					parent := "a"
					vel := 0.0
					if childMoves {
						vel = 1
					}
					reparent := func() {
						next := arche.Entity{}
						if parent = to; to == "other" {
							next = b
						}
						f.reparent(child, next)
						local = float64(f.Logical(child).Get().Position[0])
					}
					// a moves by 2 per step, b by -1, the child by vel in its parent's frame.
					// Parents are written first.
					f.Fixed(func(now ecs.Time) {
						n := float64(now.Tick + 1)
						f.Logical(a).Set(At(2*n, 0, 0))
						f.Logical(b).Set(At(50-n, 0, 0))
						if inStep && now.Tick == 5 {
							reparent()
						}
						local += vel
						if childMoves {
							f.Logical(child).Set(At(local, 0, 0))
						}
					})
					changed, x0, speed := -1.0, 0.0, 0.0
					f.Run(300, FPS(240, 1), func(now ecs.Time) {
						steps := 10 * Seconds(now.Normal)
						if !inStep && now.Frame == 131 {
							before := f.worldX(child)
							reparent()
							f.Near("at once", f.worldX(child), before, 1e-4)
						}
						want := 3 + (2+vel)*steps
						switch {
						case parent == "a":
							f.Near("before", f.worldX(child), want, 1e-4)
							return
						case changed < 0:
							// Samples keep their world poses until the end of the newest step they
							// cover; in a step that is the start of it.
							changed = float64(now.Tick)
							if inStep {
								changed = 5
							}
							x0, speed = 3+(2+vel)*changed, vel
							if to == "other" {
								speed = vel - 1
							}
							if inStep {
								// a has moved in this step already when the child leaves it, and b
								// too
								x0 = 3 + (2+vel)*6
								changed = 6
							}
						}
						if steps >= changed {
							want = x0 + speed*(steps-changed)
						}
						f.Near("after", f.worldX(child), want, 1e-3)
					})
				})
			}
		}
	}
}

func TestReparentKeepLocal(t *testing.T) {
	f := newTreeStage(t, 10)
	a, b := f.Spawn(At(10, 0, 0)), f.Spawn(At(50, 0, 0))
	child := f.child(a, At(1, 0, 0))
	f.Update(0)
	f.reparentLocal(child, b)
	f.Near("at once", f.worldX(child), 51, 0)
	f.Near("logically", f.logicalX(child), 51, 0)
	f.Run(20, FPS(60, 1), func(ecs.Time) { f.Near("later", f.worldX(child), 51, 0) })
	f.parents.Get(child).Entity = a // directly
	f.Near("written directly", f.worldX(child), 11, 0)
	f.Run(20, FPS(60, 1), func(ecs.Time) { f.Near("written directly", f.worldX(child), 11, 0) })
	f.parents.Remove(child)
	f.Near("removed", f.worldX(child), 1, 0)
	f.Run(20, FPS(60, 1), func(ecs.Time) { f.Near("removed", f.worldX(child), 1, 0) })
	f.parents.Assign(child, &components.Parent{Entity: b})
	f.Near("given", f.worldX(child), 51, 0)
	f.Run(20, FPS(60, 1), func(ecs.Time) { f.Near("given", f.worldX(child), 51, 0) })
}

// Case 26, first half: detached is detached at once, and nothing stale is left.
func TestCase26Detach(t *testing.T) {
	f := newTreeStage(t, 10)
	x := f.Spawn(At(5, 0, 0))
	y := f.child(x, At(1, 0, 0))
	z := f.child(y, At(1, 0, 0))
	f.Update(0)
	f.Near("under x", f.worldX(z), 7, 0)
	f.reparentLocal(y, arche.Entity{})
	f.Near("y", f.worldX(y), 1, 0)
	f.Near("z", f.worldX(z), 2, 0)
	f.reparent(y, x)
	f.Near("y kept its place", f.worldX(y), 1, 0)
	f.Near("locally", float64(f.Logical(y).Get().Position[0]), -4, 0)
	f.reparent(y, arche.Entity{})
	f.Near("y", f.worldX(y), 1, 0)
	f.Run(10, FPS(60, 1), func(ecs.Time) { f.Near("z", f.worldX(z), 2, 0) })
	f.reparent(x, arche.Entity{}) // has none, and gets none
	if f.W.Has(x, arche.ComponentID[components.Parent](f.W)) {
		t.Error("detaching a root gave it a Parent")
	}
}

func TestReparentRefuses(t *testing.T) {
	f := newTreeStage(t, 10)
	a := f.Spawn(At(1, 0, 0))
	b := f.child(a, At(1, 0, 0))
	c := f.child(b, At(1, 0, 0))
	dead := f.Spawn(At(0, 0, 0))
	f.Update(0)
	f.W.RemoveEntity(dead)
	for _, pair := range [][2]arche.Entity{{a, a}, {a, b}, {a, c}, {b, c}} {
		if err := f.h.Reparent(pair[0], pair[1]); !errors.Is(err, hierarchy.ErrCycle) {
			t.Errorf("Reparent(%v, %v) = %v, want ErrCycle", pair[0], pair[1], err)
		}
	}
	if f.h.Reparent(dead, a) == nil || f.h.Reparent(a, dead) == nil {
		t.Error("Reparent took a dead entity")
	}
	f.Near("unchanged", f.worldX(c), 3, 0)
	f.Near("unchanged", f.logicalX(c), 3, 0)
	if f.W.Has(a, arche.ComponentID[components.Parent](f.W)) {
		t.Error("a refused Reparent gave a Parent")
	}
}

func keepOrphans(h *hierarchy.Hierarchy3D) { h.KeepOrphans = true }

func logTo(l *slog.Logger) func(*hierarchy.Hierarchy3D) {
	return func(h *hierarchy.Hierarchy3D) { h.Log = l }
}
