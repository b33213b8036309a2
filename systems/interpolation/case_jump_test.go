package interpolation_test

import (
	"math"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

func TestCase11TeleportIsNeverSmeared(t *testing.T) {
	// The last schedules run many steps in a frame, so that the jump falls into any of several
	// catch-up steps.
	for name, frames := range map[string]Schedule{"240": FPS(240, 1), "61": FPS(61, 1), "7": FPS(7, 1), "5": FPS(5, 1)} {
		for k := uint64(20); k < 32; k++ {
			s := NewStageWith(t, ecs.Config{FixedRate: 60, MaxSteps: 20})
			e := s.Spawn(components.Identity3D())
			var jump time.Duration
			s.Fixed(func(now ecs.Time) {
				x := Seconds(now.StepEnd)
				switch {
				case now.Tick == k:
					jump = now.StepStart
					s.Logical(e).Teleport(At(1000, 0, 0))
				case now.Tick > k:
					s.Logical(e).Set(At(1000+x-Seconds(jump)-1.0/60, 0, 0))
				default:
					s.Logical(e).Set(At(x, 0, 0))
				}
			})
			s.Run(200, frames, func(now ecs.Time) {
				if now.Tick <= k {
					s.Near(name+" before", s.X(e), Seconds(now.Normal), 1e-6)
					return
				}
				s.Near(name+" after", s.X(e), 1000+math.Max(0, Seconds(now.Normal-jump)-1.0/60), 1e-3)
				if now.Normal < jump {
					t.Fatal("the step ran before its time")
				}
			})
		}
	}
}

// DESIGN's rule: a write after a jump in the same step belongs to the jump.
func TestCase12MoveAfterTeleportInTheSameStep(t *testing.T) {
	for _, write := range []func(l *components.Transform3D){
		func(l *components.Transform3D) { l.Set(At(1001, 0, 0)) },
		func(l *components.Transform3D) { l.SetOver(At(1001, 0, 0), time.Second) },
		func(l *components.Transform3D) { l.Correct(At(1001, 0, 0)) },
		func(l *components.Transform3D) { l.Set(At(5, 0, 0)); l.SetOver(At(7, 0, 0), 3); l.Set(At(1001, 0, 0)) },
	} {
		s := NewStage(t, 10)
		e := s.Spawn(components.Identity3D())
		s.Fixed(func(now ecs.Time) {
			l := s.Logical(e)
			switch {
			case now.Tick == 5:
				l.Teleport(At(1000, 0, 0))
				write(l)
			case now.Tick > 5:
				l.Set(At(1001+float64(now.Tick)-5, 0, 0))
			default:
				l.Set(At(float64(now.Tick)+1, 0, 0))
			}
		})
		s.Run(400, FPS(240, 1), func(now ecs.Time) {
			steps := 10 * Seconds(now.Normal)
			want := steps
			if now.Tick > 5 {
				want = 1001 + math.Max(0, steps-6)
			}
			s.Near("path", s.X(e), want, 1e-3)
		})
	}
}

func TestCase13LastTeleportWins(t *testing.T) {
	for name, write := range map[string]func(l *components.Transform3D){
		"move, then jump": func(l *components.Transform3D) { l.Set(At(50, 0, 0)); l.Teleport(At(1000, 0, 0)) },
		"twice":           func(l *components.Transform3D) { l.Teleport(At(-70, 0, 0)); l.Teleport(At(1000, 0, 0)) },
		"slow, then jump": func(l *components.Transform3D) { l.SetOver(At(50, 0, 0), time.Hour); l.Teleport(At(1000, 0, 0)) },
		"mend, then jump": func(l *components.Transform3D) { l.Correct(At(50, 0, 0)); l.Teleport(At(1000, 0, 0)) },
		"jump, move, jump": func(l *components.Transform3D) {
			l.Teleport(At(3, 0, 0))
			l.Set(At(4, 0, 0))
			l.Teleport(At(1000, 0, 0))
		},
	} {
		s := NewStage(t, 10)
		e := s.Spawn(components.Identity3D())
		s.Fixed(func(now ecs.Time) {
			if now.Tick == 5 {
				write(s.Logical(e))
			}
		})
		s.Run(300, FPS(240, 1), func(now ecs.Time) {
			want := 0.0
			if now.Tick > 5 {
				want = 1000
			}
			s.Near(name, s.X(e), want, 0)
		})
	}
}

// A motion in a later step of the same frame starts where the jump went, not where it came from.
func TestMotionAfterTeleportInCatchUpSteps(t *testing.T) {
	s := NewStageWith(t, ecs.Config{FixedRate: 100, MaxSteps: 20})
	e := s.Spawn(components.Identity3D())
	s.Fixed(func(now ecs.Time) {
		switch {
		case now.Tick%10 == 3:
			s.Logical(e).Teleport(At(float64(now.Tick)*1000, 0, 0))
		case now.Tick%10 > 3:
			p := s.Logical(e).Get()
			p.Position[0]++
			s.Logical(e).Set(p)
		}
	})
	s.Run(40, Constant(95*time.Millisecond), func(now ecs.Time) {
		tick := uint64(now.Normal / (10 * time.Millisecond))
		part := Seconds(now.Normal)*100 - float64(tick)
		cycle, phase := tick/10*10+3, tick%10
		want := 0.0
		switch {
		case phase == 3:
			want = float64(cycle) * 1000
		case phase > 3:
			want = float64(cycle)*1000 + float64(phase) - 4 + part
		case cycle > 10:
			want = float64(cycle-10)*1000 + 6
		}
		s.Near("path", s.X(e), want, ulps(2, want))
	})
}
