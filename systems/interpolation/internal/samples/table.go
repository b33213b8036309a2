package samples

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/internal/record"
)

// Table is one of arche's tables as slices over its columns. It is valid until the world's
// structure changes.
type Table[T any] struct {
	records []record.Record[T]
	visual  []T // a Visual is its value alone
	prev    []T
	cur     []T
	seen    []uint32
	motion  []uint32
	span    []span
	mask    *arche.Mask
	still   bool
	gpu     bool
}

// Len returns how many rows the table has.
func (t *Table[T]) Len() int { return len(t.span) }

// Records returns the column of the logical values.
func (t *Table[T]) Records() []record.Record[T] { return t.records }

// Visual returns the column of the visual values. Only package draw writes it.
func (t *Table[T]) Visual() []T { return t.visual }

// Prev returns the column of the older samples.
func (t *Table[T]) Prev() []T { return t.prev }

// Cur returns the column of the newer samples.
func (t *Table[T]) Cur() []T { return t.cur }

// Seen returns the column of the revisions at the last capture.
func (t *Table[T]) Seen() []uint32 { return t.seen }

// Motion returns the column of the motion marks.
func (t *Table[T]) Motion() []uint32 { return t.motion }

// Owner returns the entity that a row belongs to.
func (t *Table[T]) Owner(row uint32) arche.Entity { return t.span[row].owner }

// Own returns the interval of a row that is Timed.
func (t *Table[T]) Own(row uint32) Interval { return t.span[row].own }

// Mask returns the components of the table's entities.
func (t *Table[T]) Mask() *arche.Mask { return t.mask }

// Still reports whether the entities carry NoInterpolation.
func (t *Table[T]) Still() bool { return t.still }

// OnGPU reports whether the entities carry InterpolateOnGPU, and no Parent.
func (t *Table[T]) OnGPU() bool { return t.gpu }

// Mark returns the motion mark of the table's rows that were in ordinary motion over the step of a
// generation.
func (t *Table[T]) Mark(gen uint32) uint32 {
	if t.gpu {
		return gen | gpuMark
	}
	return gen
}

// WasActive reports whether a row was in ordinary motion over the step of a generation.
func (t *Table[T]) WasActive(row, gen uint32) bool { return t.motion[row]&^gpuMark == gen }

// Tables returns all tables. The slice is reused by the next call.
func (s *Store[T]) Tables() []Table[T] {
	found := s.found.Find()
	if s.found.Unchanged() {
		return s.tables
	}
	s.tables, s.mismatched = s.tables[:0], false
	for k := range found {
		rows := &found[k]
		if rows.Partial() {
			s.mismatched = true
			continue
		}
		mask := rows.Mask()
		s.tables = append(s.tables, Table[T]{
			records: column.Of[record.Record[T]](rows, 0),
			visual:  column.Of[T](rows, 1),
			prev:    column.Of[T](rows, 2),
			cur:     column.Of[T](rows, 3),
			seen:    column.Of[uint32](rows, 4),
			motion:  column.Of[uint32](rows, 5),
			span:    column.Of[span](rows, 6),
			mask:    mask,
			still:   mask.Get(s.ids.still),
			gpu:     mask.Get(s.ids.gpu) && !mask.Get(s.ids.parent),
		})
	}
	return s.tables
}

// Mismatched reports whether the newest look at the tables has found entities that need samples, or
// have samples without their Logical or Visual.
func (s *Store[T]) Mismatched() bool { return s.mismatched }

// Row holds the cells of one entity.
type Row[T any] struct {
	record            *record.Record[T]
	visual, prev, cur *T
	seen, motion      *uint32
	span              *span
}

// Has reports whether an entity has samples.
func (s *Store[T]) Has(e arche.Entity) bool {
	return s.world.Alive(e) && s.world.Has(e, s.ids.cur)
}

