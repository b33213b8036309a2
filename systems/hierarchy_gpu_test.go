package systems_test

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

// Whoever is marked for the graphics processor after the sync was blended in it, and his children are drawn where that has put him.
func TestMarkedForTheGPUBetweenSyncAndPropagation(t *testing.T) {
	f := newFamily(t, 10)
	root := f.spawn(at(0, 0, 0))
	child := f.child(root, at(1, 0, 0))
	f.fixed(func(now ecs.Time) { f.logical(root).Set(at(float64(now.Tick)+1, 0, 0)) })
	id, mark := arche.ComponentID[components.InterpolateOnGPU](f.w), false
	f.AddAt(ecs.VisualSync, ecs.OrderSync+1, ecs.SystemFunc(func(*arche.World) {
		if mark {
			f.w.Add(root, id)
			mark = false
		}
	}))
	f.run(3, constant(110*time.Millisecond), nil)
	mark = true
	f.Update(10 * time.Millisecond)
	f.near("the root, by itself", f.x(root), 3.4, 1e-5)
	told := 0
	f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
		told++
		want := 3.4
		if e == child {
			want++
		}
		f.near("in the pass", float64(m[12]), want, 1e-5)
	})
	f.near("members", float64(told), 2, 0)
}
