// Package draw computes visual values from samples and offsets. It alone writes the Visual of an
// entity that has a Logical.
package draw

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/offset"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/samples"
)

// Blends are two ways to blend, which give the same bits: a column, and the rows of a list. A
// single value is a column of one.
type Blends[T any] struct {
	All  func(dst, prev, cur []T, t float32)
	Rows func(rows []uint32, dst, prev, cur []T, t float32)
}

// Drawer draws the entities of one store.
type Drawer[T any] struct {
	samples *samples.Store[T]
	offsets *offset.Set[T]
	clock   *ecs.Time
	blends  Blends[T]
	team    team[T]

	disabled bool
	one      T             // scratch
	drawnAt  time.Duration // the normal time of the newest drawing
	drawnOff bool          // whether that was without interpolation
	redraw   bool          // the rows in motion have changed since
	renewed  bool          // the newest drawing has written rows that the graphics processor blends
}

// New returns a drawer. Any number of workers may take part.
func New[T any](s *samples.Store[T], o *offset.Set[T], clock *ecs.Time, b Blends[T], workers int) *Drawer[T] {
	d := &Drawer[T]{samples: s, offsets: o, clock: clock, blends: b}
	d.team.size = workers
	return d
}

// SetEnabled switches interpolation on or off. While it is off, newest samples are drawn as they
// are.
func (d *Drawer[T]) SetEnabled(on bool) { d.disabled = !on }

// Renewed reports whether the newest drawing, or a change after it, concerns entities that the
// graphics processor blends.
func (d *Drawer[T]) Renewed() bool { return d.renewed }

// Captured notes that the samples have changed. The next Sync draws, even at the same time.
func (d *Drawer[T]) Captured() { d.redraw = true }

// Restructured notes that rows in motion have moved to other tables since the newest drawing.
func (d *Drawer[T]) Restructured() { d.redraw, d.renewed = true, true }

// LastAt returns the normal time of the newest drawing.
func (d *Drawer[T]) LastAt() time.Duration { return d.drawnAt }

// Sync runs once per frame. It blends the visual values of everything in motion at the normal time.
// It does not touch resting entities.
func (d *Drawer[T]) Sync() {
	tables := d.samples.Tables()
	mismatched := d.samples.Mismatched()
	if mismatched {
		d.samples.Detach()
		tables = d.samples.Tables()
	}
	now := d.clock.Normal
	if !d.samples.Renew(tables) {
		d.redraw = true
	}
	d.renewed = d.redraw
	if d.redraw || now != d.drawnAt || d.disabled != d.drawnOff {
		d.draw(tables, now)
		d.drawnAt, d.drawnOff, d.redraw = now, d.disabled, false
	}
	if mismatched {
		d.drawUnsampled()
	}
	d.drawOffsets(now, d.clock.RealDelta)
}

func (d *Drawer[T]) draw(tables []samples.Table[T], now time.Duration) {
	step := d.samples.Step()
	fraction := step.Fraction(now)
	for k := range d.samples.Lists() {
		t, a := &tables[k], d.samples.List(k)
		visual, prev, cur := t.Visual(), t.Prev(), t.Cur()
		still := d.disabled || t.Still() || t.OnGPU()
		switch {
		case a.Common() == 0:
		case t.OnGPU() && !d.redraw: // its newest sample was written before
		case still && a.All():
			copy(visual, cur)
		case still:
			for _, r := range a.Rows() {
				visual[r] = cur[r]
			}
		case a.All():
			d.blend(job[T]{dst: visual, prev: prev, cur: cur, t: fraction})
		default:
			d.blend(job[T]{rows: a.Rows(), dst: visual, prev: prev, cur: cur, t: fraction})
		}
		if len(a.Timed()) > 0 {
			d.drawTimed(k, t, a, still, now)
		}
	}
}

// drawTimed draws the rows that move over intervals of their own. Rows that have arrived come to
// rest.
func (d *Drawer[T]) drawTimed(k int, t *samples.Table[T], a *samples.Active, still bool, now time.Duration) {
	visual, prev, cur := t.Visual(), t.Prev(), t.Cur()
	kept := a.Timed()[:0]
	for _, r := range a.Timed() {
		own := t.Own(r)
		switch {
		case now >= own.To:
			visual[r] = cur[r]
			t.Motion()[r] = 0
			d.samples.NoteChanged(t.Owner(r))
			continue
		case still:
			visual[r] = cur[r]
		default:
			d.blends.All(visual[r:r+1], prev[r:r+1], cur[r:r+1], own.Fraction(now))
		}
		kept = append(kept, r)
	}
	d.samples.KeepTimed(k, kept)
}

