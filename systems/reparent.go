package systems

import (
	"fmt"
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// ReparentOption changes what [Hierarchy.Reparent] keeps.
type ReparentOption func(*reparenting)

type reparenting struct{ keepLocal bool }

// KeepLocal makes Reparent keep the local pose instead of the world pose: the child jumps to where that is under its new parent.
func KeepLocal() ReparentOption { return func(r *reparenting) { r.keepLocal = true } }

// Reparent gives an entity another parent, or none for the zero entity. Its world pose stays, the logical one as well as both samples, so that nothing is to be seen of it; poses
// under a parent that scales its axes differently are kept as well as a pose without shear can. It returns [ErrCycle] if the parent is the child or one of its descendants, an error if either is
// dead, and then changes nothing.
//
// If the old parent has died and the child has not yet followed it, the last known place of the old parent counts: to keep a child, reparent it in the same stage.
//
// It may add a component, so it must not be called while a query is open.
func (h *Hierarchy) Reparent(child, parent arche.Entity, options ...ReparentOption) error {
	if h.engine == nil {
		panic("systems: Reparent of a hierarchy that is not installed; call engine.Install first")
	}
	var how reparenting
	for _, o := range options {
		o(&how)
	}
	if !h.living.Alive(child) {
		return fmt.Errorf("systems: cannot give %v a parent: it is dead", child)
	}
	if !parent.IsZero() && !h.living.Alive(parent) {
		return fmt.Errorf("systems: cannot make %v a parent: it is dead", parent)
	}
	if err := h.checkAncestors(child, parent); err != nil {
		return err
	}
	old := h.parentOf(child)
	if !h.world.Has(child, h.ids.parent) {
		if parent.IsZero() {
			return nil
		}
		h.world.Add(child, h.ids.parent)
	}
	if !how.keepLocal && old != parent {
		h.changeFrame(child, old, parent)
	}
	(*components.Parent)(h.world.Get(child, h.ids.parent)).Entity = parent
	return nil
}

func (h *Hierarchy) checkAncestors(child, parent arche.Entity) error {
	h.path(parent)
	if slices.Contains(h.chain, child) {
		return fmt.Errorf("systems: cannot make %v the parent of %v: %w", parent, child, ErrCycle)
	}
	return nil
}

// changeFrame moves a child's poses from one parent's frame to another's. If the old frame hangs on somebody who is dead, its last known place counts.
func (h *Hierarchy) changeFrame(child, from, to arche.Entity) {
	logical := h.logicalPose(to).Inverse().Mul(h.logicalPose(from))
	now := h.engine.Time().Normal
	at := func(t time.Duration) components.Pose3D {
		return h.poseAt(to, t).Inverse().Mul(h.poseAt(from, t))
	}
	drawn := at(now)
	f := frames{
		logical: func(p components.Pose3D) components.Pose3D { return logical.Mul(p) },
		drawn:   func(p components.Pose3D) components.Pose3D { return drawn.Mul(p) },
		at:      func(t time.Duration, p components.Pose3D) components.Pose3D { return at(t).Mul(p) },
	}
	if _, gone := h.upward(from); !gone.IsZero() {
		f.at = nil
	}
	h.moveFrame(child, f)
}

// frames maps a pose of an entity from the frame that it has to another one.
type frames struct {
	logical func(components.Pose3D) components.Pose3D                // as the simulation knows it now
	drawn   func(components.Pose3D) components.Pose3D                // as it is drawn now
	at      func(time.Duration, components.Pose3D) components.Pose3D // at a time; nil: not known any more
}

// moveFrame maps everything that an entity has. Unlike a shift it may set it in motion: a child at rest on a moving parent moves when it stays where it is.
func (h *Hierarchy) moveFrame(child arche.Entity, f frames) {
	var r row[components.Pose3D]
	i, sampled := h.interpolator(), false
	if i != nil {
		r, sampled = i.row(child)
	}
	if !sampled {
		if h.world.Has(child, h.ids.visual) {
			visual := posePointer(h.world.Get(child, h.ids.visual))
			*visual = f.drawn(*visual).Normalize()
		}
		if h.world.Has(child, h.ids.logical) {
			logical := (*components.Transform3D)(h.world.Get(child, h.ids.logical))
			logical.Set(f.logical(logical.Get()).Normalize())
		}
		return
	}
	reframe(i, child, r, f)
}

// reframe maps the samples, what is drawn, and the logical value of an entity that has samples.
func reframe(i *Interpolator[components.Pose3D], e arche.Entity, r row[components.Pose3D], f frames) {
	drawn := *r.visual
	if f.at == nil {
		drawn = i.uncorrected(e, drawn)
	}
	i.shiftCorrection(f.drawn, e, *r.cur)
	record := r.logical.Record()
	written := record.Revision != *r.seen
	value := f.logical(record.Value).Normalize()
	if f.at != nil {
		reframeSamples(i, r, f.at)
	} else { // the old frame is gone: from what was drawn last to where the simulation is
		*r.prev, *r.cur = f.drawn(drawn).Normalize(), value
		i.setTimed(r, interval{i.drawnAt, i.clock.StepEnd})
	}
	if !written && !sameBits(&value, r.cur) {
		r.logical.Set(value)
	} else {
		record.Value = value
	}
	*r.visual = *r.cur
	if !i.isRaw(e) {
		*r.visual = i.withOffset(e, i.at(r, i.clock.Normal))
	}
	i.rewrote(e)
}

// reframeSamples maps both samples, each by the frames of its own time, so that the way through the world stays what it was.
//
// Between the two it does so only if it is straight. So a way that was under way before the newest step, of which nobody knows any more where the frames were when it began, begins
// anew where it is at present; and so does every way in a normal stage, where somebody is looking at it: the old frame may turn, or arrive in mid-step.
func reframeSamples(i *Interpolator[components.Pose3D], r row[components.Pose3D], at func(time.Duration, components.Pose3D) components.Pose3D) {
	now, way := i.present(), i.step
	switch {
	case *r.motion == timedMark && r.span.to > now:
		way = interval{r.span.from, r.span.to}
	case *r.motion == timedMark: // it has arrived, whether or not a frame has been drawn since
		*r.motion = 0
		i.timed--
		*r.prev = *r.cur
	case *r.motion == 0:
		*r.prev = *r.cur
	}
	anew := *r.motion == timedMark || now > i.step.from && now < i.step.to
	if anew {
		*r.prev = i.at(r, now)
		way.from = now
	}
	*r.prev, *r.cur = at(way.from, *r.prev).Normalize(), at(way.to, *r.cur).Normalize()
	switch {
	case *r.motion == 0 && sameBits(r.prev, r.cur): // it rests as before
	case anew:
		// A nanosecond ago: to a capture, what began at its step's start was written in it.
		i.setTimed(r, interval{way.from - 1, way.to})
	case *r.motion == 0:
		*r.motion = i.gen
		i.common++ // it is on no list, which the next look at the lists finds
	}
}

// logicalPose is the world pose of a would-be parent; the identity for none.
func (h *Hierarchy) logicalPose(e arche.Entity) components.Pose3D {
	pose := components.Identity3D()
	chain, gone := h.upward(e)
	for _, at := range chain {
		pose = h.logicalLocal(at).Normalize().Mul(pose)
	}
	if gone.IsZero() {
		return pose
	}
	return poseOf(h.lastLogical(gone)).Mul(pose)
}

// poseAt is the world pose that the samples say for a time, with what is left at present of the corrections that are drawn. What has arrived counts as if it had always been there: only the time to come matters.
func (h *Hierarchy) poseAt(e arche.Entity, t time.Duration) components.Pose3D {
	pose := components.Identity3D()
	i := h.interpolator()
	chain, gone := h.upward(e)
	for _, at := range chain {
		local := h.visualLocal(at).Normalize()
		if i != nil {
			if r, ok := i.row(at); ok && *r.motion == timedMark && r.span.to <= i.present() {
				local = *r.cur
			} else if ok {
				local = i.at(r, t)
			}
			local = i.corrected(at, local)
		}
		pose = local.Mul(pose)
	}
	if !gone.IsZero() {
		return poseOf(h.lastVisual(gone)).Mul(pose)
	}
	return pose
}
