package interpolation

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

// Samples are two values of an entity and the interval of normal time between them. The value is
// From until Start and To from End on.
type Samples[T any] struct {
	From, To   T             // in the frame of the entity's parent
	Start, End time.Duration // normal time, as in ecs.Time
}

// HasSamples reports whether an entity is interpolated: it has both the Logical and the Visual of
// type T, and the interpolator has attached samples to it.
func (i *Interpolator[T]) HasSamples(e arche.Entity) bool {
	i.mustBeInstalled("HasSamples")
	return i.samples.Has(e)
}

// Samples returns the two samples of an entity. At rest both are the resting value, and the
// interval is the newest step. It reports false for an entity that has no samples (yet).
func (i *Interpolator[T]) Samples(e arche.Entity) (s Samples[T], ok bool) {
	i.mustBeInstalled("Samples")
	r, ok := i.samples.Row(e)
	if !ok {
		return s, false
	}
	between := i.samples.Interval(&r)
	s = Samples[T]{From: *r.Prev(), To: *r.Cur(), Start: between.From, End: between.To}
	if r.Rests() {
		s.From = s.To
	}
	return s, true
}

// Shown returns the samples between which an entity is drawn. They are those of
// [Interpolator.Samples], with two exceptions. Without interpolation both values are the newest
// sample. While the offset of a corrected prediction fades, both are the value that the newest
// VisualSync has drawn.
func (i *Interpolator[T]) Shown(e arche.Entity) (s Samples[T], ok bool) {
	s, ok = i.Samples(e)
	if !ok {
		return s, false
	}
	if i.drawer.Raw(e) {
		s.From = s.To
	} else if i.offsets.Fades(e) {
		s.From = *i.samples.Visual(e)
		s.To = s.From
	}
	return s, true
}

// At returns the value of an entity at a normal time that the newest step covers or that lies after
// it. It includes the present rest of the offset of a corrected prediction, if one is drawn.
// A motion that has arrived counts as if it had always been there. It reports false for an entity
// that has no samples (yet).
func (i *Interpolator[T]) At(e arche.Entity, t time.Duration) (v T, ok bool) {
	i.mustBeInstalled("At")
	r, ok := i.samples.Row(e)
	if !ok {
		return v, false
	}
	if own, timed := r.Timed(); timed && own.To <= i.present() {
		v = *r.Cur()
	} else {
		v = i.drawer.At(&r, t)
	}
	if !i.drawer.Raw(e) {
		v = i.drawer.With(e, v)
	}
	return v, true
}

// Redraw draws one entity at the normal time, before the next VisualSync. It brings a Visual up to
// date that was drawn by other means, such as the graphics processor. While the offset of a
// corrected prediction fades, it changes nothing. An entity that has no samples (yet) is left
// alone.
func (i *Interpolator[T]) Redraw(e arche.Entity) {
	i.mustBeInstalled("Redraw")
	if r, ok := i.samples.Row(e); ok && (i.drawer.Raw(e) || !i.offsets.Fades(e)) {
		i.drawer.Show(e, &r)
	}
}
