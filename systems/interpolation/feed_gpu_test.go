package interpolation_test

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// A reader that only keeps the reports of a feed knows the place of every entity: with writes of
// all kinds, several steps or none in a frame, entities that are spawned, despawned and moved
// between tables and markers between capture and frame, shifts, pauses, interpolation on and off,
// and frames without a delivery.
func TestFeedReportsEveryChange(t *testing.T) {
	continued := 0
	rapid.Check(t, func(t *rapid.T) {
		e, err := ecs.New(ecs.Config{FixedRate: 20})
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer e.Close()
		ip := interpolation.New3D()
		e.Install(ip)
		w := e.World()
		bodies := generic.NewMap2[components.Transform3D, components.Visual3D](w)
		gpu, still := arche.ComponentID[components.InterpolateOnGPU](w), arche.ComponentID[otherMark](w)
		inFrame := false
		has := func(entity arche.Entity, id arche.ID, on bool) {
			if w.Has(entity, id) != on {
				if on {
					w.Add(entity, id)
				} else {
					w.Remove(entity, id)
				}
			}
		}
		var living []arche.Entity
		one := func() arche.Entity { return living[rapid.IntRange(0, len(living)-1).Draw(t, "who")] }
		x := 0.0
		pose := func() components.Pose3D {
			x++
			return At(x, -x, 0)
		}
		walk := map[arche.Entity]bool{} // who moves in every step
		e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			for _, entity := range living {
				if walk[entity] {
					l, _ := bodies.Get(entity)
					p := l.Get()
					p.Position[2]++
					l.Set(p)
				}
			}
		}))
		edit := func() {
			switch op := rapid.IntRange(0, 14).Draw(t, "op"); {
			case op == 0 && len(living) < 40:
				for range rapid.IntRange(1, 12).Draw(t, "born") {
					l := components.NewLogical(pose())
					entity := bodies.NewWith(&l, &components.Visual3D{})
					living = append(living, entity)
					walk[entity] = rapid.Bool().Draw(t, "walks")
					has(entity, gpu, rapid.IntRange(0, 3).Draw(t, "marked") > 0)
				}
			case len(living) == 0:
			case op == 1:
				k := rapid.IntRange(0, len(living)-1).Draw(t, "dies")
				w.RemoveEntity(living[k])
				living = append(living[:k], living[k+1:]...)
			case op == 2 && !inFrame:
				has(one(), gpu, rapid.Bool().Draw(t, "marked"))
			case op == 3:
				has(one(), still, rapid.Bool().Draw(t, "elsewhere"))
			case op == 4:
				entity := one()
				walk[entity] = !walk[entity]
			case op <= 6:
				l, _ := bodies.Get(one())
				l.Set(pose())
			case op == 7:
				l, _ := bodies.Get(one())
				l.Teleport(pose())
			case op == 8:
				l, _ := bodies.Get(one())
				l.SetOver(pose(), time.Duration(rapid.IntRange(0, 180).Draw(t, "over"))*time.Millisecond)
			case op == 9:
				l, _ := bodies.Get(one())
				l.Correct(pose())
			case op == 10:
				l, _ := bodies.Get(one())
				*l = components.NewLogical(pose())
			case op == 11:
				l, _ := bodies.Get(one())
				l.Set(l.Get()) // where it is
			case op == 12:
				ip.Shift(func(p components.Pose3D) components.Pose3D {
					p.Position[0] += 100
					return p
				})
			case op == 13 && rapid.IntRange(0, 3).Draw(t, "rarely") == 0:
				ip.SetEnabled(!ip.Enabled())
			case op == 14:
				if e.SetScale(rapid.SampledFrom([]float64{0, 0.2, 1, 1, 1, 2}).Draw(t, "scale")) != nil || e.SetRate(rapid.SampledFrom([]int{10, 20, 20, 60}).Draw(t, "rate")) != nil {
					t.Fatalf("the clock refuses")
				}
			}
		}
		edits := 0
		early := ecs.SystemFunc(func(*arche.World) {
			// between the writes and the capture, or after it and before the frame
			inFrame = true
			for ; edits > 0; edits-- {
				edit()
			}
			inFrame = false
		})
		e.AddAt(ecs.FixedUpdate, ecs.OrderUser+1, early)
		e.AddAt(ecs.FixedEnd, ecs.OrderCapture+1, early)
		e.AddAt(ecs.NormalUpdate, ecs.OrderUser, early)
		h := newReader(t, e.World(), ip)
		for range rapid.IntRange(5, 40).Draw(t, "frames") {
			for range rapid.IntRange(0, 3).Draw(t, "edits") {
				edit()
			}
			edits = rapid.IntRange(0, 3).Draw(t, "edits during the frame")
			e.Update(time.Duration(rapid.SampledFrom([]int{0, 5, 17, 17, 25, 50, 50, 120}).Draw(t, "frame")) * time.Millisecond)
			for entity := range h.ways {
				if !w.Alive(entity) || !w.Has(entity, gpu) {
					delete(h.ways, entity) // as a renderer gives up instances, in every frame
					delete(h.inStep, entity)
				}
			}
			if rapid.IntRange(0, 4).Draw(t, "listens") == 0 {
				continue
			}
			h.feed.Deliver()
			now := e.Time().Normal
			for _, entity := range living {
				m, ok := ip.Shown(entity)
				if !ok || !w.Has(entity, gpu) {
					delete(h.ways, entity)
					delete(h.inStep, entity)
					continue
				}
				if _, known := h.ways[entity]; !known { // and takes new ones in
					h.Changed(entity, &m)
				}
				want := m.To
				if now < m.End && m.End > m.Start {
					want = components.Blend3D(m.From, m.To, float32(float64(max(0, now-m.Start))/float64(m.End-m.Start)))
				}
				if got := h.at(entity, now); got.Position.Sub(want.Position).Len() > 1e-4*float32(math.Abs(x)+100) {
					t.Fatalf("%v is told to be at %v, it is at %v: told %+v, want %+v", entity, got.Position, want.Position, h.ways[entity], m)
				}
				if h.ways[entity].To != m.To {
					t.Fatalf("%v is told to go to %v, want %v", entity, h.ways[entity].To, m.To)
				}
			}
		}
		continued += h.continued
	})
	if continued == 0 && !testing.Short() { // a few worlds alone may have no such motion
		t.Error("motion has never continued")
	}
}

