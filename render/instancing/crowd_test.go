package instancing_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/instancing"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// stage is an engine with bodies, which are the same entities on every stage that is treated alike.
type stage struct {
	engine   *ecs.Engine
	poses    *interpolation.Interpolator[components.Pose3D]
	crowd    *instancing.Crowd // nil on a stage on which markers mean nothing
	batches  [2]*render.MotionBatch
	bodies   generic.Map2[components.Transform3D, components.Visual3D]
	marker   arche.ID
	instance arche.ID
	parent   arche.ID
}

func newStage(t tester, withCrowd bool) *stage {
	t.Helper()
	e, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := &stage{engine: e, poses: interpolation.New3D()}
	e.Install(s.poses)
	w := e.World()
	s.bodies = generic.NewMap2[components.Transform3D, components.Visual3D](w)
	s.marker = arche.ComponentID[components.InterpolateOnGPU](w)
	s.instance = arche.ComponentID[instancing.Instance](w)
	s.parent = arche.ComponentID[components.Parent](w)
	for k := range s.batches {
		s.batches[k] = render.NewMotionBatch(render.Cube, render.Solid, render.Color{R: uint8(k)})
	}
	if withCrowd {
		s.crowd = instancing.New(s.poses, func(e arche.Entity) *render.MotionBatch { return s.batches[e.ID()/4%2] }).WithColors(colorOf)
		e.Install(s.crowd)
	}
	return s
}

// colorOf gives a body away by its x.
func colorOf(colors []render.Color, _ []arche.Entity, to []components.Pose3D) {
	for k := range colors {
		colors[k] = render.Color{R: uint8(int(to[k].Position[0]))}
	}
}

func (s *stage) spawn(x float32) arche.Entity {
	l := components.NewLogical(components.At3D(x, 0, 0))
	return s.bodies.NewWith(&l, &components.Visual3D{})
}

func (s *stage) mark(e arche.Entity, on bool) {
	if w := s.engine.World(); w.Has(e, s.marker) != on {
		if on {
			w.Add(e, s.marker)
		} else {
			w.Remove(e, s.marker)
		}
	}
}

func (s *stage) logical(e arche.Entity) *components.Transform3D {
	l, _ := s.bodies.Get(e)
	return l
}

func (s *stage) visual(e arche.Entity) components.Pose3D {
	_, v := s.bodies.Get(e)
	return v.Get()
}

// drawn is what a picture would show: the poses of all instances, and of all others by their visual
// values.
func (s *stage) drawn(t tester, living []arche.Entity) map[float32]components.Pose3D {
	s.crowd.Update()
	// by colour: each body has one of its own, and keeps it
	poses := map[float32]components.Pose3D{}
	w := s.engine.World()
	instances := 0
	for _, e := range living {
		if w.Has(e, s.instance) {
			instances++
		}
	}
	if n := s.batches[0].Len() + s.batches[1].Len(); n != instances || n != s.crowd.Len() {
		t.Fatalf("%d instances in the batches, %d in the crowd's count, %d entities with one", n, s.crowd.Len(), instances)
	}
	for _, b := range s.batches {
		colors := b.View().Colors
		for row := range b.Len() {
			poses[float32(colors[row].R)] = b.Pose(row)
		}
	}
	if len(poses) != instances {
		t.Fatalf("%d instances show %d bodies", instances, len(poses))
	}
	for _, e := range living {
		if w.Has(e, s.instance) {
			continue
		}
		p := s.visual(e)
		key := s.logical(e).Get().Position[0]
		if _, twice := poses[key]; twice {
			t.Fatalf("body %v is drawn by both ways", key)
		}
		poses[key] = p
	}
	return poses
}

type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// near allows for a batch's times, which are rounded to a microsecond.
func near(a, b components.Pose3D) bool {
	return a.Position.Sub(b.Position).Len() < 5e-3 && math.Abs(float64(a.Rotation.Dot(b.Rotation))) > 1-1e-5
}

