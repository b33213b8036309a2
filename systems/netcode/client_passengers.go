package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// hierarchy returns the engine's hierarchy, or nil.
func (c *Client[S, I]) hierarchy() *hierarchy.Hierarchy3D { return hierarchy.Of(c.world) }

// board attaches a replica to a parent, or to none, by way of the hierarchy if there is one, so
// that its samples keep their places in the world. It reports whether the parent is there, and
// whether the samples kept their places.
func (c *Client[S, I]) board(r *replica, parent EntityID) (there, kept bool) {
	if h := c.hierarchy(); h != nil && r.shown && parent != r.attachedTo {
		var e arche.Entity
		if parent != NoEntity {
			p := c.parentReplica(r, parent)
			if p == nil || !c.has(p.entity) {
				return false, false
			}
			e = p.entity
		}
		kept = h.Reparent(r.entity, e) == nil
	}
	return c.attach(r, parent), kept
}

// baseID returns the ID of a movement base's replica, None if it has none here.
func (c *Client[S, I]) baseID(by MovementBase) EntityID {
	if by.Body != NoEntity {
		if r := c.there(by.Body); r != nil {
			return r.id
		}
		return NoEntity
	}
	if by.Mover != 0 {
		for r := range c.present {
			if r.archetype == by.Mover && c.has(r.entity) {
				return r.id
			}
		}
	}
	return NoEntity
}

// basePose returns the predicted pose of a movement base at a tick, which must be the tick of its
// body's state. Where it or a storey below it is not predicted, that one counts as it is drawn, or
// was drawn last, and the result is false.
func (c *Client[S, I]) basePose(by MovementBase, t Tick, before bool) (components.Pose3D, bool) {
	if by == (MovementBase{}) {
		return components.Identity3D(), true
	}
	predicted := true
	link := func(id EntityID) (components.Pose3D, EntityID, bool) {
		r := c.seen(id)
		if r == nil || !c.has(r.entity) {
			return components.Identity3D(), NoEntity, false
		}
		if mover := c.protocol.movers[r.archetype]; mover != nil {
			return mover.at(t), r.attachedTo, true
		}
		if c.bodies != nil {
			if pose, ok := c.bodies.pose(id, before); ok {
				return pose, NoEntity, true
			}
		}
		predicted = false
		return c.transforms.Get(r.entity).Get().Normalize(), r.attachedTo, true
	}
	if id := c.baseID(by); id != NoEntity {
		pose, ok := upward(id, link)
		return pose, ok && predicted
	}
	// It is removed. A mover's path goes on, and a player on a body stays at its last pose.
	ground := components.Identity3D()
	if c.passenger.by == by {
		ground = c.passenger.ground
	}
	if mover := c.protocol.movers[by.Mover]; by.Mover != 0 && mover != nil {
		return ground.Mul(mover.at(t)), true
	}
	return ground, false
}

// passengerPath attaches the own player's entity to its movement base after the step of a tick. It
// returns the player's poses in that frame before and after the step. It reports whether the drawn
// pose has a place in that frame, and whether the frame is another one: a body, or what a mover
// stands on, may be drawn beside its predicted pose.
func (c *Client[S, I]) passengerPath(r *replica, before, after S, t Tick) (start, end components.Pose3D, kept, changed bool) {
	game := &c.protocol.game
	start, end = game.Pose(before), game.Pose(after)
	if game.MovementBase == nil {
		return start, end, true, false
	}
	from, by := game.MovementBase(before), game.MovementBase(after)
	id := c.baseID(by)
	last, known := c.basePose(by, t, true)
	now, _ := c.basePose(by, t.Add(1), false)
	if id == NoEntity { // the base has no replica here: the poses are in the world
		end, last = now.Mul(end), components.Identity3D()
	}
	if from != by || id == NoEntity {
		was, predicted := c.basePose(from, t, true)
		if start = last.Inverse().Mul(was.Mul(start)); !predicted || !known {
			// no path leads from the drawn pose to the predicted one
			start = end
		}
	}
	if id != NoEntity {
		c.passenger.by, c.passenger.ground = by, now
		if mover := c.protocol.movers[by.Mover]; by.Mover != 0 && mover != nil {
			c.passenger.ground = now.Mul(mover.at(t.Add(1)).Inverse())
		}
	}
	if id == r.attachedTo {
		return start, end, true, false
	}
	_, kept = c.board(r, id)
	return start, end, kept, true
}

