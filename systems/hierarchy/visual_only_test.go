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
	"github.com/tandem-ecs/tandem/systems/hierarchy"
)

// A system between the synchronizer and the propagation may change the world's structure.
func TestStructureChangedBetweenSyncAndPropagation(t *testing.T) {
	f := newTreeStage(t, 10)
	root := f.Spawn(At(0, 0, 0))
	var all []arche.Entity
	for range 50 {
		all = append(all, f.child(root, At(0, 0, 0)))
	}
	f.Fixed(func(now ecs.Time) {
		for _, e := range all {
			f.Logical(e).Set(At(float64(now.Tick)+1, 0, 0))
		}
	})
	sh := NewShuffler(f.W, 3)
	f.AddAt(ecs.VisualSync, (ecs.OrderSync+hierarchy.OrderPropagate)/2, ecs.SystemFunc(func(*arche.World) {
		if f.Time().Frame > 3 {
			for range 10 {
				sh.Shuffle(all[sh.IntN(len(all))])
			}
			k := sh.IntN(len(all))
			f.W.RemoveEntity(all[k])
			all = append(all[:k], all[k+1:]...)
		}
	}))
	f.Run(40, FPS(60, 1), func(now ecs.Time) {
		reported := 0
		f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
			if e != root {
				reported++
				f.Near("drawn", float64(m[12]), 10*Seconds(now.Normal), 1e-4)
			}
		})
		if reported != len(all) {
			t.Fatalf("reported %d, want %d", reported, len(all))
		}
	})
}

// arche takes an emptied table whose relation's target is dead out of its caches; entities in such
// tables get and lose samples like others.
func TestTablesOfDeadTargets(t *testing.T) {
	s := NewStage(t, 10, hierarchy.New3D())
	g := arche.ComponentID[Group](s.W)
	parents := generic.NewMap1[components.Parent](s.W)
	var all, targets []arche.Entity
	for k := range 8 {
		target := s.W.NewEntity()
		e := s.Spawn(At(float64(k), 0, 0))
		s.W.Add(e, g)
		s.W.Relations().Set(e, g, target)
		parents.Assign(e, &components.Parent{})
		all, targets = append(all, e), append(targets, target)
	}
	for _, target := range targets {
		s.W.RemoveEntity(target)
	}
	check := func() {
		t.Helper()
		for k, e := range all {
			s.Near("drawn", s.X(e), float64(k), 0)
		}
	}
	s.Update(0)
	check()
	for _, e := range all {
		s.Visuals.Remove(e)
	}
	s.Update(100 * time.Millisecond)
	for _, e := range all {
		s.Visuals.Add(e)
	}
	s.Update(100 * time.Millisecond)
	check()
	s.Close()
}

// Only visual entities take part in hierarchies, under simulated parents and over them.
func TestVisualOnlyEntitiesInHierarchies(t *testing.T) {
	f := newTreeStage(t, 10)
	ship := f.Spawn(At(0, 0, 0))
	v := components.NewVisual(At(0, 1, 0))
	smoke := f.Visuals.NewWith(&v)
	f.parents.Assign(smoke, &components.Parent{Entity: ship})
	spark := f.Visuals.NewWith(&v)
	f.parents.Assign(spark, &components.Parent{Entity: smoke})
	probe := f.child(spark, At(0, 0, 1)) // simulated, under something that is not
	f.Fixed(func(now ecs.Time) { f.Logical(ship).Set(At(float64(now.Tick)+1, 0, 0)) })
	f.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) {
		f.Visuals.Get(smoke).Set(At(0, 1+math.Floor(Seconds(f.Time().Normal)*4), 0))
	}))
	rise := 0.0
	f.Run(100, FPS(60, 1), func(now ecs.Time) {
		want := mgl32.Vec3{float32(10 * Seconds(now.Normal)), float32(2 + rise), 0}
		reported := false
		f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
			if e == spark {
				reported = true
				if got := m.Col(3).Vec3(); got.Sub(want).Len() > 1e-4 {
					t.Fatalf("the pass has the spark at %v, want %v", got, want)
				}
			}
		})
		if !reported {
			t.Fatal("the pass leaves the spark out")
		}
		rise = math.Floor(Seconds(now.Normal) * 4) // is in the picture of the next frame
		want[1] = float32(2 + rise)
		if got := f.h.VisualWorld(spark).Col(3).Vec3(); got.Sub(want).Len() > 1e-4 {
			t.Fatalf("the spark is at %v, want %v", got, want)
		}
		// The simulation knows nothing of what is only seen.
		if got := f.h.LogicalWorld(probe).Col(3).Vec3(); got != (mgl32.Vec3{float32(now.Tick), 0, 1}) {
			t.Fatalf("logically the probe is at %v", got)
		}
	})
}

// Normal systems may turn what is only visual by any quaternion that points the right way.
func TestVisualOnlyRotationsAreNormalised(t *testing.T) {
	f := newTreeStage(t, 10)
	v := components.NewVisual(At(0, 0, 0))
	rig := f.Visuals.NewWith(&v)
	v = components.NewVisual(At(1, 0, 0))
	lens := f.Visuals.NewWith(&v)
	f.parents.Assign(lens, &components.Parent{Entity: rig})
	for _, length := range []float32{1, 2, 1e-3, 0} {
		pose := At(0, 0, 0)
		pose.Rotation = mgl32.QuatRotate(math.Pi/2, mgl32.Vec3{0, 1, 0}).Scale(length)
		f.Visuals.Get(rig).Set(pose)
		f.Update(time.Millisecond)
		want := mgl32.Vec3{0, 0, -1}
		if length == 0 {
			want = mgl32.Vec3{1, 0, 0} // no direction: unrotated
		}
		if got := f.h.VisualWorld(lens).Col(3).Vec3(); got.Sub(want).Len() > 1e-6 {
			t.Errorf("under a quaternion of length %v the lens is at %v, want %v", length, got, want)
		}
	}
}
