package capture

import (
	"slices"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/draw"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/kernel"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/offset"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/samples"
)

// stepLength is the length of a step in these tests.
const stepLength = 100 * time.Millisecond

// rig is a world with a capturer of values of type T.
type rig[T any] struct {
	testing.TB
	w       arche.World
	clock   ecs.Time
	store   *samples.Store[T]
	offsets *offset.Set[T]
	capture *Capturer[T]
}

func newRig[T any](t testing.TB, plain Plain[T], a offset.Arithmetic[T], blend func(dst, prev, cur []T, t float32)) *rig[T] {
	r := &rig[T]{TB: t, w: arche.NewWorld()}
	r.clock.StepEnd = stepLength
	r.store = samples.New[T](&r.w, nil)
	r.offsets = offset.New(a, r.store.Normal, stepLength)
	drawer := draw.New(r.store, r.offsets, &r.clock, draw.Blends[T]{All: blend}, 0)
	r.capture = New(r.store, r.offsets, drawer, plain)
	return r
}

// newNumbers returns a rig of numbers, which are blended linearly.
func newNumbers(t testing.TB) *rig[float32] {
	return newRig(t, Values[float32], offset.Arithmetic[float32]{
		Sub:   func(to, from float32) float32 { return to - from },
		Add:   func(base, offset float32) float32 { return base + offset },
		Scale: func(offset, factor float32) float32 { return offset * factor },
	}, func(dst, prev, cur []float32, t float32) { dst[0] = prev[0] + (cur[0]-prev[0])*t })
}

// spawn makes an entity with a logical and a visual value, and whatever else is named.
func (r *rig[T]) spawn(v T, more ...arche.ID) arche.Entity {
	e := r.w.NewEntity(append(more, arche.ComponentID[components.Logical[T]](&r.w), arche.ComponentID[components.Visual[T]](&r.w))...)
	*r.logical(e) = components.NewLogical(v)
	return e
}

func (r *rig[T]) logical(e arche.Entity) *components.Logical[T] {
	return (*components.Logical[T])(r.w.Get(e, arche.ComponentID[components.Logical[T]](&r.w)))
}

// step captures a step, after the writes.
func (r *rig[T]) step(writes func()) {
	r.capture.Attach() // as FixedUpdate begins
	r.clock.Fixed = r.clock.StepStart
	if writes != nil {
		writes()
	}
	r.capture.Run(samples.Interval{From: r.clock.StepStart, To: r.clock.StepEnd})
	r.clock.Fixed = r.clock.StepEnd
	r.clock.StepStart, r.clock.StepEnd = r.clock.StepEnd, r.clock.StepEnd+stepLength
}

// row returns the cells of an entity.
func (r *rig[T]) row(e arche.Entity) *samples.Row[T] {
	r.Helper()
	row, ok := r.store.Row(e)
	if !ok {
		r.Fatalf("%v has no samples", e)
	}
	return &row
}

// want checks the samples of an entity and, if they differ, the interval between them, in steps.
func want(r *rig[float32], what string, e arche.Entity, prev, cur float32, from, to float64) {
	r.Helper()
	row := r.row(e)
	if *row.Prev() != prev && !row.Rests() || *row.Cur() != cur {
		r.Errorf("%s: samples %v and %v, want %v and %v", what, *row.Prev(), *row.Cur(), prev, cur)
	}
	if rests := prev == cur; row.Rests() != rests {
		r.Errorf("%s: at rest: %v, want %v", what, row.Rests(), rests)
	} else if rests {
		if *row.Visual() != cur {
			r.Errorf("%s: %v is shown at rest, want %v", what, *row.Visual(), cur)
		}
		return
	}
	steps := func(s float64) time.Duration { return time.Duration(s * float64(stepLength)) }
	if i := r.store.Interval(row); i.From != steps(from) || i.To != steps(to) {
		r.Errorf("%s: in motion from %v to %v, want %v to %v", what, i.From, i.To, steps(from), steps(to))
	}
}

