package interpolation

import (
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/interpolation/internal/samples"
)

// Events are the functions that a [Feed] calls. A nil function is not called.
//
// All but Shifted are called by [Feed.Deliver], in the order of the fields. None of them may change
// the world's structure.
type Events[T any] struct {
	// Attached is called if some entities have got samples since the last delivery.
	Attached func()
	// Detached is called if some entities have lost their samples.
	Detached func()
	// Step is called if fixed steps have run, with the newest one's normal time. An entity reported
	// by Moved before and by neither Moved nor Changed now has come to rest at its newest sample.
	Step func(start, end time.Duration)
	// Moved is called table by table for the rows in motion: those that the newest VisualSync has
	// drawn, and those that the graphics processor blends if their samples are new.
	Moved func(rows *Rows[T])
	// Changed is called for an entity whose samples or whose Visual have changed in another way: it
	// moves over a time of its own, has jumped or come to rest, or a correction fades. It takes
	// precedence over Moved. An entity may be reported more than once.
	Changed func(e arche.Entity)
	// Shifted is called during [Interpolator.Shift] for every entity whose Logical is mapped to
	// other coordinates, with the function that maps it.
	Shifted func(e arche.Entity, f func(T) T)
	// ShiftEnded is called at the end of a Shift: with the function after a shift of all entities
	// without a parent, and with nil after one of single entities.
	ShiftEnded func(f func(T) T)
}

// Rows are rows of one table, with samples as they lie in memory. They are valid during the call.
type Rows[T any] struct {
	From, To, Visual []T // of all rows of the table, in motion or not

	// Continues says that each From equals, bit for bit, the To that was reported for the entity
	// before, or the value at which it rested. A reader that keeps that value need not read From.
	Continues bool
	// OnGPU says that the graphics processor blends the entities of this table.
	OnGPU bool
	// OwnTimes says that each row moves over an interval of its own, not over the newest step.
	OwnTimes bool

	table *samples.Table[T]
	all   bool
	rows  []uint32
}

// Len returns how many rows there are.
func (r *Rows[T]) Len() int {
	if r.all {
		return r.table.Len()
	}
	return len(r.rows)
}

// Row returns the index of the k-th row. Nearly all are in ascending order.
func (r *Rows[T]) Row(k int) uint32 {
	if r.all {
		return uint32(k)
	}
	return r.rows[k]
}

// Owner returns the entity that a row belongs to.
func (r *Rows[T]) Owner(row uint32) arche.Entity { return r.table.Owner(row) }

// Has reports whether the entities of the table have a component.
func (r *Rows[T]) Has(id arche.ID) bool { return r.table.Mask().Get(id) }

// Feed reports the changes of an interpolator to one reader. Make it with [Interpolator.Subscribe].
// If it is not delivered for a long time, its memory stays bounded.
type Feed[T any] struct {
	i  *Interpolator[T]
	on Events[T]

	log  *samples.Log // nil before the interpolator is installed
	rows Rows[T]      // scratch
}

// Subscribe returns a feed that calls the functions given. Its first delivery reports every entity.
// The interpolator may be installed later.
func (i *Interpolator[T]) Subscribe(on Events[T]) *Feed[T] {
	f := &Feed[T]{i: i, on: on}
	i.feeds = append(i.feeds, f)
	f.open()
	return f
}

// open begins to collect changes, once the interpolator is installed.
func (f *Feed[T]) open() {
	if f.log == nil && f.i.samples != nil {
		f.log = f.i.samples.Open(f.on.Step != nil, f.on.Changed != nil)
	}
}

// Close ends the feed.
func (f *Feed[T]) Close() {
	f.i.feeds = slices.DeleteFunc(f.i.feeds, func(other *Feed[T]) bool { return other == f })
	if f.log != nil && f.i.samples != nil {
		f.i.samples.CloseLog(f.log)
	}
}

// Deliver reports all changes since the last delivery. Call it in VisualSync after ecs.OrderSync,
// or in a later stage.
func (f *Feed[T]) Deliver() {
	f.i.mustBeInstalled("Deliver")
	if f.log.Attached() && f.on.Attached != nil {
		f.on.Attached()
	}
	if f.log.Detached() && f.on.Detached != nil {
		f.on.Detached()
	}
	if f.log.Steps() > 0 && f.on.Step != nil {
		step := f.i.samples.Step()
		f.on.Step(step.From, step.To)
	}
	if f.log.Missed() {
		f.all()
	} else {
		f.moved()
		f.each()
	}
	f.log.Clear(true)
}

// DeliverAll reports every entity that has samples by Moved, as if all were in motion, in place of
// the changes.
func (f *Feed[T]) DeliverAll() {
	f.i.mustBeInstalled("DeliverAll")
	f.log.Miss()
	f.Deliver()
}

// Discard drops the changes. The next delivery reports every entity.
func (f *Feed[T]) Discard() {
	if f.log != nil {
		f.log.Clear(false)
	}
}

// all reports every entity with samples: one by one if the graphics processor blends it, otherwise
// by tables.
func (f *Feed[T]) all() {
	for k, tables := 0, f.i.samples.Tables(); k < len(tables); k++ {
		t := &tables[k]
		switch {
		case !t.OnGPU():
			f.report(t, Rows[T]{From: t.Prev(), To: t.Cur(), all: true})
		case f.on.Changed != nil:
			for r := range t.Len() {
				f.on.Changed(t.Owner(uint32(r)))
			}
		}
	}
}

// moved reports the rows in motion.
func (f *Feed[T]) moved() {
	s, d := f.i.samples, f.i.drawer
	tables := s.Tables()
	if !s.Renew(tables) { // the structure has changed since VisualSync
		d.Restructured()
	}
	for k := range s.Lists() {
		t, list := &tables[k], s.List(k)
		if t.OnGPU() && f.log.Steps() == 0 && !d.Renewed() {
			continue // its newest samples have been reported
		}
		if list.Common() > 0 {
			rows := Rows[T]{From: t.Prev(), To: t.Cur(), Continues: f.log.Steps() == 1, all: list.All(), rows: list.Rows()}
			if f.i.disabled || t.Still() {
				rows.From, rows.Continues = t.Cur(), false
			}
			f.report(t, rows)
		}
		if len(list.Timed()) > 0 {
			f.report(t, Rows[T]{From: t.Prev(), To: t.Cur(), OwnTimes: true, rows: list.Timed()})
		}
	}
}

func (f *Feed[T]) report(t *samples.Table[T], rows Rows[T]) {
	if f.on.Moved == nil {
		return
	}
	rows.Visual, rows.OnGPU, rows.table = t.Visual(), t.OnGPU(), t
	f.rows = rows
	f.on.Moved(&f.rows)
	f.rows = Rows[T]{} // columns must not be kept alive
}

// each reports the entities that were noted one by one.
func (f *Feed[T]) each() {
	if f.on.Changed == nil {
		return
	}
	if f.log.Steps() > 1 {
		// an entity that rests after the only step that was reported has come to rest as expected
		f.alive(f.log.Rested())
	}
	f.alive(f.log.Changed())
}

func (f *Feed[T]) alive(entities []arche.Entity) {
	for _, e := range entities {
		if f.i.world.Alive(e) {
			f.on.Changed(e)
		}
	}
}
