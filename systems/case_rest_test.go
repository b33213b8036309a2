package systems_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

func TestCase32StartOfAStepShowsTheOldSample(t *testing.T) {
	s := newStage(t, 10)
	e := s.spawn(at(-1, 0, 0))
	s.fixed(func(now ecs.Time) { s.logical(e).Set(at(float64(now.Tick), 0, 0)) })
	s.run(20, constant(100*time.Millisecond), func(now ecs.Time) {
		if now.Normal == now.StepStart {
			s.near("at the start of the step that just ran", s.x(e), float64(now.Tick)-2, 0)
		}
	})
	s = newStage(t, 10)
	e = s.mover([3]float64{10, 0, 0})
	s.Update(0)
	s.near("at time zero", s.x(e), 0, 0)
	s.run(30, func(i int) time.Duration { return []time.Duration{100 * time.Millisecond, 0, 0}[i%3] }, func(now ecs.Time) {
		s.near("at an edge", s.x(e), 10*seconds(now.Normal), 1e-6)
	})
}

// colour is a type of the user's own.
type colour struct{ R, G, B float32 }

func TestCase34ArrivedIsExactAndLeftAlone(t *testing.T) {
	blends := 0
	ip := systems.Interpolation(func(a, b colour, f float32) colour {
		blends++
		return colour{a.R + (b.R-a.R)*f, a.G + (b.G-a.G)*f, a.B + (b.B-a.B)*f}
	})
	s := newStage(t, 10, ip)
	logical := arche.ComponentID[components.Logical[colour]](s.w)
	visual := arche.ComponentID[components.Visual[colour]](s.w)
	var all []arche.Entity
	for range 10 {
		e := s.w.NewEntity(logical, visual)
		*(*components.Logical[colour])(s.w.Get(e, logical)) = components.NewLogical(colour{0.1, 0.2, 0.3})
		all = append(all, e)
	}
	last := colour{0.7, 1.0 / 3, 1e-20}
	pose := s.spawn(components.Identity3D())
	target := turned(at(0.1, 1.0/3, 1e5), turn(33, 1, 2, 3))
	s.fixed(func(now ecs.Time) {
		for k, e := range all {
			l := (*components.Logical[colour])(s.w.Get(e, logical))
			switch {
			case now.Tick == 3:
				l.Set(last)
			case now.Tick == 1 && k%2 == 0:
				l.SetOver(colour{1, 1, 1}, 170*time.Millisecond)
			}
		}
		if now.Tick == 3 {
			s.logical(pose).Set(target)
		}
	})
	s.run(100, fps(60, 1), func(now ecs.Time) {
		if now.Normal < now.StepStart || now.Tick <= 4 {
			blends = 0
			return
		}
		for _, e := range all {
			if got := *(*colour)(s.w.Get(e, visual)); got != last {
				t.Fatalf("arrived at %v, want %v to the bit", got, last)
			}
		}
		want := target
		want.Rotation = components.NormalizeQuat(want.Rotation)
		if got := s.visual(pose); got != want {
			t.Fatalf("arrived at %v, want %v to the bit", got, want)
		}
	})
	if blends != 0 {
		t.Errorf("resting values were blended %d times", blends)
	}
}

func TestCase35EqualWritesChangeNothing(t *testing.T) {
	blends := 0
	ip := systems.Interpolation(func(a, b colour, f float32) colour { blends++; return a })
	s := newStage(t, 60, ip)
	logical := arche.ComponentID[components.Logical[colour]](s.w)
	visual := arche.ComponentID[components.Visual[colour]](s.w)
	ce := s.w.NewEntity(logical, visual)
	want := turned(at(0.1, 0.2, 0.3), turn(10, 1, 1, 0))
	want.Rotation = components.NormalizeQuat(want.Rotation)
	e := s.spawn(want)
	s.fixed(func(now ecs.Time) {
		s.logical(e).Set(want)
		l := (*components.Logical[colour])(s.w.Get(ce, logical))
		switch now.Tick % 4 {
		case 0, 1:
			l.Set(colour{})
		case 2:
			l.SetOver(colour{}, time.Second)
		case 3:
			l.Correct(colour{})
		}
	})
	s.run(2400, fps(144, 1), func(ecs.Time) {
		if got := s.visual(e); got != want {
			t.Fatalf("drawn at %v, want %v to the bit", got, want)
		}
		prev, cur, _, _, ok := s.ip.Samples(e)
		if !ok || prev != want || cur != want {
			t.Fatalf("samples %v and %v", prev, cur)
		}
	})
	if s.Time().Tick < 1000 || blends != 0 {
		t.Errorf("%d steps, %d blends; want at least 1000 and none", s.Time().Tick, blends)
	}
}

// A visual value that rests is not written, so that whoever compares finds nothing: even one that somebody tampered with stays.
func TestRestingValuesAreNotEvenWritten(t *testing.T) {
	s := newStage(t, 60)
	e := s.spawn(at(1, 0, 0))
	mover := s.mover([3]float64{1, 0, 0})
	s.run(10, fps(60, 1), nil)
	s.visuals.Get(e).Set(at(7, 0, 0))
	s.run(100, fps(144, 1), func(ecs.Time) {
		s.near("tampered", s.x(e), 7, 0)
		s.onTheLine(mover, [3]float64{1, 0, 0})
	})
}