// active returns how many rows are in ordinary motion, and how many over intervals of their own.
func (r *rig[T]) active() (common, timed int) {
	for k := range r.store.Lists() {
		common += r.store.List(k).Common()
		timed += len(r.store.List(k).Timed())
	}
	return common, timed
}

// A movement goes from the value at the step's start to the one at its end. An entity that is not
// written any more rests at its newest sample. The last write of a step counts.
func TestOrdinaryMovements(t *testing.T) {
	r := newNumbers(t)
	e, resting := r.spawn(1), r.spawn(7)
	r.step(nil)
	want(r, "spawned", e, 1, 1, 0, 0)
	r.step(func() { r.logical(e).Set(5); r.logical(e).Set(2) })
	want(r, "moved", e, 1, 2, 1, 2)
	r.step(func() { r.logical(e).Set(4) })
	want(r, "moved on", e, 2, 4, 2, 3)
	if common, timed := r.active(); common != 1 || timed != 0 {
		t.Errorf("%d rows in ordinary motion and %d others, want 1 and 0", common, timed)
	}
	r.step(func() { r.logical(e).Set(4) })
	want(r, "written with its own value", e, 4, 4, 0, 0)
	r.step(func() { r.logical(e).Set(6) })
	r.step(nil)
	want(r, "arrived", e, 6, 6, 0, 0)
	want(r, "never written", resting, 7, 7, 0, 0)
	if common, _ := r.active(); common != 0 {
		t.Errorf("%d rows in motion at rest", common)
	}
}

// A jump, and a value that was overwritten whole, are at their place from the step's start on, with
// all writes that follow in the step. So is everything with NoInterpolation.
func TestJumps(t *testing.T) {
	r := newNumbers(t)
	e, still := r.spawn(1), r.spawn(1, arche.ComponentID[components.NoInterpolation](&r.w))
	r.step(nil)
	r.step(func() { r.logical(e).Teleport(10); r.logical(e).Set(12); r.logical(still).Set(3) })
	want(r, "teleported", e, 12, 12, 0, 0)
	want(r, "without interpolation", still, 3, 3, 0, 0)
	r.step(func() { *r.logical(e) = components.NewLogical(float32(20)) })
	want(r, "overwritten", e, 20, 20, 0, 0)
	r.step(func() { r.logical(e).Set(21) })
	want(r, "moved after it", e, 20, 21, 3, 4)
}

// A movement over a time of its own stays in motion until then. A write before continues from the
// value at the step's start.
func TestMovementsOverATimeOfTheirOwn(t *testing.T) {
	r := newNumbers(t)
	a, b, c := r.spawn(0), r.spawn(0), r.spawn(0)
	r.step(nil)
	r.step(func() {
		r.logical(a).SetOver(10, 5*stepLength/2)
		r.logical(b).SetOver(10, 2*stepLength)
		r.logical(c).SetOver(10, 0)
	})
	want(r, "in two and a half steps", a, 0, 10, 1, 3.5)
	want(r, "in two steps", b, 0, 10, 1, 3)
	want(r, "at once", c, 10, 10, 0, 0)
	r.step(func() { r.logical(b).Set(20) })
	want(r, "on its way", a, 0, 10, 1, 3.5)
	want(r, "moved on from the middle", b, 5, 20, 2, 3)
	r.step(nil)
	want(r, "in its last step", a, 0, 10, 1, 3.5)
	if common, timed := r.active(); common != 0 || timed != 1 {
		t.Errorf("%d rows in ordinary motion and %d others, want 0 and 1", common, timed)
	}
	r.step(nil)
	want(r, "arrived", a, 10, 10, 0, 0)
}

