package systems_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

// A world that was reset under one engine serves another, whether the first is closed before or after that, and whatever it still holds then.
func TestWorldResetAndUsedAgain(t *testing.T) {
	for _, late := range []bool{false, true} {
		w := arche.NewWorld()
		plugins := func() []ecs.Plugin {
			return []ecs.Plugin{systems.Hierarchy3D(), systems.Motion3D(), systems.InterpolationLinear[float32]()}
		}
		old := newStageWith(t, ecs.Config{World: &w, FixedRate: 10}, plugins()...)
		parents := generic.NewMap1[components.Parent](&w)
		root := old.spawn(at(1, 0, 0))
		for range 50 {
			parents.Assign(old.spawn(at(1, 0, 0)), &components.Parent{Entity: root})
		}
		old.fixed(func(now ecs.Time) {
			old.logical(root).Correct(at(float64(now.Tick), 0, 0))
		})
		for range 5 {
			old.Update(70 * time.Millisecond)
		}
		w.Reset()
		if !late {
			old.Close()
		}
		s := newStageWith(t, ecs.Config{World: &w, FixedRate: 10}, plugins()...)
		root = s.spawn(at(10, 0, 0))
		child := s.spawn(at(1, 0, 0))
		parents.Assign(child, &components.Parent{Entity: root})
		h := arche.GetResource[systems.Hierarchy](&w)
		s.Update(10 * time.Millisecond)
		if late {
			old.Close()
		}
		s.logical(root).Set(at(20, 0, 0))
		s.Update(140 * time.Millisecond)
		if _, _, _, _, ok := s.ip.Samples(child); !ok {
			t.Errorf("closed late %v: samples are gone", late)
		}
		if got := h.VisualWorld(child)[12]; got < 15.99 || got > 16.01 { // half way
			t.Errorf("closed late %v: the child is drawn at %v, want 16", late, got)
		}
		if arche.GetResource[systems.Hierarchy](&w) != h {
			t.Errorf("closed late %v: the hierarchy has gone", late)
		}
		s.Close()
	}
}
