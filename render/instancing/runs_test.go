package instancing_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
)

// Instances move in runs, as long as rows of the world and rows of a batch are in the same order.
// Despawns, spawns, changes of markers and resting bodies shuffle both, and every body is still
// drawn where it should be, in its colour.
func TestBatcherMovesBodiesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStage(t, true)
		defer s.engine.Close()
		// x identifies a body, and its newest y sets its colour.
		s.batcher.Paint = func(colors []render.Color, entities []arche.Entity, to []components.Pose3D) {
			if len(colors) != len(entities) || len(colors) != len(to) {
				t.Fatalf("Paint gets %d colours, %d entities and %d poses", len(colors), len(entities), len(to))
			}
			for k := range colors {
				if s.engine.World().Alive(entities[k]) && s.logical(entities[k]).Get().Position[0] != to[k].Position[0] {
					t.Fatalf("%v is painted as another entity", entities[k])
				}
				colors[k] = render.Color{R: uint8(to[k].Position[0]), G: uint8(to[k].Position[1])}
			}
		}
		type body struct {
			entity arche.Entity
			y      float32 // newest
			before float32 // at the start of the newest step
			rests  bool
		}
		bodies := map[float32]*body{}
		var order []float32
		next := float32(1)
		spawn := func() {
			b := &body{entity: s.spawn(next), rests: rapid.IntRange(0, 5).Draw(t, "rests") == 0}
			s.mark(b.entity, rapid.IntRange(0, 9).Draw(t, "marked") > 0)
			bodies[next] = b
			order = append(order, next)
			next++
		}
		s.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			for _, x := range order {
				b := bodies[x]
				b.before = b.y
				if !b.rests {
					b.y++
				}
				v := s.logical(b.entity).Get()
				v.Position[1] = b.y
				s.logical(b.entity).Set(v)
			}
		}))
		for range rapid.IntRange(1, 90).Draw(t, "bodies at first") {
			spawn()
		}
		for range rapid.IntRange(2, 25).Draw(t, "frames") {
			for range rapid.IntRange(0, 3).Draw(t, "edits") {
				one := 0
				if len(order) > 0 {
					one = rapid.IntRange(0, len(order)-1).Draw(t, "who")
				}
				switch op := rapid.IntRange(0, 3).Draw(t, "op"); {
				case op == 0 && next < 200:
					spawn()
				case len(order) == 0:
				case op == 1:
					s.engine.World().RemoveEntity(bodies[order[one]].entity)
					delete(bodies, order[one])
					order = append(order[:one], order[one+1:]...)
				case op == 2:
					s.mark(bodies[order[one]].entity, rapid.Bool().Draw(t, "on"))
				case op == 3:
					bodies[order[one]].rests = !bodies[order[one]].rests
				}
			}
			// Mostly one step a frame, at 20 a second, and sometimes none or several.
			s.engine.Update(time.Duration(rapid.SampledFrom([]int{20, 50, 50, 50, 50, 120}).Draw(t, "frame")) * time.Millisecond)
			s.batcher.Update()
			clock := s.engine.Time()
			part := float32(clock.Normal-clock.StepStart) / float32(clock.StepEnd-clock.StepStart)
			drawn := 0
			for _, batch := range s.batches {
				colors := batch.View().Colors
				for row := range batch.Len() {
					drawn++
					p := batch.Pose(row)
					b, lives := bodies[p.Position[0]]
					if !lives {
						t.Fatalf("a body that is not alive is drawn at %v", p.Position)
					}
					want := components.At3D(p.Position[0], b.before+part*(b.y-b.before), 0)
					if b.before == 0 && b.y == 1 {
						// it may have been spawned in this step, and then appears where it is
						want.Position[1] = max(want.Position[1], min(p.Position[1], 1))
					}
					if !near(p, want) {
						t.Fatalf("body %v is drawn at y = %v, want %v", p.Position[0], p.Position[1], want.Position[1])
					}
					if c := (render.Color{R: uint8(p.Position[0]), G: uint8(b.y)}); colors[row] != c {
						t.Fatalf("body %v is painted %v, want %v", p.Position[0], colors[row], c)
					}
				}
			}
			marked := 0
			for _, b := range bodies {
				if s.engine.World().Has(b.entity, s.instance) {
					marked++
				}
			}
			if drawn != marked {
				t.Fatalf("%d instances are drawn, want %d", drawn, marked)
			}
		}
	})
}
