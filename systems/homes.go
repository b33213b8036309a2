package systems

import (
	arche "github.com/mlange-42/arche/ecs"
)

// homes gives entities their samples, and takes them away again.
type homes struct {
	hidden    []arche.ID
	misfits   arche.CachedFilter // those of the other three: usually nobody, which takes one look
	homeless  arche.CachedFilter // logical and visual, but no samples
	noLogical arche.CachedFilter // samples that lost what they belong to
	noVisual  arche.CachedFilter

	// The same for batch edits, which must not be given cached filters: arche (0.15) walks the cache's own list, and takes an emptied table whose
	// relation's target is dead from it on the way.
	edit struct{ homeless, noLogical, noVisual arche.MaskFilter }
}

func newHomes(w *arche.World, logical, visual arche.ID, hidden []arche.ID) homes {
	both, samples := arche.All(logical, visual), arche.All(hidden[0])
	homeless, noLogical, noVisual := both.Without(hidden[0]), samples.Without(logical), samples.Without(visual)
	h := homes{
		hidden:    hidden,
		misfits:   w.Cache().Register(&misfit{both, hidden[0]}),
		homeless:  w.Cache().Register(&homeless),
		noLogical: w.Cache().Register(&noLogical),
		noVisual:  w.Cache().Register(&noVisual),
	}
	h.edit.homeless, h.edit.noLogical, h.edit.noVisual = homeless, noLogical, noVisual
	return h
}

// misfit is a filter for entities that have samples or what samples belong to, but not both.
type misfit struct {
	both   arche.Mask // logical and visual
	sample arche.ID
}

// Matches makes it a filter.
func (m *misfit) Matches(mask *arche.Mask) bool { return mask.Contains(&m.both) != mask.Get(m.sample) }

// close gives the filters back, and takes away all samples if they are ours: they mean nothing to another engine's interpolator.
func (h *homes) close(w *arche.World, ours bool) {
	if ours {
		w.Batch().Remove(arche.All(h.hidden[0]), h.hidden...)
	}
	for _, f := range []*arche.CachedFilter{&h.misfits, &h.homeless, &h.noLogical, &h.noVisual} {
		w.Cache().Unregister(f)
	}
}

func count(w *arche.World, f *arche.CachedFilter) int {
	query := w.Query(f)
	defer query.Close()
	return query.Count()
}

// moveOut takes away samples whose entity has lost its logical or visual component, so that they cannot be found again, stale, when that comes back.
func (i *Interpolator[T]) moveOut() {
	if count(i.world, &i.homes.noLogical) > 0 {
		i.world.Batch().Remove(&i.homes.edit.noLogical, i.homes.hidden...)
		i.movedOut++
	}
	if count(i.world, &i.homes.noVisual) > 0 {
		i.world.Batch().Remove(&i.homes.edit.noVisual, i.homes.hidden...)
		i.movedOut++
	}
}

// settleIn gives samples to the entities that have none: both are their value.
func (i *Interpolator[T]) settleIn() {
	if count(i.world, &i.homes.misfits) == 0 {
		return
	}
	i.moveOut()
	if count(i.world, &i.homes.homeless) == 0 {
		return
	}
	i.settled++
	ids := &i.cols.ids
	query := i.world.Batch().AddQ(&i.homes.edit.homeless, i.homes.hidden...)
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
		i.fixes.forget(e)
		i.touch(e)
	}
}