// HasLogical reports whether an entity is alive and has a Logical.
func (s *Store[T]) HasLogical(e arche.Entity) bool {
	return s.world.Alive(e) && s.world.Has(e, s.ids.logical)
}

// Still reports whether a living entity carries NoInterpolation.
func (s *Store[T]) Still(e arche.Entity) bool { return s.world.HasUnchecked(e, s.ids.still) }

// Record returns the logical value of a living entity, nil if it has none.
func (s *Store[T]) Record(e arche.Entity) *record.Record[T] {
	return (*record.Record[T])(s.world.GetUnchecked(e, s.ids.logical))
}

// Visual returns the visual value of a living entity, nil if it has none. Only package draw writes
// that of an entity with a Logical.
func (s *Store[T]) Visual(e arche.Entity) *T { return (*T)(s.world.GetUnchecked(e, s.ids.visual)) }

// Row returns the cells of an entity. It reports false for one that lacks samples, Logical or
// Visual.
func (s *Store[T]) Row(e arche.Entity) (r Row[T], ok bool) {
	w, ids := s.world, &s.ids
	if !w.Alive(e) || !w.Has(e, ids.cur) || !w.Has(e, ids.logical) || !w.Has(e, ids.visual) {
		return r, false
	}
	r = s.Cells(e)
	return r, true
}

// Cells returns those cells of a living entity that it has.
func (s *Store[T]) Cells(e arche.Entity) Row[T] {
	get, ids := s.world.GetUnchecked, &s.ids
	return Row[T]{
		record: (*record.Record[T])(get(e, ids.logical)),
		visual: (*T)(get(e, ids.visual)),
		prev:   (*T)(get(e, ids.prev)),
		cur:    (*T)(get(e, ids.cur)),
		seen:   (*uint32)(get(e, ids.seen)),
		motion: (*uint32)(get(e, ids.motion)),
		span:   (*span)(get(e, ids.span)),
	}
}

// Sampled reports whether there are samples.
func (r *Row[T]) Sampled() bool { return r.cur != nil }

// Record returns the logical value, nil if there is none.
func (r *Row[T]) Record() *record.Record[T] { return r.record }

// Visual returns the visual value, nil if there is none. Only package draw writes it.
func (r *Row[T]) Visual() *T { return r.visual }

// Prev returns the older sample.
func (r *Row[T]) Prev() *T { return r.prev }

// Cur returns the newer sample.
func (r *Row[T]) Cur() *T { return r.cur }

// Written reports whether the logical value was written since the last capture.
func (r *Row[T]) Written() bool { return r.record.Revision() != *r.seen }

// Rests reports whether the entity is at rest.
func (r *Row[T]) Rests() bool { return *r.motion == 0 }

// Timed reports whether the entity moves over an interval of its own, and returns that.
func (r *Row[T]) Timed() (Interval, bool) { return r.span.own, *r.motion == Timed }

// Interval returns the interval between the samples: the newest step, unless it is the entity's
// own.
func (s *Store[T]) Interval(r *Row[T]) Interval {
	if *r.motion == Timed {
		return r.span.own
	}
	return s.step
}

// Set writes both samples.
func (r *Row[T]) Set(prev, cur T) { *r.prev, *r.cur = prev, cur }

// SetTimed puts a row in motion over an interval of its own.
func (s *Store[T]) SetTimed(r *Row[T], own Interval) {
	s.relist = true
	r.span.own, r.span.captured = own, s.gen
	if *r.motion == Timed {
		return
	}
	if *r.motion != 0 {
		s.common--
	}
	s.timed++
	*r.motion = Timed
}

// SetActive puts a row that rests in motion over the newest step.
func (s *Store[T]) SetActive(r *Row[T]) {
	*r.motion = s.gen
	s.common++
	s.relist = true
}

// EndTimed ends a row's own interval. The Visual stays as it is.
func (s *Store[T]) EndTimed(r *Row[T]) {
	*r.motion = 0
	s.timed--
}
