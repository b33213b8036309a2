package hierarchy

import (
	"errors"
	"fmt"
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// ErrNoInverse is returned when an entity cannot keep its world pose under another parent, because
// no local pose has that place there.
var ErrNoInverse = errors.New("no local pose keeps the place in the world; use ReparentLocal, or give the parent a pose with an inverse, such as a scale of 0.001 instead of 0")

// check returns an error if an entity cannot go to the frame of another parent, at one of the times
// for which its poses are mapped.
func (h *Hierarchy[P, M]) check(child, parent arche.Entity, f interpolation.Frames[P]) error {
	refuse := func(why string) error {
		return fmt.Errorf("hierarchy: cannot make %v the parent of %v, %s: %w", parent, child, why, ErrNoInverse)
	}
	fits := func(frame P, local *P, mapped func(P) P) error {
		if why := h.space.singular(frame); why != "" {
			return refuse(why)
		}
		if local != nil && !h.space.finite(mapped(*local)) {
			return refuse("whose frame leads to a pose that is not finite")
		}
		return nil
	}
	pose := func(id arche.ID) *P { return (*P)(h.world.GetUnchecked(child, id)) }
	now := h.engine.Time()
	if err := fits(h.logicalPose(parent), pose(h.ids.logical), f.Logical); err != nil {
		return err
	}
	if err := fits(h.poseAt(parent, now.Normal), pose(h.ids.visual), f.Drawn); err != nil || f.At == nil {
		return err
	}
	at := func(t time.Duration, local *P) error {
		return fits(h.poseAt(parent, t), local, func(p P) P { return f.At(t, p) })
	}
	i := h.interpolator()
	if i == nil || !i.HasSamples(child) {
		if h.startsMoving(child) {
			return at(now.StepStart, pose(h.ids.visual))
		}
		return nil
	}
	from, to, _ := i.ReframeTimes(child)
	for _, t := range []time.Duration{from, to} {
		local, _ := i.At(child, t)
		if err := at(t, &local); err != nil {
			return err
		}
	}
	return nil
}

// singular3D says why a pose has no inverse, and nothing if it has one.
func singular3D(p components.Pose3D) string {
	if !p.IsFinite() {
		return "whose world pose is not finite"
	}
	return singularScale(p.Scale[:])
}

// singular2D says why a pose in the plane has no inverse, and nothing if it has one.
func singular2D(p components.Pose2D) string {
	if !p.IsFinite() {
		return "whose world pose is not finite"
	}
	return singularScale(p.Scale[:])
}

// singularScale names an axis whose scale has no inverse among the numbers of a pose.
func singularScale(scale []float32) string {
	for k, s := range scale {
		if inverse := 1 / s; math.IsInf(float64(inverse), 0) {
			return fmt.Sprintf("whose scale in the world is %v on the %c axis", s, "xyz"[k])
		}
	}
	return ""
}
