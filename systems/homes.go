package systems

import (
	arche "github.com/mlange-42/arche/ecs"
)

// homes gives entities their samples, and takes them away again.
type homes struct {
	hidden    []arche.ID
	homeless  arche.CachedFilter // logical and visual, but no samples
	noLogical arche.CachedFilter // samples that lost what they belong to
	noVisual  arche.CachedFilter
}

func newHomes(w *arche.World, logical, visual arche.ID, hidden []arche.ID) homes {
	both, samples := arche.All(logical, visual), arche.All(hidden[0])
	homeless, noLogical, noVisual := both.Without(hidden[0]), samples.Without(logical), samples.Without(visual)
	return homes{
		hidden:    hidden,
		homeless:  w.Cache().Register(&homeless),
		noLogical: w.Cache().Register(&noLogical),
		noVisual:  w.Cache().Register(&noVisual),
	}
}

func (h *homes) close(w *arche.World) {
	for _, f := range []*arche.CachedFilter{&h.homeless, &h.noLogical, &h.noVisual} {
		w.Cache().Unregister(f)
	}
}

func count(w *arche.World, f *arche.CachedFilter) int {
	query := w.Query(f)
	defer query.Close()
	return query.Count()
}

// settleIn gives samples to the entities that have none: both are their value. It also takes away samples whose entity has lost its logical or
// visual component, so that they cannot be found again, stale, when that comes back.
func (i *Interpolator[T]) settleIn() {
	for _, f := range []*arche.CachedFilter{&i.homes.noLogical, &i.homes.noVisual} {
		if count(i.world, f) > 0 {
			i.world.Batch().Remove(f, i.homes.hidden...)
		}
	}
	if count(i.world, &i.homes.homeless) == 0 {
		return
	}
	ids := &i.cols.ids
	query := i.world.Batch().AddQ(&i.homes.homeless, i.homes.hidden...)
	for query.Next() {
		logical := i.logicalOf(query.Get(ids.logical))
		e := query.Entity()
		tag, revision := tagOf(e)
		logical.Acknowledge(tag, revision)
		v := i.normal(logical.Value)
		*(*T)(query.Get(ids.prev)) = v
		*(*T)(query.Get(ids.cur)) = v
		*(*T)(query.Get(ids.visual)) = v
		*(*uint32)(query.Get(ids.seen)) = revision
		*(*uint32)(query.Get(ids.motion)) = 0
		*(*spanOwner)(query.Get(ids.span)) = spanOwner{owner: e}
		i.touch(e)
	}
}
