package systems_test

import (
	"math"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

func TestCase11TeleportIsNeverSmeared(t *testing.T) {
	// The last schedules run many steps in a frame, so that the jump falls into any of several catch-up steps.
	for name, frames := range map[string]schedule{"240": fps(240, 1), "61": fps(61, 1), "7": fps(7, 1), "5": fps(5, 1)} {
		for k := uint64(20); k < 32; k++ {
			s := newStageWith(t, ecs.Config{FixedRate: 60, MaxSteps: 20})
			e := s.spawn(components.Identity3D())
			var jump time.Duration
			s.fixed(func(now ecs.Time) {
				x := seconds(now.StepEnd)
				switch {
				case now.Tick == k:
					jump = now.StepStart
					s.logical(e).Teleport(at(1000, 0, 0))
				case now.Tick > k:
					s.logical(e).Set(at(1000+x-seconds(jump)-1.0/60, 0, 0))
				default:
					s.logical(e).Set(at(x, 0, 0))
				}
			})
			s.run(200, frames, func(now ecs.Time) {
				if now.Tick <= k {
					s.near(name+" before", s.x(e), seconds(now.Normal), 1e-6)
					return
				}
				s.near(name+" after", s.x(e), 1000+math.Max(0, seconds(now.Normal-jump)-1.0/60), 1e-3)
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
		func(l *components.Transform3D) { l.Set(at(1001, 0, 0)) },
		func(l *components.Transform3D) { l.SetOver(at(1001, 0, 0), time.Second) },
		func(l *components.Transform3D) { l.Correct(at(1001, 0, 0)) },
		func(l *components.Transform3D) { l.Set(at(5, 0, 0)); l.SetOver(at(7, 0, 0), 3); l.Set(at(1001, 0, 0)) },
	} {
		s := newStage(t, 10)
		e := s.spawn(components.Identity3D())
		s.fixed(func(now ecs.Time) {
			l := s.logical(e)
			switch {
			case now.Tick == 5:
				l.Teleport(at(1000, 0, 0))
				write(l)
			case now.Tick > 5:
				l.Set(at(1001+float64(now.Tick)-5, 0, 0))
			default:
				l.Set(at(float64(now.Tick)+1, 0, 0))
			}
		})
		s.run(400, fps(240, 1), func(now ecs.Time) {
			steps := 10 * seconds(now.Normal)
			want := steps
			if now.Tick > 5 {
				want = 1001 + math.Max(0, steps-6)
			}
			s.near("path", s.x(e), want, 1e-3)
		})
	}
}

func TestCase13LastTeleportWins(t *testing.T) {
	for name, write := range map[string]func(l *components.Transform3D){
		"move, then jump": func(l *components.Transform3D) { l.Set(at(50, 0, 0)); l.Teleport(at(1000, 0, 0)) },
		"twice":           func(l *components.Transform3D) { l.Teleport(at(-70, 0, 0)); l.Teleport(at(1000, 0, 0)) },
		"slow, then jump": func(l *components.Transform3D) { l.SetOver(at(50, 0, 0), time.Hour); l.Teleport(at(1000, 0, 0)) },
		"mend, then jump": func(l *components.Transform3D) { l.Correct(at(50, 0, 0)); l.Teleport(at(1000, 0, 0)) },
		"jump, move, jump": func(l *components.Transform3D) {
			l.Teleport(at(3, 0, 0))
			l.Set(at(4, 0, 0))
			l.Teleport(at(1000, 0, 0))
		},
	} {
		s := newStage(t, 10)
		e := s.spawn(components.Identity3D())
		s.fixed(func(now ecs.Time) {
			if now.Tick == 5 {
				write(s.logical(e))
			}
		})
		s.run(300, fps(240, 1), func(now ecs.Time) {
			want := 0.0
			if now.Tick > 5 {
				want = 1000
			}
			s.near(name, s.x(e), want, 0)
		})
	}
}

// A motion in a later step of the same frame starts where the jump went, not where it came from.
func TestMotionAfterTeleportInCatchUpSteps(t *testing.T) {
	s := newStageWith(t, ecs.Config{FixedRate: 100, MaxSteps: 20})
	e := s.spawn(components.Identity3D())
	s.fixed(func(now ecs.Time) {
		switch {
		case now.Tick%10 == 3:
			s.logical(e).Teleport(at(float64(now.Tick)*1000, 0, 0))
		case now.Tick%10 > 3:
			p := s.logical(e).Get()
			p.Position[0]++
			s.logical(e).Set(p)
		}
	})
	s.run(40, constant(95*time.Millisecond), func(now ecs.Time) {
		tick := uint64(now.Normal / (10 * time.Millisecond))
		part := seconds(now.Normal)*100 - float64(tick)
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
		s.near("path", s.x(e), want, ulps(2, want))
	})
}
