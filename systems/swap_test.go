package systems_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

// Two entities in motion exchange their marker for the graphics processor between frames: their tables are as long as before, and in each everybody is in motion as before. Yet both are
// drawn as they are marked now, also while time stands still.
func TestExchangedMarkers(t *testing.T) {
	for _, bystanders := range []int{0, 3} {
		for _, dt := range []time.Duration{0, 10 * time.Millisecond} {
			s := newStage(t, 10)
			id := arche.ComponentID[components.InterpolateOnGPU](s.w)
			var all []arche.Entity
			for k := range 2 * (bystanders + 1) {
				e := s.spawn(at(0, 0, 0))
				if k%2 == 1 {
					s.w.Add(e, id)
				}
				all = append(all, e)
			}
			a, b := all[len(all)-2], all[len(all)-1]
			s.fixed(func(now ecs.Time) {
				for _, e := range []arche.Entity{a, b} {
					s.logical(e).Set(at(float64(now.Tick)+1, 0, 0))
				}
			})
			s.run(3, constant(110*time.Millisecond), nil)
			s.Update(20 * time.Millisecond)
			for range 3 { // and back, and again
				s.w.Add(a, id)
				s.w.Remove(b, id)
				s.Update(dt)
				s.near("marked", s.x(a), 4, 0)
				s.near("not marked any more", s.x(b), seconds(s.Time().Normal)*10, 1e-5)
				a, b = b, a
			}
			s.run(20, constant(13*time.Millisecond), func(now ecs.Time) {
				s.near("marked, later", s.x(b), float64(now.Tick), 0)
				s.near("not marked, later", s.x(a), seconds(now.Normal)*10, 1e-5)
			})
		}
	}
}
