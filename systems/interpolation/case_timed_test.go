package interpolation_test

import (
	"math"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

func TestCase36SlowWriterMovesEvenly(t *testing.T) {
	s := NewStage(t, 60)
	e := s.Spawn(components.Identity3D())
	// The writer knows when three steps from now end, to the nanosecond.
	edge := func(tick uint64) time.Duration { return time.Duration(tick * uint64(time.Second) / 60) }
	s.Fixed(func(now ecs.Time) {
		if now.Tick%3 == 0 {
			arrival := edge(now.Tick + 3)
			s.Logical(e).SetOver(At(Seconds(arrival), 0, 0), arrival-now.StepStart)
		}
	})
	last := 0.0
	s.Run(1200, FPS(240, 1), func(now ecs.Time) {
		s.Near("position", s.X(e), Seconds(now.Normal), ulps(2, s.X(e)))
		if now.NormalDelta > 0 {
			speed := (s.X(e) - last) / Seconds(now.NormalDelta)
			s.Near("speed", speed, 1, 1e-4*(1+s.X(e)))
		}
		last = s.X(e)
	})
}

// Case 37: a constant speed at 20 Hz, with updates that come late, early, or two in one step. It
// never goes back, waits at the newest value when starved, and makes up for lost time no faster
// than the whole gap in one interval.
func TestCase37LateEarlyAndDoubleUpdates(t *testing.T) {
	const interval = 50 * time.Millisecond
	for late := 1; late <= 5; late++ {
		s := NewStage(t, 60)
		e := s.Spawn(components.Identity3D())
		newest, sent := 0.0, 0
		due := uint64(0)
		s.Fixed(func(now ecs.Time) {
			for now.Tick >= due {
				sent++
				newest = Seconds(interval) * float64(sent)
				s.Logical(e).SetOver(At(newest, 0, 0), interval)
				next := 3 * uint64(sent)
				switch {
				case sent%7 == 0:
					next += uint64(late) // late; the ones behind it may then come two in a step
				case sent%5 == 0:
					next-- // early
				}
				due = next
			}
		})
		last, starved := 0.0, false
		s.Run(1200, FPS(240, 1), func(now ecs.Time) {
			x := s.X(e)
			if x < last {
				t.Fatalf("late by %d: went back from %v to %v", late, last, x)
			}
			if x > newest+1e-6 {
				t.Fatalf("late by %d: %v is beyond the newest value %v", late, x, newest)
			}
			if x == last && now.NormalDelta > 0 {
				starved = true
			}
			// The newest value lies at most the lateness and two intervals ahead of what is drawn.
			most := (float64(late)/60 + 2*Seconds(interval)) / Seconds(interval) * Seconds(now.NormalDelta)
			if d := x - last; d > most+1e-6 {
				t.Fatalf("late by %d: leapt by %v in one frame, more than %v", late, d, most)
			}
			last = x
		})
		if late >= 2 && !starved {
			t.Errorf("late by %d: never starved; the test shows nothing", late)
		}
		s.Near("end", last, newest, 2*Seconds(interval)+1e-6)
	}
}

// Case 38: a body that is written in every step and one that is written with arrival times share
// one way to the screen.
func TestCase38TwoWritersOnePath(t *testing.T) {
	s := NewStage(t, 60)
	local, remote := s.Spawn(components.Identity3D()), s.Spawn(components.Identity3D())
	path := func(d time.Duration) components.Pose3D {
		return Turned(At(3*Seconds(d), -Seconds(d), 0), TurnY(90*Seconds(d)))
	}
	edge := func(tick uint64) time.Duration { return time.Duration(tick * uint64(time.Second) / 60) }
	s.Fixed(func(now ecs.Time) {
		s.Logical(local).Set(path(now.StepEnd))
		if now.Tick%6 == 0 {
			s.Logical(remote).SetOver(path(edge(now.Tick+6)), edge(now.Tick+6)-now.StepStart)
		}
	})
	s.Run(1000, FPS(144, 1), func(ecs.Time) {
		a, b := s.Visual(local), s.Visual(remote)
		if a.Position.Sub(b.Position).Len() > 2e-5 || DegreesApart(a.Rotation, b.Rotation) > 0.01 {
			t.Fatalf("the local body is drawn at %v, the remote one at %v", a, b)
		}
	})
}

func TestSetOverTakesOverFromWhereItWas(t *testing.T) {
	s := NewStage(t, 10)
	e := s.Spawn(components.Identity3D())
	s.Fixed(func(now ecs.Time) {
		switch now.Tick {
		case 0:
			s.Logical(e).SetOver(At(10, 0, 0), time.Second)
		case 3: // on its way at 3
			s.Logical(e).SetOver(At(-1, 0, 0), 400*time.Millisecond)
		case 5: // at 1
			s.Logical(e).Set(At(5, 0, 0))
		case 7:
			s.Logical(e).SetOver(At(9, 0, 0), 50*time.Millisecond) // arrives within the step
		case 9:
			s.Logical(e).SetOver(At(4, 0, 0), 0)
		case 11:
			s.Logical(e).SetOver(At(6, 0, 0), 150*time.Millisecond)
		}
	})
	points := [][2]float64{{0, 0}, {0.3, 3}, {0.5, 1}, {0.6, 5}, {0.7, 5}, {0.75, 9}, {0.9, 9}, {0.9, 4}, {1.1, 4}, {1.25, 6}, {9, 6}}
	s.Run(400, Constant(3700*time.Microsecond), func(now ecs.Time) {
		x := Seconds(now.Normal)
		for k := 1; k < len(points); k++ {
			a, b := points[k-1], points[k]
			if x < b[0] {
				s.Near("path", s.X(e), a[1]+(b[1]-a[1])*(x-a[0])/(b[0]-a[0]), 1e-5)
				return
			}
		}
	})
}

// The longest interval is exact to the nanosecond as late as a step after it began, so the fraction
// must not lose digits or become one too soon.
func TestSetOverForMinutes(t *testing.T) {
	s := NewStage(t, 20)
	e := s.Spawn(components.Identity3D())
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 1 {
			s.Logical(e).SetOver(At(100, 0, 0), 100*time.Second)
		}
	})
	last := -1.0
	s.Run(1000, Constant(101*time.Millisecond), func(now ecs.Time) {
		want := math.Min(100, math.Max(0, Seconds(now.Normal)-0.05))
		s.Near("position", s.X(e), want, ulps(2, 100))
		if s.X(e) < last {
			t.Fatalf("went back from %v to %v", last, s.X(e))
		}
		last = s.X(e)
	})
	if last != 100 {
		t.Errorf("ended at %v, want exactly 100", last)
	}
}

// A day's light, a year's growth: long motions are as even as short ones.
func TestSetOverForAnyTime(t *testing.T) {
	for _, d := range []time.Duration{10 * time.Minute, time.Hour, 24 * time.Hour, 365 * 24 * time.Hour, math.MaxInt64} {
		s := NewStage(t, 1)
		e := s.Spawn(components.Identity3D())
		speed := 1 / min(d, 1<<62).Seconds() * 1e6
		s.Fixed(func(now ecs.Time) {
			if now.Tick == 1 {
				s.Logical(e).SetOver(At(1e6, 0, 0), d)
			}
		})
		s.Run(700, Constant(997*time.Millisecond), func(now ecs.Time) {
			want := math.Min(1e6, math.Max(0, Seconds(now.Normal)-1)*speed)
			s.Near(d.String(), s.X(e), want, want*3e-7)
		})
	}
}
