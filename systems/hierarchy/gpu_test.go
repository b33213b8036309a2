package hierarchy_test

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

// An entity that is marked for the graphics processor after the sync was blended in the sync, and
// its children are drawn relative to that.
func TestMarkedForTheGPUBetweenSyncAndPropagation(t *testing.T) {
	f := newTreeStage(t, 10)
	root := f.Spawn(At(0, 0, 0))
	child := f.child(root, At(1, 0, 0))
	f.Fixed(func(now ecs.Time) { f.Logical(root).Set(At(float64(now.Tick)+1, 0, 0)) })
	id, mark := arche.ComponentID[components.InterpolateOnGPU](f.W), false
	f.AddAt(ecs.VisualSync, ecs.OrderSync+1, ecs.SystemFunc(func(*arche.World) {
		if mark {
			f.W.Add(root, id)
			mark = false
		}
	}))
	f.Run(3, Constant(110*time.Millisecond), nil)
	mark = true
	f.Update(10 * time.Millisecond)
	f.Near("the root, by itself", f.X(root), 3.4, 1e-5)
	reported := 0
	f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
		reported++
		want := 3.4
		if e == child {
			want++
		}
		f.Near("in the pass", float64(m[12]), want, 1e-5)
	})
	f.Near("members", float64(reported), 2, 0)
}
