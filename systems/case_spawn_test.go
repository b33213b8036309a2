package systems_test

import (
	"math"
	"testing"

	"github.com/mlange-42/arche/generic"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

func TestCase15SpawnNeverFliesIn(t *testing.T) {
	for _, frames := range []schedule{fps(240, 1), fps(60, 1), fps(11, 1)} {
		s := newStageWith(t, ecs.Config{FixedRate: 60, MaxSteps: 10})
		var e arche.Entity
		s.fixed(func(now ecs.Time) {
			switch {
			case now.Tick == 7:
				e = s.spawn(at(500, 0, 0))
			case now.Tick > 7:
				s.logical(e).Set(at(500+float64(now.Tick)-7, 0, 0))
			}
		})
		seen := false
		s.run(400, frames, func(now ecs.Time) {
			if e.IsZero() {
				return
			}
			if v := s.visual(e); v.Position[0] < 500 || v.Rotation != at(0, 0, 0).Rotation || v.Scale != at(0, 0, 0).Scale {
				t.Fatalf("drawn at %v", v)
			}
			if !seen && now.Tick == 8 {
				s.near("first visible pose", s.x(e), 500, 0)
			}
			seen = true
			s.near("path", s.x(e), 500+math.Max(0, seconds(now.Normal)*60-8), 1e-3)
		})
	}
}

func TestCase16SpawnInNormalStages(t *testing.T) {
	s := newStage(t, 10)
	var e arche.Entity
	s.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) {
		if s.Time().Frame == 3 {
			e = s.spawn(at(5, 0, 0))
			s.visuals.Get(e).Set(at(5, 0, 0)) // to be read in this frame already
		}
	}))
	s.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) {
		if !e.IsZero() {
			if v := s.visual(e); v != at(5, 0, 0) {
				t.Errorf("frame %d: drawn at %v", s.Time().Frame, v)
			}
		}
	}))
	s.run(30, fps(60, 1), nil)
	if e.IsZero() {
		t.Fatal("nothing was spawned")
	}
	// The newborn's logical value is shown, and kept to, until its first step.
	late := s.spawn(at(1, 0, 0))
	s.Update(1)
	s.near("newborn", s.x(late), 1, 0)
	s.logical(late).Set(at(2, 0, 0))
	s.Update(1)
	s.near("newborn, moved before its first step", s.x(late), 2, 0)
}

func TestCase16SpawnAndDespawnInOneStep(t *testing.T) {
	s := newStage(t, 60)
	s.fixed(func(now ecs.Time) {
		e := s.spawn(at(1, 0, 0))
		s.logical(e).Set(at(2, 0, 0))
		if now.Tick%2 == 0 {
			s.w.RemoveEntity(e)
		}
		if now.Tick%4 == 1 {
			s.logical(e).SetOver(at(3, 0, 0), 1e9)
		}
	})
	s.Add(ecs.NormalUpdate, ecs.SystemFunc(func(w *arche.World) {
		w.RemoveEntity(s.spawn(at(9, 9, 9)))
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
	s.run(300, fps(144, 1), nil)
	s.w.Batch().RemoveEntities(arche.All())
	s.run(10, fps(30, 1), nil)
}

// Case 17. Being born at the end of a step costs a body the motion of that one step and nothing afterwards.
func TestCase17SpawnOfAMovingBody(t *testing.T) {
	const v, h = 3.0, 1.0 / 60
	s := newStage(t, 60)
	var e arche.Entity
	s.fixed(func(now ecs.Time) {
		x := v * seconds(now.StepEnd)
		if now.Tick == 5 {
			e = s.spawn(at(x, 0, 0))
		} else if now.Tick > 5 {
			s.logical(e).Set(at(x, 0, 0))
		}
	})
	s.run(300, fps(144, 1), func(now ecs.Time) {
		if e.IsZero() {
			return
		}
		off := math.Abs(s.x(e) - v*seconds(now.Normal))
		if limit := v * h; now.Tick == 6 && off > limit+1e-6 {
			t.Fatalf("off by %v in its first step, more than %v", off, limit)
		} else if now.Tick > 6 && off > ulps(4, s.x(e)) {
			t.Fatalf("off by %v after its first step", off)
		}
	})
}

// A spawn before the first step, and one in an engine that already runs, need no value for Visual and no flag.
func TestSpawnSettlesBeforeItsFirstStep(t *testing.T) {
	s := newStage(t, 10)
	e := s.spawn(at(1, 0, 0))
	s.fixed(func(now ecs.Time) { s.logical(e).Set(at(2+float64(now.Tick), 0, 0)) })
	s.run(50, fps(60, 1), func(now ecs.Time) {
		s.near("position", s.x(e), 1+10*seconds(now.Normal), 1e-5)
	})
}
