// Package capture takes logical values into the samples, once, at the end of a fixed step.
package capture

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/internal/record"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/draw"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/offset"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/samples"
)

// Capturer captures the steps of one store.
type Capturer[T any] struct {
	samples *samples.Store[T]
	offsets *offset.Set[T]
	drawer  *draw.Drawer[T]
	plain   Plain[T]
	attach  func(e arche.Entity, r samples.Row[T])

	part  Part[T] // scratch
	start T       // scratch
}

// New returns a capturer. The inner loop is [Values] or, for poses in space, [Poses3D].
func New[T any](s *samples.Store[T], o *offset.Set[T], d *draw.Drawer[T], plain Plain[T]) *Capturer[T] {
	c := &Capturer[T]{samples: s, offsets: o, drawer: d, plain: plain, attach: d.Attached}
	c.part.finite = s.Check()
	return c
}

// Attach attaches samples to the entities that need them, and detaches them from those that have
// lost their Logical or Visual.
func (c *Capturer[T]) Attach() { c.samples.Attach(c.attach) }

// Run captures a step, at its end. Of every value that was written in it, the older sample becomes
// the value at its start and the newer one the value at its end.
func (c *Capturer[T]) Run(step samples.Interval) {
	c.Attach()
	last := c.samples.Step()
	s := c.samples.Begin(step)
	c.drawer.Captured()
	tables := s.Tables()
	gen, lastGen := s.Generation()
	arrived, timed := s.Active() // not accounted for yet
	for k := range tables {
		t, a, p := &tables[k], c.samples.List(k), &c.part
		p.table, p.now, p.last = t, t.Mark(gen), t.Mark(lastGen)
		p.out.Reset(a.Rows())
		if t.Still() {
			look(p)
		} else {
			c.plain(p)
		}
		a.Fill(p.out.Moving, p.out.All)
		arrived -= p.out.Went
		for _, r := range p.out.Others {
			switch {
			case t.Motion()[r] == samples.Timed:
				timed--
			case t.WasActive(r, lastGen):
				arrived--
			}
			c.slowly(t, a, r, last, gen, lastGen)
		}
		for _, r := range p.out.Rested {
			c.arrive(t, r)
		}
		a.Tidy()
	}
	c.finish(tables, arrived, timed, lastGen)
	c.part.table, c.part.out.Moving = nil, nil // the lists keep their memory
	c.samples.End()
	c.offsets.ForgetPaths()
}

// slowly captures a row that made no ordinary movement.
func (c *Capturer[T]) slowly(t *samples.Table[T], a *samples.Active, r uint32, last samples.Interval, gen, lastGen uint32) {
	written, e := &t.Records()[r], t.Owner(r)
	prev, cur := &t.Prev()[r], &t.Cur()[r]
	kind, over := written.Settle(record.OwnerOf(e), t.Seen()[r])
	t.Seen()[r] = written.Revision()

	step := c.samples.Step()
	end := step.To
	value := c.samples.Normal(*written.Value())
	if !c.samples.Finite(written.Value()) { // it stays where it is, or arrives there
		value, kind = *cur, record.Moved
		c.samples.Refuse(t, r)
	}
	// The value of the old samples at the step's start.
	from := *cur
	if own := t.Own(r); t.Motion()[r] == samples.Timed && step.From < own.To {
		from = c.drawer.Between(prev, cur, own.Fraction(step.From))
	}
	if kind == record.Corrected && (!c.offsets.Known() || t.Still()) {
		kind = record.Moved
	}
	switch {
	case kind == record.Teleported:
		c.offsets.Forget(e)
		from = value
	case t.Still():
		from = value
	case kind == record.Corrected:
		path := c.offsets.PathTo(value, e, *prev, *cur, ratio(t.WasActive(r, lastGen), last, step))
		if c.start = path.Start; !c.samples.Finite(&c.start) {
			path.Start = value
		}
		c.offsets.Add(e, path, c.drawer.With(e, from))
		c.samples.NoteChanged(e)
		from = path.Start
	case kind == record.Arrives:
		end = step.From + over
		if end <= step.From {
			from = value
		}
	}
	*prev, *cur = from, value
	switch {
	case column.SameBits(&from, &value):
		c.drawer.Rest(t, r)
	case end == step.To:
		t.Motion()[r] = t.Mark(gen)
		a.Add(r)
	default:
		t.Motion()[r] = samples.Timed
		c.samples.SetInterval(t, r, samples.Interval{From: step.From, To: end})
		a.AddTimed(r)
	}
	if t.OnGPU() {
		c.samples.NoteChanged(e)
	}
}

// ratio returns the length of a step relative to the one before, or 0 for an entity that did not
// move over that one.
func ratio(moved bool, last, step samples.Interval) float32 {
	if !moved || last.To <= last.From {
		return 0
	}
	return float32(float64(step.To-step.From) / float64(last.To-last.From))
}

// arrive puts a row to rest that was in ordinary motion or at rest.
func (c *Capturer[T]) arrive(t *samples.Table[T], r uint32) {
	if t.OnGPU() {
		c.samples.NoteRested(t.Owner(r))
	}
	c.drawer.Rest(t, r)
}

// finish takes the rows that were in motion before and were not written in this step: so many in
// ordinary motion, and so many over intervals of their own.
func (c *Capturer[T]) finish(tables []samples.Table[T], arrived, timed int, lastGen uint32) {
	take := func(k int, r uint32) {
		switch t := &tables[k]; {
		case t.WasActive(r, lastGen):
			// This step began where that one ended, so the normal time has passed the row.
			arrived--
			c.arrive(t, r)
		case c.samples.TimedBefore(t, r):
			timed--
			c.keep(t, c.samples.List(k), r)
		}
	}
	for k := range tables {
		old := c.samples.Previous(k, tables[k].Motion())
		if old == nil {
			continue
		}
		if arrived > 0 {
			for r := range old.Common() {
				take(k, old.Row(r))
			}
		}
		if timed > 0 {
			for _, r := range old.Timed() {
				take(k, r)
			}
		}
	}
	// The structure has changed: some rows have moved, or are gone.
	for k := 0; k < len(tables) && (arrived > 0 || timed > 0); k++ {
		for r := range tables[k].Len() {
			take(k, uint32(r))
		}
	}
}

// keep carries a row with an interval of its own over to the new list, unless it has arrived.
func (c *Capturer[T]) keep(t *samples.Table[T], a *samples.Active, r uint32) {
	if own := t.Own(r); own.To > c.samples.Step().From && !t.Still() {
		c.samples.SetInterval(t, r, own)
		a.AddTimed(r)
		return
	}
	c.drawer.Rest(t, r)
	if t.OnGPU() {
		c.samples.NoteChanged(t.Owner(r))
	}
}
