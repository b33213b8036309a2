package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// The scene is what a client shows of its replicas. A connection and a recording feed it alike.

// drawReplicas moves every replica but the own player to its drawn pose at the end of the step. The
// view was at shown when the step began. predicted is the own player's tick, and movers are drawn
// there if it is known.
func (c *Client[S, I]) drawReplicas(at viewpoint, shown time.Duration, predicted Tick, known bool) {
	seen := at.any
	c.simulated, c.simulates = predicted, known
	c.before, c.viewpoint = c.viewpoint, at
	for r := range c.present {
		if r.flight != nil && c.fly(r, shown) || !c.has(r.entity) {
			continue
		}
		mover := c.protocol.movers[r.archetype]
		predicting := r.id == c.own && c.hasState && known && !c.config.WithoutPrediction
		if mover != nil || predicting && c.protocol.game.MovementBase == nil || !predicting && !seen && !r.shown {
			// its parent is that of the newest record, not that of a sample
			c.attach(r, r.parent)
		}
		switch {
		case mover != nil:
			if known {
				c.writeMover(r, mover, predicted)
			}
		case !predicting && seen:
			c.sample(r)
		}
	}
	for i := range c.delayedDespawns {
		if r := &c.delayedDespawns[i]; seen && !(r.flight != nil && c.fly(r, shown)) && c.has(r.entity) {
			c.sample(r)
		}
	}
	if c.bodies != nil {
		c.bodies.writePoses()
	}
	c.logForeignParent()
}

// viewpoint holds the times of the newest view: of the step itself, and of the replicas that are
// shown.
type viewpoint struct {
	any                     bool
	now, delayed, undelayed time.Duration
}

// view returns the moment at which replicas of a timing are shown.
func (l viewpoint) view(t interp.Timing) time.Duration {
	if t == interp.Predictive {
		return l.undelayed
	}
	return l.delayed
}

// moment returns the moment at which a replica is shown.
func (r *replica) moment(at viewpoint) time.Duration {
	m := at.view(r.timing)
	if r.ahead > 0 {
		m += time.Duration(float64(smooth(r.ahead)) * float64(at.undelayed-m))
	}
	return m
}

// sample moves one replica to the pose of its samples.
func (c *Client[S, I]) sample(r *replica) {
	kind := c.config.Interpolation
	if c.interpolations.Has(r.entity) {
		kind = c.interpolations.Get(r.entity).Kind
	}
	if kind != r.method {
		c.setInterpolation(r, kind)
		r.settled, r.sampled = false, false
		if s, at, ok := c.decoder.State(r.id); ok && !r.despawn.any {
			c.push(r, s, r.parent, c.edgeOf(at), c.viewpoint.now)
		}
	}
	if r.settled {
		return
	}
	now, at := c.viewpoint.now, r.moment(c.viewpoint)
	start, from := interp.State{}, interp.Info{Empty: true} // at the step's start
	if !r.shown && r.timing == interp.Delayed && c.before.any {
		start, from = r.samples.At(c.before.now, r.moment(c.before))
	}
	state, info := r.samples.At(now, at)
	if info.Empty {
		return
	}
	moves := !from.Empty && from.Frame == info.Frame && !info.Discontinuity
	if !r.despawn.any { // a removed one gets no more samples
		// A replica that no newer snapshot names has not changed since its own. So it is not
		// starved before the view has passed the newest of all snapshots. Hold samples do not cover
		// that, since there are none for a round trip after a loss.
		newest, _ := c.playback.Newest()
		c.stats.Sampled++
		starved := info.Starved && (at > newest || r.newest.Time >= newest)
		if starved {
			c.stats.Starved++
		}
		c.watchShown(r, &info, starved)
	}
	jump := info.Discontinuity
	if r.rested {
		// a settled replica is not sampled, and that gap is no jump
		r.rested, jump = false, jump && c.jumpsOf(r) != r.counter
	}
	left := r.attachedTo
	if frame := EntityID(info.Frame); frame != left {
		there := false
		if there, jump = c.changeFrame(r, frame, at); !there {
			// The frame's replica is removed, or has not arrived yet. This replica stays at the
			// pose that it was shown at last.
			return
		}
	}
	if r.orphan { // it has waited for the view: moving on is no jump, unless the server counts one
		if r.orphan = false; r.shown && r.attachedTo == NoEntity && c.jumpsOf(r) == r.counter {
			jump, r.hops = false, true
		}
	}
	pose := r.poseOf(&state)
	if c.bodies == nil || r.despawn.any || !c.bodies.sampled(r.id, pose, jump) {
		if i := c.interpolator(); r.hops && !jump && i != nil {
			c.hop(r, left, &state, pose, i)
		} else if !moves || !c.appear(r, r.poseOf(&start), pose) {
			c.writePose(r, pose, jump || !r.shown)
		}
		r.hops = false
	}
	if info.Settled {
		r.settled, r.rested, r.counter = true, true, c.jumpsOf(r)
	}
}

// poseOf returns the pose of a state. An interpolator of the game's own may know nothing of scales.
func (r *replica) poseOf(s *interp.State) components.Pose3D {
	pose := components.Pose3D{Position: s.Position, Rotation: s.Rotation, Scale: s.Scale}
	if s.Has&interp.HasScale == 0 {
		pose.Scale = r.newest.Scale
	}
	return pose
}

// jumpsOf returns a replica's count of discontinuities in its newest record.
func (c *Client[S, I]) jumpsOf(r *replica) uint8 {
	if r.despawn.any {
		return r.counter
	}
	newest, _, _ := c.decoder.State(r.id)
	return newest.Discontinuity + r.jumped
}

// appear writes the first pose of a replica, which moves there from its pose when the step begins.
// It writes nothing and reports false if the replica is shown already, or is not drawn, or has a
// scale of zero.
func (c *Client[S, I]) appear(r *replica, start, end components.Pose3D) bool {
	i := c.interpolator()
	if r.shown || i == nil || !c.visuals.Has(r.entity) || i.HasSamples(r.entity) {
		return false
	}
	if none := (mgl32.Vec3{}); start.Scale == none || end.Scale == none {
		return false // InMotion would take that for left out
	}
	*c.transforms.Get(r.entity), *c.visuals.Get(r.entity) = components.InMotion(start, end)
	r.shown = true
	return true
}

// writePose writes a replica's logical pose as a local system would.
func (c *Client[S, I]) writePose(r *replica, pose components.Pose3D, jump bool) {
	l := c.transforms.Get(r.entity)
	switch {
	case jump:
		c.watchJump(r)
		l.Teleport(pose)
	case pose != l.Get():
		l.Set(pose)
	}
	r.shown = true
}
