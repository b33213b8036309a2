package instancing_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

// inMotion spawns a body that appears in motion, from one height to another, with a marker.
func (s *stage) inMotion(x, from, to float32) arche.Entity {
	l, v := components.InMotion(components.At3D(x, from, 0), components.At3D(x, to, 0))
	if s.batcher == nil {
		return s.bodies.NewWith(&l, &v)
	}
	marked := generic.NewMap3[components.Transform3D, components.Visual3D, components.InterpolateOnGPU](s.engine.World())
	return marked.NewWith(&l, &v, &components.InterpolateOnGPU{})
}

// Rockets that the graphics processor blends are drawn where a world without markers draws them,
// from their first frame to their last: made in fixed steps and between frames, on their way, at
// their arrival.
func TestInstancesAppearInMotion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, batched := newStage(t, false), newStage(t, true)
		defer plain.engine.Close()
		defer batched.engine.Close()
		both := [2]*stage{plain, batched}
		type rocket struct {
			entity arche.Entity
			ends   uint64 // the tick in which it hits
			left   time.Duration
		}
		var all [2][]rocket
		type launch struct {
			from, to float32
			flight   uint64 // whole steps
			left     time.Duration
		}
		launches := make([]launch, 0, 100)
		for range rapid.IntRange(1, 100).Draw(t, "launches") {
			launches = append(launches, launch{
				float32(rapid.IntRange(-20, 20).Draw(t, "from")), float32(rapid.IntRange(-20, 20).Draw(t, "to")),
				uint64(rapid.IntRange(0, 5).Draw(t, "flight")), time.Duration(rapid.IntRange(1, 49).Draw(t, "left")) * time.Millisecond,
			})
		}
		made := 0
		fire := func(k int, s *stage, tick uint64, at int) {
			l := launches[at]
			r := rocket{s.inMotion(float32(at+1), l.from, l.to), tick + l.flight, l.left}
			all[k] = append(all[k], r)
		}
		for k, s := range both {
			s.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
				now := s.engine.Time()
				if at := int(now.Tick) * 2; at < len(launches) {
					fire(k, s, now.Tick, at)
				}
				for _, r := range all[k] {
					if !w.Alive(r.entity) || now.Tick > r.ends {
						continue
					}
					l := s.logical(r.entity)
					v := l.Get()
					if v.Position[1] += 1.5; now.Tick < r.ends {
						l.Set(v)
						continue
					}
					l.SetOver(v, r.left)
					s.engine.Commands().DespawnAfter(r.entity, r.left)
				}
			}))
		}
		frames := rapid.IntRange(10, 60).Draw(t, "frames")
		for range frames {
			if at := made*2 + 1; rapid.IntRange(0, 2).Draw(t, "between") == 0 && at < len(launches) {
				for k, s := range both {
					fire(k, s, s.engine.Time().Tick, at)
				}
				made++
			}
			real := time.Duration(rapid.IntRange(0, 91).Draw(t, "frame")) * time.Millisecond
			var living []arche.Entity
			for k, s := range both {
				s.engine.Update(real)
				for at, r := range all[k] {
					if alive := s.engine.World().Alive(r.entity); alive != plain.engine.World().Alive(all[0][at].entity) {
						t.Fatalf("at %v rocket %d of stage %d is there: %v", s.engine.Time().Normal, at, k, alive)
					} else if alive && k == 1 {
						living = append(living, r.entity)
					}
				}
			}
			got := batched.drawn(t, living)
			for _, r := range all[0] {
				if !plain.engine.World().Alive(r.entity) {
					continue
				}
				want, key := plain.visual(r.entity), plain.logical(r.entity).Get().Position[0]
				// a batch counts times in ticks of 1024 ns, which is 4 cm at the 42 km/s of a
				// motion over 1 ms
				slack := float32(42 * 1024e-9 / r.left.Seconds())
				if p, ok := got[key]; !ok || !nearBy(p, want, slack) {
					t.Fatalf("at %v rocket %v (%v) is drawn at %v, want %v", plain.engine.Time().Normal, key, ok, p, want)
				}
			}
		}
	})
}
