package samples

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/internal/record"
)

// maskFilter is a filter by the components that entities have.
type maskFilter func(mask *arche.Mask) bool

// Matches makes it a filter.
func (f maskFilter) Matches(mask *arche.Mask) bool { return f(mask) }

// filters find the entities that have both a Logical and a Visual, and those that have samples.
type filters struct {
	// The entities that have only one of both. There are usually none, which one query shows, so
	// this filter is the only cached one. Batch edits must not get cached filters: arche (0.15)
	// iterates over the cache's own list, and meanwhile removes from it a table that has become
	// empty and whose relation's target is dead.
	mismatched arche.CachedFilter
	unsampled  arche.Filter // logical and visual, but no samples
	stale      arche.Filter // samples without their Logical or Visual
}

func newFilters(w *arche.World, both arche.Mask, sample arche.ID) filters {
	unsampled := both.Without(sample)
	return filters{
		mismatched: w.Cache().Register(maskFilter(func(m *arche.Mask) bool { return m.Contains(&both) != m.Get(sample) })),
		unsampled:  &unsampled,
		stale:      maskFilter(func(m *arche.Mask) bool { return m.Get(sample) && !m.Contains(&both) }),
	}
}

// Unsampled is a filter for the entities that have a Logical and a Visual, but no samples yet.
func (s *Store[T]) Unsampled() arche.Filter { return s.filters.unsampled }

// Detach removes samples whose entity has lost its Logical or Visual. Otherwise they would be stale
// when that is added again.
func (s *Store[T]) Detach() {
	if s.world.Batch().Remove(s.filters.stale, s.hidden...) == 0 {
		return
	}
	for _, l := range s.logs {
		l.detached = true
	}
}

// Attach attaches samples to the entities that need them. Both are the logical value. Those of an
// entity that appears in motion are its visual value, which is the start of the motion. Attach
// calls a function for each entity.
func (s *Store[T]) Attach(each func(e arche.Entity, r Row[T])) {
	if !s.begun {
		// Samples that are here already have come from a file, with a saver that writes every
		// component of an entity, and without their content.
		s.begun = true
		s.world.Batch().Remove(arche.All(s.hidden...), s.hidden...)
	}
	if column.Count(s.world, &s.filters.mismatched) == 0 {
		return
	}
	s.Detach()
	query := s.world.Batch().AddQ(s.filters.unsampled, s.hidden...)
	if query.Count() > 0 {
		for _, l := range s.logs {
			l.attached = true
		}
	}
	for query.Next() {
		e := query.Entity()
		r := s.Cells(e)
		seen, moves := r.record.Begin(record.OwnerOf(e))
		from := r.record.Value()
		if moves {
			from = r.visual
		}
		v := s.first(from, &r)
		r.Set(v, v)
		*r.seen, *r.motion, *r.span = seen, 0, span{owner: e}
		if !s.Finite(from) {
			s.refuse(r.span, *from)
		}
		each(e, r)
	}
}
