package interpolation_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

func TestCase32StartOfAStepShowsTheOldSample(t *testing.T) {
	s := NewStage(t, 10)
	e := s.Spawn(At(-1, 0, 0))
	s.Fixed(func(now ecs.Time) { s.Logical(e).Set(At(float64(now.Tick), 0, 0)) })
	s.Run(20, Constant(100*time.Millisecond), func(now ecs.Time) {
		if now.Normal == now.StepStart {
			s.Near("at the start of the step that just ran", s.X(e), float64(now.Tick)-2, 0)
		}
	})
	s = NewStage(t, 10)
	e = mover(s, [3]float64{10, 0, 0})
	s.Update(0)
	s.Near("at time zero", s.X(e), 0, 0)
	s.Run(30, func(i int) time.Duration { return []time.Duration{100 * time.Millisecond, 0, 0}[i%3] }, func(now ecs.Time) {
		s.Near("at an edge", s.X(e), 10*Seconds(now.Normal), 1e-6)
	})
}

// colour is a type of the user's own.
type colour struct{ R, G, B float32 }

func TestCase34ArrivedIsExactAndLeftAlone(t *testing.T) {
	blends := 0
	ip := interpolation.New(func(a, b colour, f float32) colour {
		blends++
		return colour{a.R + (b.R-a.R)*f, a.G + (b.G-a.G)*f, a.B + (b.B-a.B)*f}
	})
	s := NewStage(t, 10, ip)
	logical := arche.ComponentID[components.Logical[colour]](s.W)
	visual := arche.ComponentID[components.Visual[colour]](s.W)
	var all []arche.Entity
	for range 10 {
		e := s.W.NewEntity(logical, visual)
		*(*components.Logical[colour])(s.W.Get(e, logical)) = components.NewLogical(colour{0.1, 0.2, 0.3})
		all = append(all, e)
	}
	last := colour{0.7, 1.0 / 3, 1e-20}
	pose := s.Spawn(components.Identity3D())
	target := Turned(At(0.1, 1.0/3, 1e5), Turn(33, 1, 2, 3))
	s.Fixed(func(now ecs.Time) {
		for k, e := range all {
			l := (*components.Logical[colour])(s.W.Get(e, logical))
			switch {
			case now.Tick == 3:
				l.Set(last)
			case now.Tick == 1 && k%2 == 0:
				l.SetOver(colour{1, 1, 1}, 170*time.Millisecond)
			}
		}
		if now.Tick == 3 {
			s.Logical(pose).Set(target)
		}
	})
	s.Run(100, FPS(60, 1), func(now ecs.Time) {
		if now.Normal < now.StepStart || now.Tick <= 4 {
			blends = 0
			return
		}
		for _, e := range all {
			if got := *(*colour)(s.W.Get(e, visual)); got != last {
				t.Fatalf("arrived at %v, want %v to the bit", got, last)
			}
		}
		want := target
		want.Rotation = components.NormalizeQuat(want.Rotation)
		if got := s.Visual(pose); got != want {
			t.Fatalf("arrived at %v, want %v to the bit", got, want)
		}
	})
	if blends != 0 {
		t.Errorf("resting values were blended %d times", blends)
	}
}

func TestCase35EqualWritesChangeNothing(t *testing.T) {
	blends := 0
	ip := interpolation.New(func(a, b colour, f float32) colour { blends++; return a })
	s := NewStage(t, 60, ip)
	logical := arche.ComponentID[components.Logical[colour]](s.W)
	visual := arche.ComponentID[components.Visual[colour]](s.W)
	ce := s.W.NewEntity(logical, visual)
	want := Turned(At(0.1, 0.2, 0.3), Turn(10, 1, 1, 0))
	want.Rotation = components.NormalizeQuat(want.Rotation)
	e := s.Spawn(want)
	s.Fixed(func(now ecs.Time) {
		s.Logical(e).Set(want)
		l := (*components.Logical[colour])(s.W.Get(ce, logical))
		switch now.Tick % 4 {
		case 0, 1:
			l.Set(colour{})
		case 2:
			l.SetOver(colour{}, time.Second)
		case 3:
			l.Correct(colour{})
		}
	})
	s.Run(2400, FPS(144, 1), func(ecs.Time) {
		if got := s.Visual(e); got != want {
			t.Fatalf("drawn at %v, want %v to the bit", got, want)
		}
		both, ok := s.Poses.Samples(e)
		prev, cur, _, _ := both.From, both.To, both.Start, both.End
		if !ok || prev != want || cur != want {
			t.Fatalf("samples %v and %v", prev, cur)
		}
	})
	if s.Time().Tick < 1000 || blends != 0 {
		t.Errorf("%d steps, %d blends; want at least 1000 and none", s.Time().Tick, blends)
	}
}

// A visual value at rest is not written, so comparisons find no change. Even one that other code
// has overwritten stays.
func TestRestingValuesAreNotWritten(t *testing.T) {
	s := NewStage(t, 60)
	e := s.Spawn(At(1, 0, 0))
	mover := mover(s, [3]float64{1, 0, 0})
	s.Run(10, FPS(60, 1), nil)
	s.Visuals.Get(e).Set(At(7, 0, 0))
	s.Run(100, FPS(144, 1), func(ecs.Time) {
		s.Near("tampered", s.X(e), 7, 0)
		onTheLine(s, mover, [3]float64{1, 0, 0})
	})
}