// Whatever happens to bodies and markers, at whatever time, every body is drawn once, and where a
// world without markers draws it.
func TestCrowdAgainstAWorldWithoutMarkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, crowded := newStage(t, false), newStage(t, true)
		defer plain.engine.Close()
		defer crowded.engine.Close()
		both := [2]*stage{plain, crowded}
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
					if s == crowded {
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
					if crowded.spawn(next) != e {
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
					crowded.mark(living[at], on)
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
			got := crowded.drawn(t, living)
			for _, e := range living {
				want := plain.visual(e)
				key := plain.logical(e).Get().Position[0]
				if p, ok := got[key]; !ok || !near(p, want) {
					t.Fatalf("at %v body %v (%v) is drawn at %v by way of the batch %v, want %v", plain.engine.Time().Normal, key, ok, p,
						crowded.engine.World().Has(e, crowded.instance), want)
				}
			}
		}
	})
}

// In a frame without a fixed step nothing changes, after one only those that moved, and a body that
// is told every step to stay where it is never does.
func TestCrowdTouchesWhatMovedOnly(t *testing.T) {
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
		s.crowd.Update()
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
			t.Fatalf("%d rows are uploaded though everybody is told to stay where he is", got)
		}
	}
	// more than the list of single reports is long at first; 1000 in each batch, and one jumps
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

// Nobody but the marked is drawn by batches; a marked child is not, because its parent may move.
func TestCrowdLeavesChildrenToTheProcessor(t *testing.T) {
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
	s.crowd.Update()
	if s.crowd.Len() != 0 {
		t.Errorf("%d instances, want none", s.crowd.Len())
	}
	for _, e := range []arche.Entity{child, parent, plain} {
		if y := s.visual(e).Position[1]; y != 0.5 {
			t.Errorf("half a step after its start body %v is drawn at y = %v, want 0.5", e, y)
		}
	}
	s.engine.World().Remove(child, s.parent)
	s.engine.Update(5 * time.Millisecond)
	if s.crowd.Len() != 1 {
		t.Errorf("%d instances after the child has lost its parent, want it", s.crowd.Len())
	}
	s.engine.World().Add(child, s.parent)
	s.engine.Update(5 * time.Millisecond)
	if s.crowd.Len() != 0 {
		t.Errorf("%d instances after it has one again, want none", s.crowd.Len())
	}
}

// Two bodies that change sides in a pause stay where they are, though the synchroniser has nothing
// to do then.
func TestCrowdChangesSidesInAPause(t *testing.T) {
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
	check("after they have changed sides")
	if w := s.engine.World(); w.Has(a, s.instance) || !w.Has(b, s.instance) {
		t.Error("they have not")
	}
}

// A body that is taken up in one step of a frame and put down, unmarked meanwhile, before the
// picture is seen where it was put, however many steps the frame has.
func TestCrowdSeesWhatHappensBetweenTwoMarks(t *testing.T) {
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
		s.crowd.Update()
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

// everybodyRises lets everybody go up by one in every step.
func (s *stage) everybodyRises() {
	filter := generic.NewFilter1[components.Transform3D]()
	s.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		for q := filter.Query(w); q.Next(); {
			l := q.Get()
			v := l.Get()
			v.Position[1]++
			l.Set(v)
		}
	}))
}

func TestCrowdAllocatesNothing(t *testing.T) {
	s := newStage(t, true)
	defer s.engine.Close()
	for k := range 500 {
		s.mark(s.spawn(float32(k)), true)
	}
	s.everybodyRises()
	frame := func() {
		s.engine.Update(20 * time.Millisecond)
		s.crowd.Update()
	}
	for range 20 {
		frame()
	}
	if n := testing.AllocsPerRun(50, frame); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// Close takes the instances away, so that another engine may have the world.
func TestCrowdClose(t *testing.T) {
	s := newStage(t, true)
	e := s.spawn(1)
	s.mark(e, true)
	s.engine.Update(60 * time.Millisecond)
	s.crowd.Update()
	if s.batches[e.ID()/4%2].Len() != 1 || !s.engine.World().Has(e, s.instance) {
		t.Fatal("no instance")
	}
	w := s.engine.World()
	s.engine.Close()
	if s.batches[e.ID()/4%2].Len() != 0 || w.Has(e, s.instance) {
		t.Error("an instance is left after Close")
	}
}

func TestCrowdMisuse(t *testing.T) {
	s := newStage(t, true)
	defer s.engine.Close()
	for name, misuse := range map[string]func(){
		"New without an interpolator": func() { instancing.New(nil, func(arche.Entity) *render.MotionBatch { return nil }) },
		"New without a function":      func() { instancing.New(s.poses, nil) },
		"a second Install":            func() { s.crowd.Install(s.engine) },
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
