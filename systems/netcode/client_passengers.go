package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
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
// body's state. Without a prediction it returns the pose that is drawn, or was drawn last, and
// false.
func (c *Client[S, I]) basePose(by MovementBase, t Tick, before bool) (components.Pose3D, bool) {
	switch {
	case by.Body != NoEntity:
		if c.bodies != nil {
			if pose, ok := c.bodies.pose(by.Body, before); ok {
				return pose, true
			}
		}
		if r := c.there(by.Body); r != nil {
			return c.worldPose(r.entity).Normalize(), false
		}
		if c.passenger.by == by { // it is removed, and the player stays at its last pose
			return c.passenger.pose, false
		}
		return components.Identity3D(), false
	case by.Mover != 0:
		if mover := c.protocol.movers[by.Mover]; mover != nil {
			return mover.at(t), true
		}
		return components.Identity3D(), false
	}
	return components.Identity3D(), true
}

// passengerPath attaches the own player's entity to its movement base after the step of a tick. It
// returns the player's poses in that frame before and after the step. It reports whether the drawn
// pose has a place in that frame, and whether it is to be corrected gently: a body may be drawn
// beside its predicted pose.
func (c *Client[S, I]) passengerPath(r *replica, before, after S, t Tick) (start, end components.Pose3D, kept, gently bool) {
	game := &c.protocol.game
	start, end = game.Pose(before), game.Pose(after)
	if game.MovementBase == nil {
		return start, end, true, false
	}
	from, by := game.MovementBase(before), game.MovementBase(after)
	id := c.baseID(by)
	last, known := c.basePose(by, t, true)
	if id == NoEntity { // the base has no replica here: the poses are in the world
		now, _ := c.basePose(by, t.Add(1), false)
		end, last = now.Mul(end), components.Identity3D()
	}
	if from != by || id == NoEntity {
		was, predicted := c.basePose(from, t, true)
		if start = last.Inverse().Mul(was.Mul(start)); !predicted || !known {
			// no path leads from the drawn pose to the predicted one
			start = end
		}
	}
	if by.Body != NoEntity && id != NoEntity {
		c.passenger.by = by
		c.passenger.pose, _ = c.basePose(by, t.Add(1), false)
	}
	if id == r.attachedTo {
		return start, end, true, false
	}
	left := r.attachedTo
	_, kept = c.board(r, id)
	return start, end, kept, id != NoEntity && c.moverOf(id) == nil || left != NoEntity && c.moverOf(left) == nil
}

// moverOf returns the motion of a replica that is a scripted mover, or nil.
func (c *Client[S, I]) moverOf(id EntityID) *scriptedMover {
	if r := c.replica(id); r != nil {
		return c.protocol.movers[r.archetype]
	}
	return nil
}

// scriptedMoverAt returns the pose of a scripted mover at a moment of the server's clock. For other
// replicas, and for the world, it returns the identity.
func (c *Client[S, I]) scriptedMoverAt(id EntityID, at time.Duration) components.Pose3D {
	if mover := c.moverOf(id); mover != nil {
		return mover.between(c.grid, at)
	}
	return components.Identity3D()
}

// bridge is called before the first sample of a replica in another frame. It adds a sample in the
// old frame, at the same place in the world. So the path leads there instead of ending with the
// snapshot before, and a player that steps onto a platform is not shown waiting for it.
func (c *Client[S, I]) bridge(r *replica, s interp.Sample, now time.Duration) {
	last := &r.newest
	// A passenger that changes its base does not jump. An entity whose parent the game changes
	// does.
	if !r.sampled || s.Time <= last.Time || s.Frame == last.Frame || s.Discontinuity != last.Discontinuity || s.Age != 0 {
		return
	}
	from := EntityID(last.Frame)
	t := Tick(uint32(c.grid.Index(s.Time)))
	pose := poseOf(s.Position, s.Rotation)
	there, ok := c.reframe(pose, EntityID(s.Frame), from, t)
	if !ok {
		return
	}
	ahead := pose
	dt := 1 / float32(c.protocol.TickRate())
	ahead.Position = ahead.Position.Sub(s.Velocity.Mul(dt))
	before, okBefore := c.reframe(ahead, EntityID(s.Frame), from, t.Add(-1))
	b := s
	b.Time, b.Frame, b.Discontinuity, b.AtRest = s.Time-1, last.Frame, last.Discontinuity, false
	b.Position, b.Rotation, b.Velocity = there.Position, there.Rotation, there.Position.Sub(before.Position).Mul(1/dt)
	b.Has &^= interp.HasAngularVelocity
	if !okBefore {
		b.Has &^= interp.HasVelocity
	}
	r.samples.Push(now, b)
	copy(r.bridges[1:], r.bridges[:])
	r.bridges[0] = crossing{any: true, to: EntityID(s.Frame), at: s.Time}
}

