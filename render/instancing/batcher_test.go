package instancing_test

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/instancing"
)

// Every body is drawn once, and where a world without markers draws it, whatever happens to bodies
// and markers at any time.
func TestBatcherAgainstAWorldWithoutMarkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, batched := newStage(t, false), newStage(t, true)
		defer plain.engine.Close()
		defer batched.engine.Close()
		both := [2]*stage{plain, batched}
		var living []arche.Entity
		next := float32(1)
		type edit struct {
			op   int
			at   int
			y    float32
			over time.Duration
		}
		var pending [2][]edit // for the next fixed steps of each stage
		apply := func(k int, s *stage) {
			now := pending[k]
			for at := range now { // a marker begins a step of its own
				if at > 0 && now[at].op >= 4 {
					now = now[:at]
					break
				}
			}
			for _, p := range now {
				l := s.logical(living[p.at])
				v := l.Get()
				v.Position[1] = p.y
				v.Rotation = mgl32.QuatRotate(p.y/3, mgl32.Vec3{0, 1, 0})
				switch p.op {
				case 0:
					l.Set(v)
				case 1:
					l.Teleport(v)
				case 2:
					l.SetOver(v, p.over)
				case 3:
					l.Correct(v)
				case 4, 5: // the marker comes and goes between the steps of a frame
					if s == batched {
						s.mark(living[p.at], p.op == 4)
					}
				}
			}
			pending[k] = pending[k][len(now):]
		}
		for k, s := range both {
			s.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { apply(k, s) }))
		}
		frames := rapid.IntRange(10, 80).Draw(t, "frames")
		for range frames {
			for range rapid.IntRange(0, 4).Draw(t, "edits") {
				switch op := rapid.IntRange(0, 11).Draw(t, "edit"); {
				case op <= 1 && next < 250:
					e := plain.spawn(next)
					if batched.spawn(next) != e {
						t.Fatalf("the two worlds have drifted apart")
					}
					living = append(living, e)
					next++
				case op == 2 && len(living) > 0:
					at := rapid.IntRange(0, len(living)-1).Draw(t, "dies")
					for _, s := range both {
						s.engine.World().RemoveEntity(living[at])
					}
					living = append(living[:at], living[at+1:]...)
					pending = [2][]edit{} // they name bodies by their place
				case op <= 5 && len(living) > 0:
					at, on := rapid.IntRange(0, len(living)-1).Draw(t, "marked"), rapid.Bool().Draw(t, "on")
					batched.mark(living[at], on)
				case op <= 10 && len(living) > 0:
					what := edit{
						op: rapid.IntRange(0, 5).Draw(t, "kind"), at: rapid.IntRange(0, len(living)-1).Draw(t, "moves"), y: float32(rapid.IntRange(-9, 9).Draw(t, "y")),
						over: time.Duration(rapid.IntRange(10, 200).Draw(t, "ms")) * time.Millisecond,
					}
					pending[0], pending[1] = append(pending[0], what), append(pending[1], what)
				case op == 11:
					on := rapid.Bool().Draw(t, "interpolated")
					scale := rapid.SampledFrom([]float64{0, 0.1, 1, 1, 1, 3}).Draw(t, "scale")
					rate := rapid.SampledFrom([]int{5, 20, 60}).Draw(t, "rate")
					for _, s := range both {
						s.poses.SetEnabled(on)
						if s.engine.SetScale(scale) != nil || s.engine.SetRate(rate) != nil {
							t.Fatalf("the clock refuses")
						}
					}
				}
			}
			real := time.Duration(rapid.IntRange(0, 120).Draw(t, "frame")) * time.Millisecond
			for _, s := range both {
				s.engine.Update(real)
			}
			got := batched.drawn(t, living)
			for _, e := range living {
				want := plain.visual(e)
				key := plain.logical(e).Get().Position[0]
				if p, ok := got[key]; !ok || !near(p, want) {
					t.Fatalf("at %v body %v (%v) is drawn at %v by way of the batch %v, want %v", plain.engine.Time().Normal, key, ok, p,
						batched.engine.World().Has(e, batched.instance), want)
				}
			}
		}
	})
}

