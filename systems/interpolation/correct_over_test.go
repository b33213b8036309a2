package interpolation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

// A correction over a time is gone then, exactly, however long it is. It moves at up to 1.25 times
// its mean speed, less at its ends.
func TestCorrectOver(t *testing.T) {
	const over = 270 * time.Millisecond
	for _, off := range []float64{0.05, 1.5, 60} {
		for _, frames := range []Schedule{FPS(240, 1), FPS(60, 1), FPS(23, 1)} {
			s := NewStage(t, 20)
			e := s.Spawn(components.Identity3D())
			s.Fixed(func(now ecs.Time) {
				if now.Tick == 8 {
					s.Poses.CorrectOver(e, At(-off, 0, 0), At(-off, 0, 0), over)
				}
			})
			first, last, wasAt := -1.0, 0.0, 0.0
			s.Run(400, frames, func(now ecs.Time) {
				tm := Seconds(now.Normal)
				if now.Tick <= 8 {
					wasAt = tm
					return
				}
				if first < 0 {
					first = tm
					s.Near("the begin", s.X(e), 0, 1e-4)
				}
				share := (tm - first) / over.Seconds()
				most := 1.25 * off / over.Seconds() * (tm - wasAt)
				if share < 0.1 {
					most /= 2
				}
				if moved := last - s.X(e); moved > most+1e-4 || moved < -1e-4 {
					t.Fatalf("an offset of %v: moved %v in %v s, want at most %v", off, moved, tm-wasAt, most)
				}
				if share >= 1 {
					s.Near("the end", s.X(e), -off, 1e-6*off)
				}
				last, wasAt = s.X(e), tm
			})
		}
	}
	s := NewStage(t, 20)
	e := s.Spawn(components.Identity3D())
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), "must be positive") {
			t.Errorf("%v, want a panic with the remedy", r)
		}
	}()
	s.Poses.CorrectOver(e, components.Identity3D(), components.Identity3D(), 0)
}