// bridge is called before a sample of a replica in another frame is added. It adds a sample in the
// old frame, at the same place in the world. So the path leads there instead of ending with the
// snapshot before, and a player that steps onto a platform is not shown waiting for it.
func (c *Client[S, I]) bridge(r *replica, s interp.Sample, now time.Duration) {
	last := &r.newest
	if r.sampled && s.Time < last.Time {
		c.bridgeEarlier(r, s, now)
		return
	}
	// A passenger that changes its base does not jump, and neither does an entity that the game
	// attaches where it is.
	if !r.sampled || s.Time == last.Time || s.Frame == last.Frame || s.Discontinuity != last.Discontinuity || s.Age != 0 {
		return
	}
	from := EntityID(last.Frame)
	there, ok := c.reframe(poseOf(s.Position, s.Rotation, s.Scale), EntityID(s.Frame), from, c.tickOf(s.Time))
	if !ok || c.framesApart(from, EntityID(s.Frame), poseOf(last.Position, last.Rotation, last.Scale), there) {
		return
	}
	c.pushBridge(r, s, from, there, now)
	copy(r.bridges[1:], r.bridges[:])
	r.bridges[0] = crossing{any: true, from: from, to: EntityID(s.Frame), since: last.Time, at: s.Time}
}

// bridgeEarlier is called before a late sample is added. If a newer one has shown a change of
// frames already, this one shows that it was earlier.
func (c *Client[S, I]) bridgeEarlier(r *replica, s interp.Sample, now time.Duration) {
	for i := range r.bridges {
		b := &r.bridges[i]
		if !b.any || EntityID(s.Frame) != b.to || s.Time <= b.since || s.Time >= b.at || s.Discontinuity != r.newest.Discontinuity || s.Age != 0 {
			continue
		}
		if there, ok := c.reframe(poseOf(s.Position, s.Rotation, s.Scale), b.to, b.from, c.tickOf(s.Time)); ok {
			c.pushBridge(r, s, b.from, there, now)
			b.at = s.Time
		}
		return
	}
}

// pushBridge adds a sample in the old frame, where it has the pose there, right before a sample.
func (c *Client[S, I]) pushBridge(r *replica, s interp.Sample, from EntityID, there components.Pose3D, now time.Duration) {
	ahead := poseOf(s.Position, s.Rotation, s.Scale)
	dt := 1 / float32(c.protocol.TickRate())
	ahead.Position = ahead.Position.Sub(s.Velocity.Mul(dt))
	before, ok := c.reframe(ahead, EntityID(s.Frame), from, c.tickOf(s.Time).Add(-1))
	if !ok || c.framesApart(from, EntityID(s.Frame), before, there) {
		s.Has &^= interp.HasVelocity
	}
	s.Time, s.Frame, s.AtRest = s.Time-1, uint32(from), false
	s.Position, s.Rotation, s.Scale = there.Position, there.Rotation, there.Scale
	s.Velocity = there.Position.Sub(before.Position).Mul(1 / dt)
	s.Has &^= interp.HasAngularVelocity
	r.samples.Push(now, s)
}

// tickOf returns the tick that begins at or before a moment of the server's clock.
func (c *Client[S, I]) tickOf(at time.Duration) Tick { return c.grid.Tick(c.grid.Index(at)) }

// crossing is a change of frames along a path: at the latest at a moment, and after that of the
// last sample in the old frame.
type crossing struct {
	any       bool
	from, to  EntityID
	since, at time.Duration
}

// crosses reports whether the view, at a moment, has reached a frame along a path that leads there.
func (r *replica) crosses(to EntityID, at time.Duration) bool {
	for i := range r.bridges {
		if b := &r.bridges[i]; b.any && b.at <= at {
			// the newest that it has reached; the older ones are passed
			found := b.to == to
			clear(r.bridges[i:])
			return found
		}
	}
	return false
}