// A frame without a fixed step changes no row. After a step only the rows of moving bodies change,
// and the row of a body that is set to the same pose in every step never does.
func TestBatcherChangesMovingRowsOnly(t *testing.T) {
	s := newStage(t, true)
	defer s.engine.Close()
	const n = 6400
	var all []arche.Entity
	for range n {
		e := s.spawn(1)
		s.mark(e, true)
		all = append(all, e)
	}
	moves := 0
	s.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for k, e := range all {
			l := s.logical(e)
			v := l.Get()
			if k < moves {
				v.Position[1]++
			}
			if k == moves && moves > 0 {
				v.Position[1]++
				l.Teleport(v)
				continue
			}
			l.Set(v)
		}
	}))
	changed := func() (rows int) {
		t.Helper()
		var since [2]uint64
		for k, b := range s.batches {
			since[k] = b.Revision()
		}
		s.engine.Update(25 * time.Millisecond)
		s.batcher.Update()
		for k, b := range s.batches {
			most := 0
			for _, column := range []render.MotionColumn{render.MotionPoses0, render.MotionPoses1, render.MotionTimes, render.MotionColors} {
				n := 0
				for from, to := b.NextChange(column, since[k], 0); from < to; from, to = b.NextChange(column, since[k], to) {
					n += to - from
				}
				most = max(most, n)
			}
			rows += most
		}
		return rows
	}
	changed()
	for range 4 {
		if got := changed(); got != 0 {
			t.Fatalf("%d rows are uploaded though all bodies are set to where they are", got)
		}
	}
	// more than the list of single reports holds at first: 1000 in each batch, and one jumps
	moves = 2000
	for frame := range 8 {
		got := changed()
		if most := 2*1024 + 32; got > most {
			t.Fatalf("frame %d: %d rows are uploaded, want at most %d: those of the movers in whole blocks of 32", frame, got, most)
		}
		if stepped := s.engine.Time().Steps > 0; stepped != (got > 0) {
			t.Fatalf("frame %d: %d rows are uploaded, %d steps", frame, got, s.engine.Time().Steps)
		}
	}
}

// Batches draw marked bodies only, and no children, because their parents may move.
func TestBatcherLeavesOutChildren(t *testing.T) {
	s := newStage(t, true)
	defer s.engine.Close()
	child, parent, plain := s.spawn(1), s.spawn(2), s.spawn(3)
	s.engine.World().Add(child, s.parent)
	(*components.Parent)(s.engine.World().Get(child, s.parent)).Entity = parent
	s.mark(child, true)
	s.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for _, e := range []arche.Entity{child, parent, plain} {
			l := s.logical(e)
			v := l.Get()
			v.Position[1] += 1
			l.Set(v)
		}
	}))
	s.engine.Update(25 * time.Millisecond)
	s.batcher.Update()
	if s.batcher.Len() != 0 {
		t.Errorf("%d instances, want none", s.batcher.Len())
	}
	for _, e := range []arche.Entity{child, parent, plain} {
		if y := s.visual(e).Position[1]; y != 0.5 {
			t.Errorf("half a step after its start body %v is drawn at y = %v, want 0.5", e, y)
		}
	}
	s.engine.World().Remove(child, s.parent)
	s.engine.Update(5 * time.Millisecond)
	if s.batcher.Len() != 1 {
		t.Errorf("%d instances after the child has lost its parent, want it", s.batcher.Len())
	}
	s.engine.World().Add(child, s.parent)
	s.engine.Update(5 * time.Millisecond)
	if s.batcher.Len() != 0 {
		t.Errorf("%d instances after it has one again, want none", s.batcher.Len())
	}
}

