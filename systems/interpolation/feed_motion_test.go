package interpolation_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// markedCrowd is an engine with n marked movers, of which the function says who moves in a step.
func markedCrowd(t *testing.T, n int, moves func(k int) bool) (*ecs.Engine, *interpolation.Interpolator[components.Pose3D], []arche.Entity) {
	t.Helper()
	e, ip := installed(t)
	t.Cleanup(e.Close)
	w := e.World()
	m := generic.NewMap3[components.Transform3D, components.Visual3D, components.InterpolateOnGPU](w)
	var all []arche.Entity
	query := m.NewBatchQ(n)
	for query.Next() {
		l, _, _ := query.Get()
		*l = components.NewLogical(At(0, 0, 0))
		all = append(all, query.Entity())
	}
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for k, entity := range all {
			if moves(k) {
				l, _, _ := m.Get(entity)
				p := l.Get()
				p.Position[0]++
				l.Set(p)
			}
		}
	}))
	return e, ip, all
}

const frame60 = time.Second / 60

// An entity in motion is reported once per step with both samples, in the frame of that step and in
// no other. The visual value is the newest sample.
func TestFeedReportsStepsOnly(t *testing.T) {
	e, ip, all := markedCrowd(t, 100, func(k int) bool { return k%4 == 0 })
	m := generic.NewMap1[components.Visual3D](e.World())
	e.Update(frame60)
	told := map[arche.Entity]interpolation.Samples[components.Pose3D]{}
	tell := eachMotion(e.World(), ip, func(e arche.Entity, m *interpolation.Samples[components.Pose3D]) { told[e] = *m })
	tell()
	for frame := range 12 {
		e.Update(frame60 / 3)
		clear(told)
		tell()
		now := e.Time()
		if now.Steps == 0 {
			if len(told) > 0 {
				t.Fatalf("frame %d without a step tells of %d", frame, len(told))
			}
			continue
		}
		if len(told) != 25 {
			t.Fatalf("frame %d tells of %d, want the 25 that move", frame, len(told))
		}
		for k, entity := range all {
			x := float32(0)
			if k%4 == 0 {
				x = float32(now.Tick)
				want := interpolation.Samples[components.Pose3D]{From: At(float64(x)-1, 0, 0), To: At(float64(x), 0, 0), Start: now.StepStart, End: now.StepEnd}
				if told[entity] != want {
					t.Fatalf("frame %d: told %v, want %v", frame, told[entity], want)
				}
			}
			if v := m.Get(entity); v.Get().Position[0] != x {
				t.Fatalf("frame %d: the visual value of %d is %v, want the newest sample %v", frame, k, v.Get().Position[0], x)
			}
		}
	}
}

// After a long time without a delivery every entity's present samples are reported, and the log has
// not grown.
func TestFeedAfterALongTime(t *testing.T) {
	tick := 0
	// All entities move for a step and rest for one, which is reported one by one.
	e, ip, all := markedCrowd(t, 500, func(int) bool { return tick%2 == 0 })
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { tick++ }))
	calls, told := 0, map[arche.Entity]interpolation.Samples[components.Pose3D]{}
	tell := eachMotion(e.World(), ip, func(e arche.Entity, m *interpolation.Samples[components.Pose3D]) {
		calls++
		told[e] = *m
	})
	tell()
	calls = 0
	for range 200 {
		e.Update(frame60)
	}
	tell()
	if calls > 4*500+1024+500 {
		t.Errorf("%d notes have piled up", calls)
	}
	for _, entity := range all {
		want, ok := ip.Shown(entity)
		if got, heard := told[entity]; !ok || !heard || got != want {
			t.Fatalf("%v: told %v (%v), want %v", entity, got, heard, want)
		}
	}
}

// A correction is reported as it fades, frame by frame, and then the samples follow.
func TestFeedShowsCorrections(t *testing.T) {
	e, ip, all := markedCrowd(t, 2, func(int) bool { return true })
	m := generic.NewMap2[components.Transform3D, components.Visual3D](e.World())
	now := func() time.Duration { return e.Time().Normal }
	ways := map[arche.Entity]interpolation.Samples[components.Pose3D]{}
	x := func(entity arche.Entity) float64 {
		w := ways[entity]
		f := min(1, float64(now()-w.Start)/float64(w.End-w.Start))
		return float64(w.From.Position[0]) + f*float64(w.To.Position[0]-w.From.Position[0])
	}
	correct := false
	e.AddAt(ecs.FixedUpdate, ecs.OrderUser+1, ecs.SystemFunc(func(*arche.World) {
		if correct {
			correct = false
			l, _ := m.Get(all[0])
			p := l.Get()
			p.Position[0] += 8
			l.Correct(p)
		}
	}))
	tell := eachMotion(e.World(), ip, func(e arche.Entity, m *interpolation.Samples[components.Pose3D]) { ways[e] = *m })
	last := 0.0
	for frame := range 240 {
		correct = frame == 60
		e.Update(frame60 / 2)
		tell()
		ahead := x(all[0]) - x(all[1])
		if ahead < last-1e-3 || ahead-last > 0.6 {
			t.Fatalf("frame %d: it goes from %v ahead to %v ahead", frame, last, ahead)
		}
		last = ahead
	}
	if last < 7.99 {
		t.Errorf("two seconds after the correction it is %v ahead, want 8", last)
	}
}

// For any share of moving rows and any length of a table the feed reports the entities that were
// set in motion, that continue, and that have arrived, and no others.
func TestFeedReportsEveryMovedEntity(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 16, 21, 600} {
		for name, moves := range map[string]func(k int) bool{
			"all":             func(int) bool { return true },
			"nobody":          func(int) bool { return false },
			"all but one":     func(k int) bool { return k != n/2 },
			"all but the end": func(k int) bool { return k != n-1 },
			"every third":     func(k int) bool { return k%3 == 0 },
		} {
			moving := false
			e, ip, all := markedCrowd(t, n, func(k int) bool { return moving && moves(k) })
			seen := map[arche.Entity]bool{}
			tell := eachMotion(e.World(), ip, func(e arche.Entity, m *interpolation.Samples[components.Pose3D]) {
				if want, _ := ip.Shown(e); *m != want {
					t.Fatalf("%s of %d: told of %v, it is %v", name, n, *m, want)
				}
				seen[e] = true
			})
			told := func() map[arche.Entity]bool {
				clear(seen)
				tell()
				return seen
			}
			e.Update(frame60)
			told() // the spawn
			for step := range 3 {
				moving = step < 2 // in the last one they arrive
				e.Update(e.Time().Fixed - e.Time().Normal)
				seen := told()
				for k, entity := range all {
					if seen[entity] != moves(k) {
						t.Errorf("%s of %d, step %d: row %d told of: %v", name, n, step, k, seen[entity])
					}
				}
			}
		}
	}
}
