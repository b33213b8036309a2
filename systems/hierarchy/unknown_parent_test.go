package hierarchy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
)

// unknownEntity returns an entity that need not be of any world, as a saved game may hold it.
func unknownEntity(t testing.TB, id, generation uint32) (e arche.Entity) {
	t.Helper()
	if err := json.Unmarshal(fmt.Appendf(nil, "[%d,%d]", id, generation), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// A Parent that comes from elsewhere is a dead one, whether its id was never given out in this
// world, or is yet to be given out in that generation.
func TestParentFromAnotherWorld(t *testing.T) {
	for name, of := range map[string]func(free arche.Entity) arche.Entity{
		"an id unheard of":          func(arche.Entity) arche.Entity { return unknownEntity(t, 100, 0) },
		"the largest id":            func(arche.Entity) arche.Entity { return unknownEntity(t, 1<<32-1, 1<<32-1) },
		"the next generation":       func(free arche.Entity) arche.Entity { return unknownEntity(t, free.ID(), free.Generation()+1) },
		"a generation far from now": func(free arche.Entity) arche.Entity { return unknownEntity(t, free.ID(), free.Generation()+7) },
	} {
		for _, keep := range []bool{false, true} {
			for _, stage := range []ecs.Stage{ecs.FixedUpdate, ecs.NormalUpdate, ecs.Render} {
				var options []func(*hierarchy.Hierarchy3D)
				if keep {
					options = append(options, keepOrphans)
				}
				f := newTreeStage(t, 10, options...)
				root := f.Spawn(At(100, 0, 0))
				old := f.child(root, At(1, 0, 0))
				free, spare := f.W.NewEntity(), f.W.NewEntity()
				f.W.RemoveEntity(free)
				f.W.RemoveEntity(spare) // whose id the newcomer gets
				f.Update(10 * time.Millisecond)
				unknown := of(free)
				var fresh, below arche.Entity
				done := false
				f.Add(stage, ecs.SystemFunc(func(*arche.World) {
					if done {
						return
					}
					done = true
					f.parents.Get(old).Entity = unknown
					f.Near(name+", drawn at once", f.worldX(old), 1, 0)
					f.Near(name+", known at once", f.logicalX(old), 1, 0)
					if err := f.h.Reparent(root, unknown); err == nil || !strings.Contains(err.Error(), "dead") {
						t.Errorf("%s: Reparent to it: %v", name, err)
					}
					f.Poses.Shift(MoveX(0))
					fresh = f.W.NewEntity()
					l := components.NewLogical(At(2, 0, 0))
					f.Logicals.Assign(fresh, &l)
					f.parents.Assign(fresh, &components.Parent{Entity: unknown})
					f.Visuals.Add(fresh)
				}))
				f.Update(100 * time.Millisecond)
				if stage == ecs.FixedUpdate && !keep {
					if f.W.Alive(old) || f.W.Alive(fresh) {
						t.Errorf("%s: children outlived the step", name)
					}
				}
				f.Update(time.Millisecond)
				if f.W.Alive(old) != keep || f.W.Alive(fresh) != keep || !f.W.Alive(root) {
					t.Fatalf("%s, in %v, orphans stay %v: child %v, newcomer %v", name, stage, keep, f.W.Alive(old), f.W.Alive(fresh))
				}
				if keep {
					f.Near(name+", drawn", f.worldX(old), 1, 0)
					f.Near(name+", newcomer drawn", f.worldX(fresh), 2, 0)
					below = f.child(fresh, At(1, 0, 0))
					f.Update(time.Millisecond)
					f.Near(name+", drawn below", f.worldX(below), 3, 0)
				}
			}
		}
	}
}

// Methods that get an entity of another world say so.
func TestPoseOfAnUnknownEntity(t *testing.T) {
	f := newTreeStage(t, 10)
	f.Update(0)
	free := f.W.NewEntity()
	f.W.RemoveEntity(free)
	for _, e := range []arche.Entity{{}, unknownEntity(t, 99, 0), unknownEntity(t, free.ID(), 1)} {
		MustSay(t, "a stranger's picture", func() { f.h.VisualWorld(e) }, "VisualWorld", "dead")
		MustSay(t, "a stranger's place", func() { f.h.LogicalWorld(e) }, "LogicalWorld", "dead")
		if err := f.h.Reparent(e, arche.Entity{}); err == nil {
			t.Errorf("%v got a parent", e)
		}
	}
}

// Members are the entities that have a Parent, with any entity in it, and the entities that a
// Parent names. None stays one without a reason.
func TestFormerMembersAreReleased(t *testing.T) {
	f := newTreeStage(t, 10)
	members := func() map[arche.Entity]bool {
		f.Update(time.Millisecond)
		found := map[arche.Entity]bool{}
		f.h.EachVisualWorld(func(e arche.Entity, _ *mgl32.Mat4) { found[e] = true })
		return found
	}
	root := f.Spawn(At(1, 0, 0))
	child := f.child(root, At(1, 0, 0))
	lone := f.child(arche.Entity{}, At(1, 0, 0))
	if m := members(); !m[root] || !m[child] || !m[lone] || len(m) != 3 {
		t.Fatalf("members %v", m)
	}
	f.parents.Remove(lone)
	if m := members(); !m[root] || !m[child] || len(m) != 2 {
		t.Errorf("after the removal of a Parent that names no entity: %v", m)
	}
	f.parents.Get(child).Entity = arche.Entity{}
	if m := members(); !m[child] || len(m) != 1 {
		t.Errorf("after a Parent was zeroed: %v", m)
	}
	f.parents.Remove(child)
	if m := members(); len(m) != 0 {
		t.Errorf("after that has gone, too: %v", m)
	}
	// ID 0 belongs to no entity, in any generation.
	f.parents.Assign(root, &components.Parent{Entity: unknownEntity(t, 0, 1)})
	if m := members(); !m[root] || len(m) != 1 || !f.W.Alive(root) {
		t.Errorf("with ID 0 and generation 1 for a parent: %v", m)
	}
}