// Two bodies whose markers change in a pause stay where they are, though the synchroniser has
// nothing to do then.
func TestBatcherMarkersChangeInAPause(t *testing.T) {
	s := newStage(t, true)
	defer s.engine.Close()
	a, b := s.spawn(1), s.spawn(2)
	s.mark(a, true)
	s.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for _, e := range []arche.Entity{a, b} {
			l := s.logical(e)
			v := l.Get()
			v.Position[1] += 10
			l.Set(v)
		}
	}))
	check := func(when string) {
		t.Helper()
		for key, p := range s.drawn(t, []arche.Entity{a, b}) {
			if want := components.At3D(key, 8, 0); !near(p, want) {
				t.Errorf("%s: body %v is drawn at %v, want y = 8", when, key, p.Position)
			}
		}
	}
	s.engine.Update(40 * time.Millisecond) // four fifths of the first step
	check("in motion")
	if err := s.engine.SetScale(0); err != nil {
		t.Fatal(err)
	}
	s.engine.Update(10 * time.Millisecond)
	check("paused")
	s.mark(a, false)
	s.mark(b, true)
	s.engine.Update(10 * time.Millisecond)
	check("after their markers have changed")
	if w := s.engine.World(); w.Has(a, s.instance) || !w.Has(b, s.instance) {
		t.Error("the instances have not changed")
	}
}

// A body that loses its marker, moves, and gets the marker back within one frame is drawn where it
// is, however many steps the frame has.
func TestBatcherMarkerIsBackWithinAFrame(t *testing.T) {
	for _, steps := range []int{2, 3, 5} {
		s := newStage(t, true)
		var all []arche.Entity
		for k := range 40 {
			all = append(all, s.spawn(float32(k)))
			s.mark(all[k], true)
		}
		step := -1
		s.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if step < 0 {
				return
			}
			for k, e := range all {
				last := step == steps-1
				s.mark(e, last)
				if !last && (k%5 < 4 || step == steps-2) {
					s.logical(e).Teleport(components.At3D(float32(k), float32(step+1), 0))
				}
			}
			step++
		}))
		s.engine.Update(60 * time.Millisecond)
		s.batcher.Update()
		step = 0
		if s.engine.Update(time.Duration(steps) * 50 * time.Millisecond); step != steps {
			t.Fatalf("%d steps in the frame, want %d", step, steps)
		}
		for key, p := range s.drawn(t, all) {
			if want := components.At3D(key, float32(steps-1), 0); !near(p, want) {
				t.Errorf("%d steps: body %v is drawn at %v, want %v", steps, key, p.Position, want.Position)
			}
		}
		s.engine.Close()
	}
}

func TestBatcherAllocatesNothing(t *testing.T) {
	s := newStage(t, true)
	defer s.engine.Close()
	for k := range 500 {
		s.mark(s.spawn(float32(k)), true)
	}
	s.allRise()
	frame := func() {
		s.engine.Update(20 * time.Millisecond)
		s.batcher.Update()
	}
	for range 20 {
		frame()
	}
	if n := testing.AllocsPerRun(50, frame); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// Close removes the instances, so that another engine can use the world.
func TestBatcherClose(t *testing.T) {
	s := newStage(t, true)
	e := s.spawn(1)
	s.mark(e, true)
	s.engine.Update(60 * time.Millisecond)
	s.batcher.Update()
	if s.batches[e.ID()/4%2].Len() != 1 || !s.engine.World().Has(e, s.instance) {
		t.Fatal("no instance")
	}
	w := s.engine.World()
	s.engine.Close()
	if s.batches[e.ID()/4%2].Len() != 0 || w.Has(e, s.instance) {
		t.Error("an instance is left after Close")
	}
}

func TestBatcherMisuse(t *testing.T) {
	s := newStage(t, true)
	defer s.engine.Close()
	for name, misuse := range map[string]func(){
		"New without an interpolator": func() { instancing.New(nil, func(arche.Entity) *render.MotionBatch { return nil }) },
		"New without a function":      func() { instancing.New(s.poses, nil) },
		"a second Install":            func() { s.batcher.Install(s.engine) },
		"Update before Install":       func() { instancing.New(s.poses, func(arche.Entity) *render.MotionBatch { return nil }).Update() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			misuse()
		}()
	}
}
