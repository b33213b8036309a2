package interpolation

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// Shift maps values to other coordinates without moving them in the world: f is applied to the
// logical value, both samples, the Visual and any fading correction. Motion continues, nothing
// jumps or is smeared, and no revision changes. It is for moving the origin of a large world, for
// wrap-around, and for portals that keep the motion.
//
// Without entities, f is applied to everything of type T that has no parent ([components.Parent]
// with an entity in it), entities that are only visual or only logical included; children move with
// their parents. Dead entities are skipped. Call it in FixedUpdate, or between Updates; a query may
// be open. It panics if f is nil.
//
// The picture changes its coordinates at once, although it is up to a step behind. A body that
// wraps around is unseen at both edges if they lie outside the screen by its size and a step's way.
func (i *Interpolator[T]) Shift(f func(T) T, entities ...arche.Entity) {
	i.mustBeInstalled("Shift")
	if f == nil {
		panic("interpolation: Shift needs a function; pass one that returns a value in the new coordinates")
	}
	defer i.shiftEnded(f, len(entities) == 0)
	if len(entities) > 0 {
		for _, e := range entities {
			if i.world.Alive(e) {
				i.shiftOne(f, e)
			}
		}
		return
	}
	parent := arche.ComponentID[components.Parent](i.world)
	logical, visual := arche.ComponentID[components.Logical[T]](i.world), arche.ComponentID[components.Visual[T]](i.world)
	for _, held := range []arche.ID{logical, visual} {
		with := arche.All(held)
		filter := with.Without()
		if held == visual { // the others were found by their logical value
			filter = with.Without(logical)
		}
		i.shiftAll(f, &filter, parent)
	}
}

// shiftAll shifts every entity that passes a filter and has no parent. It leaves no query open if f
// panics.
func (i *Interpolator[T]) shiftAll(f func(T) T, filter arche.Filter, parent arche.ID) {
	query, open := i.world.Query(filter), true
	defer func() {
		if open {
			query.Close()
		}
	}()
	for query.Next() {
		if query.Has(parent) && !(*components.Parent)(query.Get(parent)).Entity.IsZero() {
			continue
		}
		i.shiftOne(f, query.Entity())
	}
	open = false
}

// shiftOne shifts the logical value, the samples and the visual value of a living entity, if it has
// them.
func (i *Interpolator[T]) shiftOne(f func(T) T, e arche.Entity) {
	r := i.samples.Cells(e)
	if r.Sampled() {
		i.offsets.Shift(f, e, *r.Cur())
		r.Set(i.samples.Normal(f(*r.Prev())), i.samples.Normal(f(*r.Cur())))
	}
	if logical := r.Record(); logical != nil {
		logical.Rebase(f(*logical.Value()))
		for _, feed := range i.feeds {
			if feed.on.Shifted != nil {
				feed.on.Shifted(e, f)
			}
		}
	}
	if r.Visual() != nil {
		i.drawer.Shift(f, e, &r)
	}
	i.samples.NoteChanged(e)
}

// shiftEnded reports the end of a shift, of all entities or of single ones.
func (i *Interpolator[T]) shiftEnded(f func(T) T, all bool) {
	if !all {
		f = nil
	}
	for _, feed := range i.feeds {
		if feed.on.ShiftEnded != nil {
			feed.on.ShiftEnded(f)
		}
	}
}
