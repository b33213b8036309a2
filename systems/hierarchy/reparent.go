package hierarchy

import (
	"fmt"
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/record"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Reparent gives an entity another parent, or none for the zero entity. Its world pose stays, the
// logical one as well as both samples, so the picture does not change. Under a parent that scales
// its axes differently, poses are kept as far as a pose without shear can. It returns [ErrCycle] if
// the parent is the child or one of its descendants, [ErrNoInverse] if no local pose under the
// parent has the child's world pose, such as under a scale of zero, and an error if either is dead.
// Then it changes nothing.
//
// If the old parent was despawned and the child not yet, the last known place of the old parent
// counts. To keep a child, reparent it in the same stage.
//
// It may add a component, so it must not be called while a query is open.
func (h *Hierarchy[P, M]) Reparent(child, parent arche.Entity) error {
	return h.reparent(child, parent, true)
}

// ReparentLocal gives an entity another parent as [Hierarchy.Reparent] does, but keeps its local
// pose instead of its world pose: it jumps to that pose under its new parent. So it works under a
// scale of zero, too.
func (h *Hierarchy[P, M]) ReparentLocal(child, parent arche.Entity) error {
	return h.reparent(child, parent, false)
}

func (h *Hierarchy[P, M]) reparent(child, parent arche.Entity, keepWorld bool) error {
	if h.engine == nil {
		panic("hierarchy: Reparent of a hierarchy that is not installed; call engine.Install first")
	}
	if !h.living.Alive(child) {
		return fmt.Errorf("hierarchy: cannot give %v a parent: it is dead", child)
	}
	if !parent.IsZero() && !h.living.Alive(parent) {
		return fmt.Errorf("hierarchy: cannot make %v a parent: it is dead", parent)
	}
	h.path(parent)
	if slices.Contains(h.chain, child) {
		return fmt.Errorf("hierarchy: cannot make %v the parent of %v: %w", parent, child, ErrCycle)
	}
	old := h.parentOf(child)
	has := h.world.Has(child, h.parent)
	if !has && parent.IsZero() {
		return nil
	}
	if old != parent && keepWorld {
		if err := h.changeFrame(child, old, parent); err != nil {
			return err
		}
	}
	if !has {
		h.world.Add(child, h.parent)
	}
	(*components.Parent)(h.world.Get(child, h.parent)).Entity = parent
	return nil
}

// changeFrame moves a child's poses from one parent's frame to another's. If an ancestor in the old
// frame is dead, its last known place counts. After an error nothing has changed.
func (h *Hierarchy[P, M]) changeFrame(child, from, to arche.Entity) error {
	logical := h.space.mul(h.space.inverse(h.logicalPose(to)), h.logicalPose(from))
	now := h.engine.Time().Normal
	at := func(t time.Duration) P {
		return h.space.mul(h.space.inverse(h.poseAt(to, t)), h.poseAt(from, t))
	}
	drawn := at(now)
	f := interpolation.Frames[P]{
		Logical: func(p P) P { return h.space.mul(logical, p) },
		Drawn:   func(p P) P { return h.space.mul(drawn, p) },
		At:      func(t time.Duration, p P) P { return h.space.mul(at(t), p) },
	}
	if _, gone := h.upward(from); !gone.IsZero() {
		f.At = nil
	}
	if err := h.check(child, to, f); err != nil {
		return err
	}
	h.moveFrame(child, f)
	return nil
}

// moveFrame maps everything that an entity has to another frame.
func (h *Hierarchy[P, M]) moveFrame(child arche.Entity, f interpolation.Frames[P]) {
	if i := h.interpolator(); i != nil && i.Reframe(child, f) {
		return
	}
	if h.world.Has(child, h.ids.visual) {
		visual, drawn := (*P)(h.world.Get(child, h.ids.visual)), f.Drawn
		if start := h.engine.Time().StepStart; f.At != nil && h.startsMoving(child) {
			drawn = func(p P) P { return f.At(start, p) }
		}
		*visual = h.space.normalize(drawn(*visual))
	}
	if h.world.Has(child, h.ids.logical) {
		logical := (*components.Logical[P])(h.world.Get(child, h.ids.logical))
		logical.Set(h.space.normalize(f.Logical(logical.Get())))
	}
}

// startsMoving reports whether an entity appears in motion in this step. Its Visual is then its
// pose at the step's start.
func (h *Hierarchy[P, M]) startsMoving(e arche.Entity) bool {
	fresh, now := (*record.Record[P])(h.world.GetUnchecked(e, h.ids.logical)), h.engine.Time()
	return fresh != nil && fresh.InMotion() && now.Fixed == now.StepStart
}

// logicalPose returns the logical world pose of a future parent, the identity for none.
func (h *Hierarchy[P, M]) logicalPose(e arche.Entity) P {
	local := func(at arche.Entity) P { return h.space.normalize(*h.logicalLocal(at)) }
	return h.poseOf(e, local, h.lastLogical)
}

// poseAt returns an entity's world pose at a time by its samples, with the present offsets of
// corrections. A motion that has arrived counts as if it had always been there: only the time to
// come matters.
func (h *Hierarchy[P, M]) poseAt(e arche.Entity, t time.Duration) P {
	i := h.interpolator()
	local := func(at arche.Entity) P {
		if i != nil {
			if sampled, ok := i.At(at, t); ok {
				return sampled
			}
		}
		return h.space.normalize(*h.visualLocal(at))
	}
	return h.poseOf(e, local, h.lastVisual)
}

// poseOf composes an entity's world pose of the local ones, and of the last world pose of a dead
// ancestor.
func (h *Hierarchy[P, M]) poseOf(e arche.Entity, local func(arche.Entity) P, last func(arche.Entity) M) P {
	pose := h.space.identity
	chain, gone := h.upward(e)
	for _, at := range chain {
		pose = h.space.mul(local(at), pose)
	}
	if gone.IsZero() {
		return pose
	}
	return h.space.mul(h.space.poseOf(last(gone)), pose)
}