// reframe converts a pose from one frame to another as they are at a tick, and reports whether both
// frames are known then.
func (c *Client[S, I]) reframe(pose components.Pose3D, from, to EntityID, t Tick) (components.Pose3D, bool) {
	a, okA := c.frameAt(from, t)
	b, okB := c.frameAt(to, t)
	return b.Inverse().Mul(a.Mul(pose)).Normalize(), okA && okB
}

// frameAt returns the world pose of a frame on the server at a tick, and whether it is known.
func (c *Client[S, I]) frameAt(id EntityID, t Tick) (components.Pose3D, bool) {
	return upward(id, func(id EntityID) (pose components.Pose3D, parent EntityID, ok bool) {
		r := c.replica(id)
		if r == nil {
			return pose, NoEntity, false
		}
		if mover := c.protocol.movers[r.archetype]; mover != nil {
			return mover.at(t), r.parent, true
		}
		s, at, ok := c.decoder.State(id)
		if ok && at != t && !s.AtRest {
			// a state that found no room in this packet was in one shortly before
			elapsed := t.Sub(at)
			ok = max(elapsed, -elapsed) <= int32(c.protocol.TickRate()/farFrame)
			s.Position = s.Position.Add(s.Velocity.Mul(float32(elapsed) / float32(c.protocol.TickRate())))
		}
		return poseOf(s.Position, s.Rotation, s.Scale.Vec3()), r.parent, ok
	})
}

// farFrame bounds the time between the states of a frame and of a replica that enters it: to one
// part in farFrame of a second.
const farFrame = 4

// changeFrame attaches a replica to the frame that its view has reached at a moment. It reports
// whether the frame's replica is there, and whether the change is drawn as a jump. If it is not,
// the replica goes on from where it is drawn: what carries it may be drawn at another time than
// what carried it before, such as a scripted mover at the own player's tick, and the world in the
// past.
func (c *Client[S, I]) changeFrame(r *replica, frame EntityID, at time.Duration) (there, jump bool) {
	from := r.attachedTo
	if p := c.parentReplica(r, frame); frame != NoEntity && (p == nil || !c.has(p.entity)) || !r.crosses(frame, at) {
		return c.attach(r, frame), true
	}
	there, r.hops = c.board(r, frame)
	own := c.own
	if c.replay != nil {
		own = c.followed.own
	}
	r.cargo = c.isBelow(from, own) || c.isBelow(frame, own)
	return there, there && !r.hops
}

// isBelow reports whether a replica is another one, or is drawn below it at any depth.
func (c *Client[S, I]) isBelow(id, top EntityID) bool {
	for range snapshot.MaxDepth + 1 {
		if id == NoEntity || id == top {
			break
		}
		r := c.seen(id)
		if r == nil {
			return false
		}
		id = r.attachedTo
	}
	return id == top && id != NoEntity
}

// cargoTime is how long what the game attaches to the own player, or takes from it, is on the way
// between the past and the present, in seconds.
const cargoTime = 0.27

// hop draws a replica that has changed frames: it leads from where it is drawn to the path that
// ends at a pose, with the state of its samples there. The own player acts with what it carries, so
// that is in its place soon. The others take as long as corrections do. Where a jump lies between,
// no way leads from the frame that it has left.
func (c *Client[S, I]) hop(r *replica, left EntityID, s *interp.State, pose components.Pose3D, i *interpolation.Interpolator[components.Pose3D]) {
	start, over := pose, cargoTime
	start.Position = start.Position.Sub(s.Velocity.Mul(1 / float32(c.protocol.TickRate())))
	drawn, ok := i.At(r.entity, c.engine.Time().StepStart)
	if ok && c.framesApart(left, r.attachedTo, drawn, start) {
		c.writePose(r, pose, true)
		return
	}
	if ok && !r.cargo {
		const steepest = 1.25 // of CorrectOver
		over = min(max(over, steepest/easeFast*float64(drawn.Position.Sub(start.Position).Len())), longFade)
	}
	i.CorrectOver(r.entity, start, pose, time.Duration(over*float64(time.Second)))
	r.shown = true
}

// poseOf returns a pose with a unit rotation.
func poseOf(position mgl32.Vec3, rotation mgl32.Quat, scale mgl32.Vec3) components.Pose3D {
	return components.Pose3D{Position: position, Rotation: components.NormalizeQuat(rotation), Scale: scale}
}
