package interpolation

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/internal/record"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/samples"
)

// Frames maps a value of an entity from the frame that it has to another one, such as that of a new
// parent.
type Frames[T any] struct {
	Logical func(T) T                // as the simulation knows the frames now
	Drawn   func(T) T                // as they are drawn now
	At      func(time.Duration, T) T // as they are at a normal time; nil: not known any more
}

// Reframe maps everything that an entity has to another frame: samples, what is drawn, the offset
// of a correction, and the logical value. Unlike [Interpolator.Shift] it may set the entity in
// motion: a child at rest on a moving parent moves when it stays where it is. It reports false, and
// does nothing, for an entity that has no samples (yet).
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
	} else { // the old frame is gone: from what was drawn last to where the simulation is
		r.Set(i.samples.Normal(f.Drawn(drawn)), value)
		i.samples.SetTimed(&r, i.drawer.LastAt(), i.clock.StepEnd)
	}
	if !written && !column.SameBits(&value, r.Cur()) {
		logical.Write(value, record.Moved, 0)
	} else {
		logical.Rebase(value)
	}
	i.drawer.Show(e, &r)
	return true
}

// reframeSamples maps both samples, each by the frames of its own time, so that the way through the
// world stays what it was.
//
// Between the two it does so only if the way is straight. So a way begins anew at the present in
// two cases: it was under way before the newest step, so the frames at its beginning are not known
// any more; or the call comes from a normal stage, where the way is on screen and the old frame may
// turn, or arrive in mid-step.
func (i *Interpolator[T]) reframeSamples(r *samples.Row[T], at func(time.Duration, T) T) {
	now, step := i.present(), i.samples.Step()
	way := step
	own, timed := r.Timed()
	switch {
	case timed && own.To() > now:
		way = own
	case timed: // it has arrived, whether or not a frame has been drawn since
		i.samples.EndTimed(r)
		timed = false
		r.Set(*r.Cur(), *r.Cur())
	case r.Rests():
		r.Set(*r.Cur(), *r.Cur())
	}
	from, anew := way.From(), timed || now > step.From() && now < step.To()
	if anew {
		r.Set(i.drawer.At(r, now), *r.Cur())
		from = now
	}
	r.Set(i.samples.Normal(at(from, *r.Prev())), i.samples.Normal(at(way.To(), *r.Cur())))
	switch {
	case r.Rests() && column.SameBits(r.Prev(), r.Cur()): // it rests as before
	case anew:
		i.samples.SetTimed(r, from, way.To())
	case r.Rests():
		i.samples.SetActive(r)
	}
}
