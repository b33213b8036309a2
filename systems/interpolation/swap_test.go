package interpolation_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

// Two entities in motion exchange their marker for the graphics processor between frames: their
// tables are as long as before, and all rows of each are in motion as before. Yet both are drawn by
// their present markers, also while time stands still.
func TestExchangedMarkers(t *testing.T) {
	for _, bystanders := range []int{0, 3} {
		for _, dt := range []time.Duration{0, 10 * time.Millisecond} {
			s := NewStage(t, 10)
			id := arche.ComponentID[components.InterpolateOnGPU](s.W)
			var all []arche.Entity
			for k := range 2 * (bystanders + 1) {
				e := s.Spawn(At(0, 0, 0))
				if k%2 == 1 {
					s.W.Add(e, id)
				}
				all = append(all, e)
			}
			a, b := all[len(all)-2], all[len(all)-1]
			s.Fixed(func(now ecs.Time) {
				for _, e := range []arche.Entity{a, b} {
					s.Logical(e).Set(At(float64(now.Tick)+1, 0, 0))
				}
			})
			s.Run(3, Constant(110*time.Millisecond), nil)
			s.Update(20 * time.Millisecond)
			for range 3 { // and back, and again
				s.W.Add(a, id)
				s.W.Remove(b, id)
				s.Update(dt)
				s.Near("marked", s.X(a), 4, 0)
				s.Near("not marked any more", s.X(b), Seconds(s.Time().Normal)*10, 1e-5)
				a, b = b, a
			}
			s.Run(20, Constant(13*time.Millisecond), func(now ecs.Time) {
				s.Near("marked, later", s.X(b), float64(now.Tick), 0)
				s.Near("not marked, later", s.X(a), Seconds(now.Normal)*10, 1e-5)
			})
		}
	}
}
