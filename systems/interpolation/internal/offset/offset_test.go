package offset

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

func numbers() Arithmetic[float32] {
	return Arithmetic[float32]{
		Sub:   func(to, from float32) float32 { return to - from },
		Add:   func(base, offset float32) float32 { return base + offset },
		Scale: func(offset, factor float32) float32 { return offset * factor },
		Len:   func(offset float32) float32 { return float32(math.Abs(float64(offset))) },
	}
}

func same(v float32) float32 { return v }

// An offset is drawn whole at first, then halves with every half-life, and is gone after twenty.
func TestOffsetHalves(t *testing.T) {
	const halfLife = 100 * time.Millisecond
	s, e := New(numbers(), same, halfLife), arche.Entity{}
	s.Add(e, Path[float32]{Start: 10}, 18)
	for k, want := range []float32{18, 14, 12, 11} {
		if _, gone := s.Age(0, halfLife); gone {
			t.Fatalf("gone after %d half-lives", k)
		}
		if got := s.Drawn(0, 10); math.Abs(float64(got-want)) > 1e-5 {
			t.Errorf("after %d half-lives %v is drawn, want %v", k, got, want)
		}
	}
	if _, gone := s.Age(0, 20*halfLife); !gone {
		t.Error("still there after twenty half-lives")
	}
	if s.Remove(0); s.Fades(e) || s.Len() != 0 {
		t.Error("an offset that was removed still fades")
	}
}

// A long offset with a speed shortens by that until the half-life is slower.
func TestOffsetShortensSteadily(t *testing.T) {
	const frame = 10 * time.Millisecond
	s := New(numbers(), same, 100*time.Millisecond)
	s.Add(arche.Entity{}, Path[float32]{Slow: 2, Fast: 2}, 1)
	last := float32(1)
	for k := range 100 {
		s.Age(0, frame)
		now := s.Drawn(0, 0)
		if step := last - now; step > 0.02+1e-5 || k > 0 && step <= 0 {
			t.Fatalf("frame %d: the offset shortens by %v, want at most 0.02", k, step)
		}
		if k > 0 && k < 20 && math.Abs(float64(last-now)-0.02) > 1e-5 {
			t.Fatalf("frame %d: a long offset shortens by %v, want 0.02", k, last-now)
		}
		last = now
	}
	if last > 0.05 {
		t.Errorf("%v is left after a second", last)
	}
}

// An offset that is taken off before it was drawn is dropped, and one that was drawn is subtracted.
func TestOffTakesTheOffsetAway(t *testing.T) {
	s, e := New(numbers(), same, time.Second), arche.Entity{}
	s.Add(e, Path[float32]{}, 4)
	if got := s.Off(e, 7); got != 7 || s.Fades(e) {
		t.Errorf("before a drawing: %v, fades %v", got, s.Fades(e))
	}
	s.Add(e, Path[float32]{}, 4)
	s.Age(0, 0)
	if got := s.Off(e, 7); got != 3 {
		t.Errorf("after a drawing: %v, want 3", got)
	}
}
