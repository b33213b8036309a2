package interpolation

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/internal/record"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/samples"
)

// Frames maps a value of an entity from its frame to another one, such as that of a new parent.
type Frames[T any] struct {
	Logical func(T) T                // by the present frames of the simulation
	Drawn   func(T) T                // by the frames as they are drawn now
	At      func(time.Duration, T) T // by the frames at a normal time; nil: not known any more
}

// Reframe maps all values of an entity to another frame: samples, Visual, the offset of a
// correction, and the logical value. Unlike [Interpolator.Shift] it may set the entity in motion: a
// child that rests on a moving parent has to move in the world's frame. For an entity without
// samples it reports false and does nothing.
func (i *Interpolator[T]) Reframe(e arche.Entity, f Frames[T]) bool {
	i.mustBeInstalled("Reframe")
	r, ok := i.samples.Row(e)
	if !ok {
		return false
	}
	drawn := *r.Visual()
	if f.At == nil && !i.drawer.Raw(e) {
		drawn = i.offsets.Off(e, drawn)
	}
	i.offsets.Shift(f.Drawn, e, *r.Cur())
	logical, written := r.Record(), r.Written()
	value := i.samples.Normal(f.Logical(*logical.Value()))
	if f.At != nil {
		i.reframeSamples(&r, f.At)
	} else { // the old frame is gone: from the value that was drawn last to the simulation's
		r.Set(i.samples.Normal(f.Drawn(drawn)), value)
		i.samples.SetTimed(&r, samples.Interval{From: i.drawer.LastAt(), To: i.clock.StepEnd})
	}
	if !written && !column.SameBits(&value, r.Cur()) {
		logical.Write(value, record.Moved, 0)
	} else {
		logical.Rebase(value)
	}
	i.drawer.Show(e, &r)
	return true
}

// ReframeTimes returns the two normal times for which [Interpolator.Reframe] would ask Frames.At.
// It reports false for an entity without samples.
func (i *Interpolator[T]) ReframeTimes(e arche.Entity) (from, to time.Duration, ok bool) {
	i.mustBeInstalled("ReframeTimes")
	r, ok := i.samples.Row(e)
	if !ok {
		return 0, 0, false
	}
	w := i.wayOf(&r)
	return w.From, w.To, true
}

// way is the rest of a motion, as it is mapped to another frame.
type way struct {
	samples.Interval
	timed bool // over an interval of the entity's own
	anew  bool // it begins at the present, and not at the older sample
}

// wayOf returns the rest of an entity's motion.
//
// Between the two samples the path stays only if it is straight. So it begins anew at the present
// in two cases. One is a motion that began before the newest step: the frames at its beginning are
// not known any more. The other is a call from a normal stage: the path is on screen, and the old
// frame may turn or arrive in mid-step.
func (i *Interpolator[T]) wayOf(r *samples.Row[T]) way {
	now, step := i.present(), i.samples.Step()
	w := way{Interval: step}
	if own, timed := r.Timed(); timed && own.To > now {
		w.Interval, w.timed = own, true
	}
	if w.timed || now > step.From && now < step.To {
		w.From, w.anew = now, true
	}
	return w
}

// reframeSamples maps both samples, each by the frames of its own time, so that the path through
// the world stays.
func (i *Interpolator[T]) reframeSamples(r *samples.Row[T], at func(time.Duration, T) T) {
	w := i.wayOf(r)
	if _, timed := r.Timed(); timed && !w.timed {
		// it has arrived, whether or not a frame has been drawn since
		i.samples.EndTimed(r)
	}
	if r.Rests() {
		r.Set(*r.Cur(), *r.Cur())
	}
	if w.anew {
		r.Set(i.drawer.At(r, w.From), *r.Cur())
	}
	r.Set(i.samples.Normal(at(w.From, *r.Prev())), i.samples.Normal(at(w.To, *r.Cur())))
	switch {
	case r.Rests() && column.SameBits(r.Prev(), r.Cur()): // it rests as before
	case w.anew:
		i.samples.SetTimed(r, w.Interval)
	case r.Rests():
		i.samples.SetActive(r)
	}
}
