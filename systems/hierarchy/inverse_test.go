package hierarchy_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// contents returns the bytes of all components of entities, also of the hidden ones.
func contents(w *arche.World, entities []arche.Entity) map[arche.Entity]map[arche.ID]any {
	all := map[arche.Entity]map[arche.ID]any{}
	for _, e := range entities {
		all[e] = map[arche.ID]any{}
		for _, id := range w.Ids(e) {
			info, _ := arche.ComponentInfo(w, id)
			bytes := reflect.ArrayOf(int(info.Type.Size()), reflect.TypeFor[byte]())
			all[e][id] = reflect.NewAt(bytes, w.Get(e, id)).Elem().Interface()
		}
	}
	return all
}

// In random trees whose scales pass zero, Reparent either keeps a finite world pose or returns
// ErrNoInverse and changes no bit of any component.
func TestReparentWithoutAnInverseChangesNothing(t *testing.T) {
	refused := 0
	for seed := range Few(uint64(40)) {
		refused += refuseAtRandom(t, seed, hierarchy.New3D(), interpolation.New3D(), func(r *rand.Rand) components.Pose3D {
			p := components.At3D(r.Float32(), r.Float32(), r.Float32())
			p.Rotation = mgl32.QuatRotate(r.Float32(), mgl32.Vec3{0, 1, 0})
			p.Scale = mgl32.Vec3{anyScale(r), anyScale(r), anyScale(r)}
			return p
		}, components.Pose3D.IsFinite, func(m mgl32.Mat4) bool { return m == m })
		refused += refuseAtRandom(t, seed, hierarchy.New2D(), interpolation.New2D(), func(r *rand.Rand) components.Pose2D {
			p := components.At2D(r.Float32(), r.Float32())
			p.Rotation = r.Float32()
			p.Scale = mgl32.Vec2{anyScale(r), anyScale(r)}
			return p
		}, components.Pose2D.IsFinite, func(m mgl32.Mat3) bool { return m == m })
	}
	if refused < 200 && !testing.Short() {
		t.Errorf("only %d calls were refused", refused)
	}
}

// anyScale returns a scale that is often zero or too small for an inverse.
func anyScale(r *rand.Rand) float32 {
	return []float32{1, 2, -1, 0.5, 1, 2, 3, 1, 0, 1e-39}[r.IntN(10)]
}

func refuseAtRandom[P, M any](t *testing.T, seed uint64, h *hierarchy.Hierarchy[P, M], i *interpolation.Interpolator[P],
	pose func(*rand.Rand) P, finite func(P) bool, number func(M) bool) (refused int) {
	r := rand.New(rand.NewPCG(seed, 23))
	engine := MustEngine(10, h, i)
	w := engine.World()
	both := generic.NewMap2[components.Logical[P], components.Visual[P]](w)
	parents := generic.NewMap1[components.Parent](w)
	members := make([]arche.Entity, 6)
	for k := range members {
		logical, visual := components.NewLogical(pose(r)), components.Visual[P]{}
		members[k] = both.NewWith(&logical, &visual)
	}
	try := func() {
		child, parent := members[r.IntN(len(members))], members[r.IntN(len(members))]
		if parents.Get(child) != nil && parents.Get(child).Entity == parent {
			return // it stays, wherever that is
		}
		before := contents(w, members)
		err := h.Reparent(child, parent)
		if err == nil {
			logical, visual := both.Get(child)
			if !finite(logical.Get()) || !finite(visual.Get()) || !number(h.LogicalWorld(child)) || !number(h.VisualWorld(child)) {
				t.Fatalf("seed %d: %v below %v is at %v, drawn at %v", seed, child, parent, logical.Get(), visual.Get())
			}
			return
		}
		if after := contents(w, members); !reflect.DeepEqual(before, after) {
			t.Fatalf("seed %d: %q has changed\n%v to\n%v", seed, err, before, after)
		}
		if errors.Is(err, hierarchy.ErrCycle) {
			return
		}
		refused++
		if !errors.Is(err, hierarchy.ErrNoInverse) || !strings.Contains(err.Error(), "ReparentLocal") {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := h.ReparentLocal(child, parent); err != nil || parents.Get(child).Entity != parent {
			t.Fatalf("seed %d: ReparentLocal: %v", seed, err)
		}
	}
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for range 3 {
			logical, _ := both.Get(members[r.IntN(len(members))])
			switch p := pose(r); r.IntN(3) {
			case 0:
				logical.SetOver(p, time.Duration(r.Int64N(int64(300*time.Millisecond))))
			case 1:
				logical.Teleport(p)
			default:
				logical.Set(p)
			}
		}
		try()
	}))
	engine.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) { try() }))
	for range 60 {
		engine.Update(time.Duration(r.Int64N(int64(60 * time.Millisecond))))
	}
	return refused
}

// A parent that grows from nothing takes no child while its scale is zero, and takes one where the
// child is as soon as it has a size.
func TestReparentUnderAParentThatGrows(t *testing.T) {
	f := newTreeStage(t, 10)
	seed := At(2, 0, 0)
	seed.Scale = mgl32.Vec3{1, 0, 1}
	child, parent := f.Spawn(At(5, 1, 0)), f.Spawn(seed)
	f.Fixed(func(now ecs.Time) {
		if now.Tick == 1 {
			f.Logical(parent).Set(At(2, 0, 0))
		}
	})
	f.Update(0)
	f.Update(50 * time.Millisecond) // the second step is not due yet
	err := f.h.Reparent(child, parent)
	if !errors.Is(err, hierarchy.ErrNoInverse) || !strings.Contains(err.Error(), "0 on the y axis") {
		t.Fatalf("below a parent without height: %v", err)
	}
	f.Update(100 * time.Millisecond) // the picture is in the middle of the step in which it grows
	f.reparent(child, parent)
	for k := range 20 {
		if m := f.h.VisualWorld(child); !nearMat(m, At(5, 1, 0).Mat4(), 1e-4) && k == 0 {
			t.Fatalf("drawn at\n%v", m)
		}
		f.Update(10 * time.Millisecond)
	}
	if m := f.h.VisualWorld(child); !nearMat(m, At(5, 1, 0).Mat4(), 1e-4) {
		t.Errorf("drawn at last at\n%v", m)
	}
}
