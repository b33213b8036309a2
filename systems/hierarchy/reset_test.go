package hierarchy_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/motion"
)

// A world that was reset under one engine serves another, whether the first is closed before or
// after that, and whatever it still holds then.
func TestWorldResetAndUsedAgain(t *testing.T) {
	for _, late := range []bool{false, true} {
		w := arche.NewWorld()
		plugins := func() []ecs.Plugin {
			return []ecs.Plugin{hierarchy.New3D(), motion.New3D(), interpolation.NewLinear[float32]()}
		}
		old := NewStageWith(t, ecs.Config{World: &w, FixedRate: 10}, plugins()...)
		parents := generic.NewMap1[components.Parent](&w)
		root := old.Spawn(At(1, 0, 0))
		for range 50 {
			parents.Assign(old.Spawn(At(1, 0, 0)), &components.Parent{Entity: root})
		}
		old.Fixed(func(now ecs.Time) {
			old.Logical(root).Correct(At(float64(now.Tick), 0, 0))
		})
		for range 5 {
			old.Update(70 * time.Millisecond)
		}
		w.Reset()
		if !late {
			old.Close()
		}
		s := NewStageWith(t, ecs.Config{World: &w, FixedRate: 10}, plugins()...)
		root = s.Spawn(At(10, 0, 0))
		child := s.Spawn(At(1, 0, 0))
		parents.Assign(child, &components.Parent{Entity: root})
		h := arche.GetResource[hierarchy.Hierarchy3D](&w)
		s.Update(10 * time.Millisecond)
		if late {
			old.Close()
		}
		s.Logical(root).Set(At(20, 0, 0))
		s.Update(140 * time.Millisecond)
		if _, ok := s.Poses.Samples(child); !ok {
			t.Errorf("closed late %v: samples are gone", late)
		}
		if got := h.VisualWorld(child)[12]; got < 15.99 || got > 16.01 { // half way
			t.Errorf("closed late %v: the child is drawn at %v, want 16", late, got)
		}
		if arche.GetResource[hierarchy.Hierarchy3D](&w) != h {
			t.Errorf("closed late %v: the hierarchy has gone", late)
		}
		s.Close()
	}
}
