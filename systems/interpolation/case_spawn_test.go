package interpolation_test

import (
	"math"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

func TestCase15SpawnIsNotInterpolated(t *testing.T) {
	for _, frames := range []Schedule{FPS(240, 1), FPS(60, 1), FPS(11, 1)} {
		s := NewStageWith(t, ecs.Config{FixedRate: 60, MaxSteps: 10})
		var e arche.Entity
		s.Fixed(func(now ecs.Time) {
			switch {
			case now.Tick == 7:
				e = s.Spawn(At(500, 0, 0))
			case now.Tick > 7:
				s.Logical(e).Set(At(500+float64(now.Tick)-7, 0, 0))
			}
		})
		seen := false
		s.Run(400, frames, func(now ecs.Time) {
			if e.IsZero() {
				return
			}
			if v := s.Visual(e); v.Position[0] < 500 || v.Rotation != At(0, 0, 0).Rotation || v.Scale != At(0, 0, 0).Scale {
				t.Fatalf("drawn at %v", v)
			}
			if !seen && now.Tick == 8 {
				s.Near("first visible pose", s.X(e), 500, 0)
			}
			seen = true
			s.Near("path", s.X(e), 500+math.Max(0, Seconds(now.Normal)*60-8), 1e-3)
		})
	}
}

func TestCase16SpawnInNormalStages(t *testing.T) {
	s := NewStage(t, 10)
	var e arche.Entity
	s.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) {
		if s.Time().Frame == 3 {
			e = s.Spawn(At(5, 0, 0))
			s.Visuals.Get(e).Set(At(5, 0, 0)) // to be read in this frame already
		}
	}))
	s.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) {
		if !e.IsZero() {
			if v := s.Visual(e); v != At(5, 0, 0) {
				t.Errorf("frame %d: drawn at %v", s.Time().Frame, v)
			}
		}
	}))
	s.Run(30, FPS(60, 1), nil)
	if e.IsZero() {
		t.Fatal("nothing was spawned")
	}
	// The newborn's logical value is shown, and kept to, until its first step.
	late := s.Spawn(At(1, 0, 0))
	s.Update(1)
	s.Near("newborn", s.X(late), 1, 0)
	s.Logical(late).Set(At(2, 0, 0))
	s.Update(1)
	s.Near("newborn, moved before its first step", s.X(late), 2, 0)
}

func TestCase16SpawnAndDespawnInOneStep(t *testing.T) {
	s := NewStage(t, 60)
	s.Fixed(func(now ecs.Time) {
		e := s.Spawn(At(1, 0, 0))
		s.Logical(e).Set(At(2, 0, 0))
		if now.Tick%2 == 0 {
			s.W.RemoveEntity(e)
		}
		if now.Tick%4 == 1 {
			s.Logical(e).SetOver(At(3, 0, 0), 1e9)
		}
	})
	s.Add(ecs.NormalUpdate, ecs.SystemFunc(func(w *arche.World) {
		w.RemoveEntity(s.Spawn(At(9, 9, 9)))
		filter := generic.NewFilter1[components.Visual3D]()
		query := filter.Query(w)
		for query.Next() {
			if v := query.Get().Get(); v.Position[0] != 2 && v.Position[0] != 3 {
				t.Errorf("drawn at %v", v)
			}
		}
		if s.Time().Frame%50 == 0 {
			w.Batch().RemoveEntities(arche.All())
		}
	}))
	s.Run(300, FPS(144, 1), nil)
	s.W.Batch().RemoveEntities(arche.All())
	s.Run(10, FPS(30, 1), nil)
}

// Case 17. Being born at the end of a step costs a body the motion of that one step and nothing
// afterwards.
func TestCase17SpawnOfAMovingBody(t *testing.T) {
	const v, h = 3.0, 1.0 / 60
	s := NewStage(t, 60)
	var e arche.Entity
	s.Fixed(func(now ecs.Time) {
		x := v * Seconds(now.StepEnd)
		if now.Tick == 5 {
			e = s.Spawn(At(x, 0, 0))
		} else if now.Tick > 5 {
			s.Logical(e).Set(At(x, 0, 0))
		}
	})
	s.Run(300, FPS(144, 1), func(now ecs.Time) {
		if e.IsZero() {
			return
		}
		off := math.Abs(s.X(e) - v*Seconds(now.Normal))
		if limit := v * h; now.Tick == 6 && off > limit+1e-6 {
			t.Fatalf("off by %v in its first step, more than %v", off, limit)
		} else if now.Tick > 6 && off > ulps(4, s.X(e)) {
			t.Fatalf("off by %v after its first step", off)
		}
	})
}

// A spawn before the first step, and one in an engine that already runs, need no value for Visual
// and no flag.
func TestSpawnSettlesBeforeItsFirstStep(t *testing.T) {
	s := NewStage(t, 10)
	e := s.Spawn(At(1, 0, 0))
	s.Fixed(func(now ecs.Time) { s.Logical(e).Set(At(2+float64(now.Tick), 0, 0)) })
	s.Run(50, FPS(60, 1), func(now ecs.Time) {
		s.Near("position", s.X(e), 1+10*Seconds(now.Normal), 1e-5)
	})
}
