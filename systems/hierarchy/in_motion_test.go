package hierarchy_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

// inMotion spawns an entity that appears in motion.
func (f *treeStage) inMotion(from, to components.Pose3D) arche.Entity {
	both := generic.NewMap2[components.Transform3D, components.Visual3D](f.W)
	l, v := components.InMotion(from, to)
	return both.NewWith(&l, &v)
}

// Children appear in motion in the frame of their parent, which moves and turns itself: made in a
// fixed step, and in a normal stage. A DespawnAfter of the parent takes them with it, in the same
// frame.
func TestChildrenAppearInMotion(t *testing.T) {
	const step = 50 * time.Millisecond
	for _, frames := range []Schedule{Constant(4 * time.Millisecond), FPS(60, 1), Constant(91 * time.Millisecond), Between(4*time.Millisecond, 91*time.Millisecond, 3)} {
		f := newTreeStage(t, 20)
		ship := f.Spawn(At(0, 0, 0))
		type shot struct {
			entity, parent arche.Entity
			born           time.Duration
		}
		var shots []shot
		child := func(parent arche.Entity, born time.Duration) arche.Entity {
			e := f.inMotion(At(1, 0, 0), At(3, 0, 0))
			f.parents.Assign(e, &components.Parent{Entity: parent})
			shots = append(shots, shot{e, parent, born})
			return e
		}
		const end = 13*step + 20*time.Millisecond
		f.Fixed(func(now ecs.Time) {
			if !f.W.Alive(ship) {
				return
			}
			f.Logical(ship).Set(Turned(At(2*float64(now.Tick+1), 0, 0), TurnY(10*float64(now.Tick+1))))
			if now.Tick == 4 {
				child(child(ship, now.StepStart), now.StepStart)
			}
			if now.Tick == 12 {
				f.Commands().DespawnAfter(ship, end-now.StepStart)
			}
		})
		late := false
		f.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) {
			if now := f.Time(); now.Tick > 6 && !late {
				late = true
				child(child(ship, now.Fixed), now.Fixed)
			}
		}))
		local := func(now ecs.Time, o shot) mgl32.Mat4 {
			share := float64(now.Normal-o.born) / float64(step)
			return At(1+2*min(max(share, 0), 1), 0, 0).Mat4()
		}
		seen := 0
		f.Run(300, frames, func(now ecs.Time) {
			if gone := now.Normal >= end; f.W.Alive(ship) == gone {
				t.Fatalf("at %v the ship is there: %v", now.Normal, !gone)
			}
			if !f.W.Alive(ship) {
				for _, o := range shots {
					if f.W.Alive(o.entity) {
						t.Fatalf("a child is there at %v, after its parent", now.Normal)
					}
				}
				return
			}
			steps := float64(now.Normal) / float64(step)
			root := Turned(At(2*steps, 0, 0), TurnY(10*steps)).Mat4()
			world := map[arche.Entity]mgl32.Mat4{ship: root}
			for _, o := range shots {
				world[o.entity] = world[o.parent].Mul4(local(now, o))
				if late && o.born > f.Time().Fixed-step && now.Normal < o.born {
					// made after the propagation
					continue
				}
				if got := f.h.VisualWorld(o.entity); !nearMat(got, world[o.entity], 2e-4) {
					t.Fatalf("at %v a child is drawn at\n%v, want\n%v", now.Normal, got, world[o.entity])
				}
			}
			f.h.EachVisualWorld(func(e arche.Entity, got *mgl32.Mat4) {
				if !nearMat(*got, world[e], 2e-4) {
					t.Fatalf("at %v a member is drawn at\n%v, want\n%v", now.Normal, *got, world[e])
				}
				seen++
			})
		})
		if seen < 10 || len(shots) != 4 {
			t.Errorf("only %d pictures of %d shots", seen, len(shots))
		}
	}
}

// An entity that gets a parent in the step that makes it keeps its path through the world.
func TestReparentInTheStepThatMakesIt(t *testing.T) {
	for _, frames := range []Schedule{Constant(4 * time.Millisecond), Constant(91 * time.Millisecond)} {
		f := newTreeStage(t, 20)
		ship := f.Spawn(At(0, 0, 0))
		var e arche.Entity
		var born time.Duration
		f.Fixed(func(now ecs.Time) {
			f.Logical(ship).Set(At(5*float64(now.Tick+1), 0, 0))
			if now.Tick == 4 {
				e, born = f.inMotion(At(7, 1, 0), At(9, 2, 0)), now.StepStart
				f.reparent(e, ship)
			}
		})
		f.Run(60, frames, func(now ecs.Time) {
			if e.IsZero() {
				return
			}
			steps := float64(now.Normal-born) / float64(50*time.Millisecond)
			want := 7 + 2*steps
			if steps > 1 { // at rest in the ship's frame
				want = 9 + 5*(steps-1)
			}
			f.Near("drawn", f.worldX(e), want, 1e-4)
			f.Near("drawn at y", float64(f.h.VisualWorld(e)[13]), 1+math.Min(steps, 1), 1e-4)
		})
	}
}
