package samples

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/internal/record"
)

// eitherWay is a filter for entities that have samples, or both a Logical and a Visual. One query
// finds the tables, and the entities that fit into none.
type eitherWay struct {
	both   arche.Mask // logical and visual
	sample arche.ID
}

// Matches makes it a filter.
func (f *eitherWay) Matches(mask *arche.Mask) bool {
	return mask.Contains(&f.both) || mask.Get(f.sample)
}

// mismatch is a filter for entities that have either samples or both a Logical and a Visual, but
// not all of them.
type mismatch struct {
	both   arche.Mask // logical and visual
	sample arche.ID
}

// Matches makes it a filter.
func (m *mismatch) Matches(mask *arche.Mask) bool {
	return mask.Contains(&m.both) != mask.Get(m.sample)
}

type filters struct {
	// the entities of the other three: usually none, which one query shows
	mismatched arche.CachedFilter
	unsampled  arche.CachedFilter // logical and visual, but no samples
	noLogical  arche.CachedFilter // samples without their Logical
	noVisual   arche.CachedFilter

	// The same for batch edits, which must not get cached filters: arche (0.15) iterates over the
	// cache's own list, and meanwhile removes from it a table that has become empty and whose
	// relation's target is dead.
	edit struct{ unsampled, noLogical, noVisual arche.MaskFilter }
}

func newFilters(w *arche.World, both arche.Mask, sample arche.ID, ids ids) filters {
	sampled := arche.All(sample)
	unsampled, noLogical, noVisual := both.Without(sample), sampled.Without(ids.logical), sampled.Without(ids.visual)
	f := filters{
		mismatched: w.Cache().Register(&mismatch{both, sample}),
		unsampled:  w.Cache().Register(&unsampled),
		noLogical:  w.Cache().Register(&noLogical),
		noVisual:   w.Cache().Register(&noVisual),
	}
	f.edit.unsampled, f.edit.noLogical, f.edit.noVisual = unsampled, noLogical, noVisual
	return f
}

func (f *filters) close(w *arche.World) {
	for _, c := range []*arche.CachedFilter{&f.mismatched, &f.unsampled, &f.noLogical, &f.noVisual} {
		w.Cache().Unregister(c)
	}
}

// Unsampled is a filter for the entities that have a Logical and a Visual, but no samples yet.
func (s *Store[T]) Unsampled() arche.Filter { return &s.filters.unsampled }

// Detach removes samples whose entity has lost its Logical or Visual. Otherwise they would be stale
// when that is added again.
func (s *Store[T]) Detach() {
	if column.Count(s.world, &s.filters.noLogical) > 0 {
		s.world.Batch().Remove(&s.filters.edit.noLogical, s.hidden...)
		s.noteDetached()
	}
	if column.Count(s.world, &s.filters.noVisual) > 0 {
		s.world.Batch().Remove(&s.filters.edit.noVisual, s.hidden...)
		s.noteDetached()
	}
}

// Attach attaches samples to the entities that need them. Both are the logical value. It calls a
// function for each entity.
func (s *Store[T]) Attach(each func(e arche.Entity, r Row[T])) {
	if column.Count(s.world, &s.filters.mismatched) == 0 {
		return
	}
	s.Detach()
	if column.Count(s.world, &s.filters.unsampled) == 0 {
		return
	}
	s.noteAttached()
	ids := &s.ids
	query := s.world.Batch().AddQ(&s.filters.edit.unsampled, s.hidden...)
	for query.Next() {
		e := query.Entity()
		r := Row[T]{
			record: (*record.Record[T])(query.Get(ids.logical)),
			visual: (*T)(query.Get(ids.visual)),
			prev:   (*T)(query.Get(ids.prev)),
			cur:    (*T)(query.Get(ids.cur)),
			seen:   (*uint32)(query.Get(ids.seen)),
			motion: (*uint32)(query.Get(ids.motion)),
			span:   (*span)(query.Get(ids.span)),
		}
		r.record.Begin(record.OwnerOf(e))
		v := s.Normal(*r.record.Value())
		*r.prev, *r.cur = v, v
		*r.seen, *r.motion, *r.span = r.record.Revision(), 0, span{owner: e}
		each(e, r)
	}
}
