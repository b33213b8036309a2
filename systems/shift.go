package systems

import (
	"slices"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// Shift moves values to other coordinates without moving them in the world's own terms: the logical value, both samples, what is drawn and any fading correction go through f together. Motion goes
// on as it was, nothing is smeared, and no revision changes. It is for moving the origin of a large world, for wrap-around, and for portals
// that carry motion through.
//
// Without entities, f is applied to everything of type T that has no parent ([components.Parent] with an entity in it), entities that are only visual or only logical included; children
// move with their parents. Dead entities are skipped. To be called in FixedUpdate, or between Updates. It panics without f.
func (i *Interpolator[T]) Shift(f func(T) T, entities ...arche.Entity) {
	i.mustBeInstalled("Shift")
	if f == nil {
		panic("systems: Shift needs a function; pass one that returns a value in the new coordinates")
	}
	defer i.tellHierarchy(f, len(entities) == 0)
	if len(entities) > 0 {
		for _, e := range entities {
			if i.world.Alive(e) {
				i.shiftOne(f, e)
			}
		}
		return
	}
	ids := &i.cols.ids
	parent := arche.ComponentID[components.Parent](i.world)
	for _, held := range []arche.ID{ids.logical, ids.visual} {
		with := arche.All(held)
		filter := with.Without()
		if held == ids.visual { // the others were found by their logical value
			filter = with.Without(ids.logical)
		}
		i.shiftAll(f, &filter, parent)
	}
}

// shiftAll shifts everybody whom a filter lets through and who has no parent. Should f panic, it leaves no query open.
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
		i.shiftRow(f, query.Entity(), func(id arche.ID) unsafe.Pointer {
			if !query.Has(id) {
				return nil
			}
			return query.Get(id)
		})
	}
	open = false
}

// OnShift has f called for every entity whose logical value a Shift takes to other coordinates, with the function that does: for plugins that remember values from one step to the next, as a
// server does to know how fast something moves. It is called during Shift and must add, remove or give away nothing. It returns a function that ends it.
func (i *Interpolator[T]) OnShift(f func(e arche.Entity, shift func(T) T)) (end func()) {
	if f == nil {
		panic("systems: OnShift needs a function to call")
	}
	l := &shiftListener[T]{f}
	i.shiftListeners = append(i.shiftListeners, l)
	return func() {
		i.shiftListeners = slices.DeleteFunc(i.shiftListeners, func(other *shiftListener[T]) bool { return other == l })
	}
}

type shiftListener[T any] struct {
	f func(e arche.Entity, shift func(T) T)
}

// tellHierarchy tells a hierarchy of a shift, in case somebody's parent has just died or does so before it looks again.
func (i *Interpolator[T]) tellHierarchy(f func(T) T, all bool) {
	poses, ok := any(f).(func(components.Pose3D) components.Pose3D)
	if !ok {
		return
	}
	if !all {
		poses = nil
	}
	id := arche.ResourceID[Hierarchy](i.world)
	if h, ok := i.world.Resources().Get(id).(*Hierarchy); ok {
		h.rememberShifted(poses)
	}
}

func (i *Interpolator[T]) shiftOne(f func(T) T, e arche.Entity) {
	i.shiftRow(f, e, func(id arche.ID) unsafe.Pointer {
		if !i.world.HasUnchecked(e, id) {
			return nil
		}
		return i.world.GetUnchecked(e, id)
	})
}

func (i *Interpolator[T]) shiftRow(f func(T) T, e arche.Entity, cell func(arche.ID) unsafe.Pointer) {
	ids := &i.cols.ids
	logical, visual := cell(ids.logical), (*T)(cell(ids.visual))
	if prev, cur := (*T)(cell(ids.prev)), (*T)(cell(ids.cur)); prev != nil && cur != nil {
		i.shiftCorrection(f, e, *cur)
		*prev, *cur = i.normal(f(*prev)), i.normal(f(*cur))
		if _, fading := i.fixes.index[e]; !fading && logical != nil && visual != nil && *(*uint32)(cell(ids.motion)) == 0 {
			// At rest it must stay the newest sample, bit for bit.
			*visual = *cur
			visual = nil
		}
	}
	if logical != nil {
		record := i.logicalOf(logical)
		record.Value = f(record.Value)
		for _, l := range i.shiftListeners {
			l.f(e, f)
		}
	}
	if visual != nil {
		*visual = i.normal(f(*visual))
	}
	i.rewrote(e)
}

// shiftCorrection keeps the drawn offset where f takes it: f may turn, not only move.
func (i *Interpolator[T]) shiftCorrection(f func(T) T, e arche.Entity, base T) {
	if start, ok := i.fixes.starts[e]; ok {
		start.value = f(start.value)
		i.fixes.starts[e] = start
	}
	at, ok := i.fixes.index[e]
	if !ok {
		return
	}
	fix := &i.fixes.list[at]
	fix.offset = i.diff.Between(i.normal(f(base)), i.normal(f(i.diff.Apply(base, fix.offset))))
}