// otherMark puts entities into another table.
type otherMark struct{}

// In a world in which all entities move, with one step a frame, whole columns are reported and no
// single entities, and that motion continues. Frames without a step report nothing.
func TestFeedByColumns(t *testing.T) {
	e, ip, all := markedCrowd(t, 100, func(int) bool { return true })
	h := newReader(t, e.World(), ip)
	e.Update(frame60)
	h.feed.Deliver()
	for frame := range 30 {
		*h = reader{t: t, ways: h.ways, inStep: h.inStep, feed: h.feed, start: h.start, end: h.end}
		e.Update(frame60 / 3)
		h.feed.Deliver()
		want := 0
		if e.Time().Steps > 0 {
			want = len(all)
		}
		if h.moved != want || h.continued != want || h.changed != 0 {
			t.Fatalf("frame %d: %d are told of by columns, %d of which go on, and %d apart; want %d, all, and none", frame, h.moved, h.continued, h.changed, want)
		}
	}
}

// After a step without a delivery the reports do not continue the earlier ones: motion is reported
// with both samples, and arrivals one by one.
func TestFeedAfterAMissedStep(t *testing.T) {
	stopped := false
	e, ip, all := markedCrowd(t, 60, func(k int) bool { return !stopped || k%3 != 0 })
	h := newReader(t, e.World(), ip)
	e.Update(frame60)
	h.feed.Deliver()
	step := func() { e.Update(e.Time().Fixed - e.Time().Normal) }
	step() // unheard
	stopped = true
	*h = reader{t: t, ways: h.ways, inStep: h.inStep, feed: h.feed, start: h.start, end: h.end}
	step()
	h.feed.Deliver()
	if h.moved != 40 || h.continued != 0 || h.changed < 20 {
		t.Errorf("%d are told of by columns, %d of which go on, and %d apart; want the 40 that move, none, and the 20 that have arrived", h.moved, h.continued, h.changed)
	}
	for _, entity := range all {
		if m, _ := ip.Shown(entity); h.ways[entity].To != m.To {
			t.Errorf("%v is told to go to %v, want %v", entity, h.ways[entity].To, m.To)
		}
	}
}

func TestFeedAllocatesNothing(t *testing.T) {
	moving := 0
	e, ip, _ := markedCrowd(t, 500, func(k int) bool { return k%5 != moving%5 })
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { moving++ }))
	rows := 0
	feed := subscribeGPU(e.World(), ip, func(start, end time.Duration) {},
		func(r *interpolation.Rows[components.Pose3D]) { rows += r.Len() }, func(arche.Entity, *interpolation.Samples[components.Pose3D]) {})
	frame := func() {
		e.Update(frame60)
		feed.Deliver()
	}
	for range 20 {
		frame()
	}
	if n := testing.AllocsPerRun(50, frame); n != 0 {
		t.Errorf("%v allocations in a frame", n)
	}
	if rows == 0 {
		t.Error("nothing was told")
	}
}

// An entity that loses interpolation within a step is at the step's end at once, as are those that
// the processor blends. This holds in a pause too.
func TestFeedOfNoInterpolation(t *testing.T) {
	for _, paused := range []bool{false, true} {
		e, ip, all := markedCrowd(t, 100, func(k int) bool { return k%3 > 0 })
		h := newReader(t, e.World(), ip)
		frame := func() {
			e.Update(frame60 / 4)
			h.feed.Deliver()
		}
		for range 9 {
			frame()
		}
		if paused {
			if err := e.SetScale(0); err != nil {
				t.Fatal(err)
			}
		}
		still := arche.ComponentID[components.NoInterpolation](e.World())
		for k, entity := range all {
			if k%2 > 0 {
				e.World().Add(entity, still)
			}
		}
		for range 12 {
			frame()
			for k, entity := range all {
				m, _ := ip.Shown(entity)
				if w, known := h.ways[entity]; known && w != m && (w.From != w.To || w.To != m.To) || !known && k%3 > 0 {
					t.Fatalf("paused %v: body %d is told to go from %v to %v, it goes from %v to %v", paused, k, w.From.Position, w.To.Position, m.From.Position, m.To.Position)
				}
			}
		}
	}
}