// A correction takes the samples to the corrected path, and the difference to the drawn value
// fades. The path begins where the entity's motion of the step before leads back to, or where it is
// given.
func TestCorrections(t *testing.T) {
	r := newNumbers(t)
	e, given := r.spawn(0), r.spawn(0)
	r.step(nil)
	move := func(v float32) func() {
		return func() { r.logical(e).Set(v); r.logical(given).Set(v) }
	}
	r.step(move(1))
	r.step(func() {
		r.logical(e).Correct(5)
		r.offsets.Know(given, offset.Path[float32]{Start: 3})
		r.logical(given).Correct(5)
	})
	want(r, "corrected", e, 4, 5, 2, 3)
	want(r, "corrected on a given path", given, 3, 5, 2, 3)
	for _, test := range []struct {
		e    arche.Entity
		want float32
	}{{e, 1 - 4}, {given, 1 - 3}} {
		if got := r.offsets.On(test.e, 0, 0); got != test.want {
			t.Errorf("an offset of %v, want %v", got, test.want)
		}
	}
	r.step(func() { r.logical(e).Teleport(0) })
	if r.offsets.Fades(e) || !r.offsets.Fades(given) {
		t.Error("a jump drops the entity's offset, and no other")
	}
}

// Entities in motion that change tables after a capture are found in the next one, and come to rest
// or stay on their way.
func TestMotionAcrossTables(t *testing.T) {
	r := newNumbers(t)
	var list []arche.Entity
	for range 12 {
		list = append(list, r.spawn(0))
	}
	mark := arche.ComponentID[components.Velocity3D](&r.w)
	r.step(nil)
	r.step(func() {
		for k, e := range list {
			if k%2 == 0 {
				r.logical(e).Set(1)
			} else {
				r.logical(e).SetOver(1, 3*stepLength)
			}
		}
	})
	for k, e := range list {
		if k%3 == 0 {
			r.w.Add(e, mark)
		}
	}
	r.w.RemoveEntity(list[11])
	r.step(nil)
	for k, e := range list[:11] {
		if k%2 == 0 {
			want(r, "moved", e, 1, 1, 0, 0)
		} else {
			want(r, "on its way", e, 0, 1, 1, 4)
		}
	}
	if common, timed := r.active(); common != 0 || timed != 5 {
		t.Errorf("%d rows in ordinary motion and %d others, want 0 and 5", common, timed)
	}
}

// The capture of poses by the kernel and that of any values agree.
func TestPosesAreCapturedLikeOtherValues(t *testing.T) {
	blend := kernel.Fastest.Blend3D
	rigs := []*rig[components.Pose3D]{
		newRig(t, Poses3D, offset.Pose3D(), blend),
		newRig(t, Values[components.Pose3D], offset.Pose3D(), blend),
	}
	const n = 100
	entities := make([][]arche.Entity, len(rigs))
	for k, r := range rigs {
		for i := range n {
			entities[k] = append(entities[k], r.spawn(components.At3D(float32(i), 0, 0)))
		}
	}
	for step := range 60 {
		for k, r := range rigs {
			r.step(func() {
				for i, e := range entities[k] {
					l, p := r.logical(e), components.At3D(float32(i), float32(step), 0)
					switch (i*7 + step*13) % (3 + step%17) {
					case 0: // not written
					case 1:
						l.SetOver(p, stepLength*3/2)
					case 2:
						l.Teleport(p)
					case 3:
						l.Correct(p)
					case 4:
						l.Set(l.Get())
					default:
						l.Set(p)
					}
				}
			})
		}
		for i := range n {
			a, b := rigs[0].row(entities[0][i]), rigs[1].row(entities[1][i])
			if *a.Prev() != *b.Prev() || *a.Cur() != *b.Cur() || *a.Visual() != *b.Visual() || a.Rests() != b.Rests() {
				t.Fatalf("step %d, entity %d: %v to %v by the kernel, %v to %v otherwise", step, i, *a.Prev(), *a.Cur(), *b.Prev(), *b.Cur())
			}
		}
		rows := func(r *rig[components.Pose3D]) (rows []uint32) {
			list := r.store.List(0)
			for k := range list.Common() {
				rows = append(rows, list.Row(k))
			}
			slices.Sort(rows)
			return rows
		}
		if a, b := rows(rigs[0]), rows(rigs[1]); !slices.Equal(a, b) {
			t.Fatalf("step %d: rows %v are in motion by the kernel, %v otherwise", step, a, b)
		}
	}
}