// crossing is a change of frames along a path.
type crossing struct {
	any bool
	to  EntityID
	at  time.Duration
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

func (c *Client[S, I]) frameAt(id EntityID, t Tick) (components.Pose3D, bool) {
	if id == NoEntity {
		return components.Identity3D(), true
	}
	r := c.replica(id)
	if r == nil {
		return components.Identity3D(), false
	}
	if mover := c.moverOf(id); mover != nil {
		return mover.at(t), true
	}
	s, at, ok := c.decoder.State(id)
	if !ok || r.parent != NoEntity {
		return components.Identity3D(), false
	}
	if at != t && !s.AtRest { // a state that found no room in this packet was in one shortly before
		elapsed := t.Sub(at)
		if max(elapsed, -elapsed) > int32(c.protocol.TickRate()/farFrame) {
			return components.Identity3D(), false
		}
		s.Position = s.Position.Add(s.Velocity.Mul(float32(elapsed) / float32(c.protocol.TickRate())))
	}
	return poseOf(s.Position, s.Rotation), true
}

// farFrame bounds the time between the states of a frame and of a replica that enters it: to one
// part in farFrame of a second.
const farFrame = 4

// passenger is the state of a replica that changes from one frame to another. The two are shown at
// different times: a scripted mover at the own player's tick, and the world in the past. The
// replica would be shown to leap by the mover's way in that time. So it fades from one to the
// other.
type passenger struct {
	fades  bool
	from   EntityID // the frame before
	weight float32  // 0: drawn in that frame, 1: in the present one
	// It was not drawn wholly in the frame before. The remainder of the one before that fades as a
	// correction does.
	hops   bool
	gently bool // and slowly
}

// seenIn returns the drawn world pose of a replica that had a world pose at a moment, if it is
// drawn together with a frame, which is drawn at its present pose.
func (c *Client[S, I]) seenIn(frame EntityID, world components.Pose3D, at time.Duration, t Tick) components.Pose3D {
	mover := c.moverOf(frame)
	if mover == nil {
		return world
	}
	return mover.at(t).Mul(c.scriptedMoverAt(frame, at).Inverse().Mul(world))
}

// carry returns the pose to write for a replica whose samples have a pose in its parent's frame at
// a moment, when the own player is at tick t.
func (c *Client[S, I]) carry(r *replica, pose components.Pose3D, at time.Duration, t Tick) components.Pose3D {
	if !r.passenger.fades {
		return pose
	}
	world := c.scriptedMoverAt(r.attachedTo, at).Mul(pose)
	before, now := c.seenIn(r.passenger.from, world, at, t), c.seenIn(r.attachedTo, world, at, t)
	r.passenger.weight = fade(r.passenger.weight, true, before.Position.Sub(now.Position).Len(), c.protocol.TickRate())
	if r.passenger.weight == 1 {
		r.passenger.fades = false
		return pose
	}
	drawn := components.Blend3D(before, now, smooth(r.passenger.weight))
	frame := components.Identity3D()
	if mover := c.moverOf(r.attachedTo); mover != nil {
		frame = mover.at(t)
	}
	drawn = frame.Inverse().Mul(drawn)
	drawn.Scale = pose.Scale
	return drawn
}

// changeFrame attaches a replica to the frame that its view has reached at a moment. It reports
// whether the frame's replica is there, and whether the change is drawn as a jump.
func (c *Client[S, I]) changeFrame(r *replica, frame EntityID, at time.Duration) (there, jump bool) {
	from := r.attachedTo
	if p := c.parentReplica(r, frame); frame != NoEntity && (p == nil || !c.has(p.entity)) || !r.crosses(frame, at) {
		return c.attach(r, frame), true
	}
	there, kept := c.board(r, frame)
	if !there {
		return false, false
	}
	if !kept {
		return true, true
	}
	switch old := r.passenger; {
	case c.moverOf(from) == nil && from != NoEntity || c.moverOf(frame) == nil && frame != NoEntity:
		// A body has no path that gives its earlier poses: it may be drawn as predicted, or between
		// that and its samples.
		r.passenger = passenger{hops: true, gently: true}
	case old.fades && old.from == frame: // back again
		r.passenger = passenger{fades: true, from: from, weight: 1 - old.weight}
	default:
		r.passenger = passenger{fades: true, from: from, hops: old.fades}
	}
	return true, false
}

// poseOf returns a pose with scale 1, because scales are not sent.
func poseOf(position mgl32.Vec3, rotation mgl32.Quat) components.Pose3D {
	return components.Pose3D{Position: position, Rotation: components.NormalizeQuat(rotation), Scale: mgl32.Vec3{1, 1, 1}}
}