// drawUnsampled shows the logical value of entities that were made in normal stages, before their
// first fixed step. Those that appear in motion show the start of it, which is in the Visual.
func (d *Drawer[T]) drawUnsampled() {
	query := d.samples.World().Query(d.samples.Unsampled())
	for query.Next() {
		e := query.Entity()
		shown := d.samples.Record(e).Value()
		if d.samples.Record(e).InMotion() && !d.samples.Still(e) {
			shown = d.samples.Visual(e)
		}
		if !d.samples.Finite(shown) {
			continue // its first step reports it
		}
		*d.samples.Visual(e) = d.samples.Normal(*shown)
		d.samples.NoteChanged(e)
	}
}

// drawOffsets adds the rest of each offset to the visual values, and makes them older by the
// frame's real time.
func (d *Drawer[T]) drawOffsets(now, real time.Duration) {
	for at := d.offsets.Len() - 1; at >= 0; at-- {
		e, gone := d.offsets.Age(at, real)
		r, ok := d.samples.Row(e)
		if !ok {
			d.offsets.Remove(at)
			continue
		}
		d.samples.NoteChanged(e)
		switch {
		case d.Raw(e):
			*r.Visual() = *r.Cur()
		case gone:
			*r.Visual() = d.At(&r, now)
		default:
			*r.Visual() = d.offsets.Drawn(at, d.At(&r, now))
		}
		if gone {
			d.offsets.Remove(at)
		}
	}
}

// Raw reports whether an entity shows its newest sample, without interpolation and without an
// offset.
func (d *Drawer[T]) Raw(e arche.Entity) bool { return d.disabled || d.samples.Still(e) }

// At returns the value of a row at a fixed time that the newest capture covers or that lies after
// it, without an offset.
func (d *Drawer[T]) At(r *samples.Row[T], now time.Duration) T {
	if r.Rests() {
		return *r.Cur()
	}
	t := d.samples.Interval(r).Fraction(now)
	if t == 1 {
		return *r.Cur()
	}
	return d.Between(r.Prev(), r.Cur(), t)
}

// Between returns a blend of two samples.
func (d *Drawer[T]) Between(prev, cur *T, t float32) T {
	d.blends.All(column.One(&d.one), column.One(prev), column.One(cur), t)
	return d.one
}

// With adds the rest of an entity's offset in this frame to a value, if one fades. Within a step
// the frame's real time counts as passed, although the frame is not drawn yet. Otherwise an offset
// would never fade when every frame brings another correction.
func (d *Drawer[T]) With(e arche.Entity, value T) T {
	real := time.Duration(0)
	if d.clock.Fixed == d.clock.StepStart {
		real = d.clock.RealDelta
	}
	return d.offsets.On(e, value, real)
}

// Rest puts a row to rest at its newest sample.
func (d *Drawer[T]) Rest(t *samples.Table[T], row uint32) {
	t.Motion()[row] = 0
	if visual, cur := &t.Visual()[row], &t.Cur()[row]; !column.SameBits(visual, cur) {
		*visual = *cur
		d.samples.NoteChanged(t.Owner(row))
	}
}

// Attached shows an entity that has just got its samples.
func (d *Drawer[T]) Attached(e arche.Entity, r samples.Row[T]) {
	*r.Visual() = *r.Cur()
	d.offsets.Forget(e)
	d.samples.NoteChanged(e)
}

// Show draws one entity at the normal time, before the next Sync.
func (d *Drawer[T]) Show(e arche.Entity, r *samples.Row[T]) {
	*r.Visual() = *r.Cur()
	if !d.Raw(e) {
		*r.Visual() = d.With(e, d.At(r, d.clock.Normal))
	}
	d.samples.NoteChanged(e)
}

// Shift maps an entity's visual value to other coordinates. A resting entity without an offset
// keeps its newest sample, bit for bit.
func (d *Drawer[T]) Shift(f func(T) T, e arche.Entity, r *samples.Row[T]) {
	if r.Sampled() && r.Record() != nil && r.Rests() && !d.offsets.Fades(e) {
		*r.Visual() = *r.Cur()
		return
	}
	*r.Visual() = d.samples.Normal(f(*r.Visual()))
}
