package netcode

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// hierarchy returns the engine's hierarchy, or nil.
func (c *Client[S, I]) hierarchy() *hierarchy.Hierarchy3D { return hierarchy.Of(c.world) }

// board hangs a replica below another one, or none, by way of the hierarchy if there is one, so
// that its samples keep their places in the world. It reports whether that one is there, and
// whether the samples did.
func (c *Client[S, I]) board(r *replica, parent EntityID) (there, kept bool) {
	if h := c.hierarchy(); h != nil && r.shown && parent != r.attachedTo {
		var e arche.Entity
		if parent != NoEntity {
			above := c.parentOf(r, parent)
			if above == nil || !c.has(above.entity) {
				return false, false
			}
			e = above.entity
		}
		kept = h.Reparent(r.entity, e) == nil
	}
	return c.attach(r, parent), kept
}

// baseID returns the replica that a carrier is here, None if it is none.
func (c *Client[S, I]) baseID(by MovementBase) EntityID {
	if by.Body != NoEntity {
		if r := c.there(by.Body); r != nil {
			return r.id
		}
		return NoEntity
	}
	if by.Mover != 0 {
		for i := range c.replicas {
			if r := &c.replicas[i]; r.id != NoEntity && r.archetype == by.Mover && c.has(r.entity) {
				return r.id
			}
		}
	}
	return NoEntity
}

// basePose returns where a carrier is predicted at a tick, which is the one that a body's state
// is known for. Where it is not predicted it is where it is drawn, or was last, and false.
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
		if c.passenger.by == by { // it is gone, and he is where it had him
			return c.passenger.pose, false
		}
		return components.Identity3D(), false
	case by.Mover != 0:
		if path := c.protocol.movers[by.Mover]; path != nil {
			return path(t).Normalize(), true
		}
		return components.Identity3D(), false
	}
	return components.Identity3D(), true
}

// ride puts the own player's entity into the frame of what carries him after the step of a tick,
// and returns the poses in it that he had before and has after the step. It reports whether what
// was drawn of him has a place in that frame, and whether that is to be taken gently to where he is
// predicted in it: a body may be drawn beside where it is predicted.
func (c *Client[S, I]) passengerPath(r *replica, before, after S, t Tick) (start, end components.Pose3D, kept, gently bool) {
	game := &c.protocol.game
	start, end = game.Pose(before), game.Pose(after)
	if game.MovementBase == nil {
		return start, end, true, false
	}
	from, by := game.MovementBase(before), game.MovementBase(after)
	id := c.baseID(by)
	last, known := c.basePose(by, t, true)
	if id == NoEntity { // what carries him is not here: in the world, then
		now, _ := c.basePose(by, t.Add(1), false)
		end, last = now.Mul(end), components.Identity3D()
	}
	if from != by || id == NoEntity {
		was, predicted := c.basePose(from, t, true)
		if start = last.Inverse().Mul(was.Mul(start)); !predicted || !known {
			// no path leads from where it is drawn to where he is predicted
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
	return start, end, kept, id != NoEntity && c.pathOf(id) == nil || left != NoEntity && c.pathOf(left) == nil
}

// pathOf returns the path of a replica that is a mover, nil for others and for none.
func (c *Client[S, I]) pathOf(id EntityID) func(Tick) components.Pose3D {
	if r := c.replica(id); r != nil {
		return c.protocol.movers[r.archetype]
	}
	return nil
}

// scriptedMoverAt returns where a mover's frame is at a moment of the server's clock. Other frames, and the
// world, are the identity.
func (c *Client[S, I]) scriptedMoverAt(id EntityID, at time.Duration) components.Pose3D {
	path := c.pathOf(id)
	if path == nil {
		return components.Identity3D()
	}
	k := c.grid.Index(at)
	edge := c.grid.Edge(k)
	share := float32(float64(at-edge) / float64(max(c.grid.Edge(k+1)-edge, 1)))
	return components.Blend3D(path(Tick(uint32(k))).Normalize(), path(Tick(uint32(k+1))).Normalize(), share)
}

// bridge is called before the first sample of a replica in another frame. It adds one to the path
// in the old frame, at the same place in the world, so that the path leads there instead of ending
// with the snapshot before: who steps onto a platform is not seen to wait for it.
func (c *Client[S, I]) bridge(r *replica, s interp.Sample, now time.Duration) {
	last := &r.newest
	// Who is carried from one frame to another does not jump; who is given another parent by hand
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

// crossing is a change of frames that a path leads across.
type crossing struct {
	any bool
	to  EntityID
	at  time.Duration
}

// crosses reports whether the picture, come to a moment, has come to a frame by a path that leads
// there.
func (r *replica) crosses(to EntityID, at time.Duration) bool {
	for i := range r.bridges {
		if b := &r.bridges[i]; b.any && b.at <= at {
			// the newest that it has come to; those before are passed
			found := b.to == to
			clear(r.bridges[i:])
			return found
		}
	}
	return false
}

// reframe takes a pose from one frame to another one as they are at a tick, and reports whether it
// is known how they are.
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
	if path := c.pathOf(id); path != nil {
		return path(t).Normalize(), true
	}
	s, at, ok := c.decoder.State(id)
	if !ok || r.parent != NoEntity {
		return components.Identity3D(), false
	}
	if at != t && !s.AtRest { // what did not fit into this packet was in one shortly before
		gone := t.Sub(at)
		if max(gone, -gone) > int32(c.protocol.TickRate()/farFrame) {
			return components.Identity3D(), false
		}
		s.Position = s.Position.Add(s.Velocity.Mul(float32(gone) / float32(c.protocol.TickRate())))
	}
	return poseOf(s.Position, s.Rotation), true
}

// farFrame is the share of a second that the news of a frame may be apart from those of what comes
// into it.
const farFrame = 4

// passenger is a replica on the way from one frame to another. The two are seen at different times, a
// mover at the own player's tick and the world as it was a while ago: what changes from one to the
// other would be seen to leap by as much as the mover goes in that time, so it takes its time.
type passenger struct {
	fades  bool
	from   EntityID // the frame before
	weight float32  // 0: as seen in that, 1: as in the present one
	// has not been seen wholly in the frame before: what is left of the one before that fades as a
	// correction does
	hops   bool
	gently bool // and slowly
}

// seenIn returns where in the world something is drawn that was at a place in the world at the
// moment at, if it is drawn with a frame, which is seen at its present pose.
func (c *Client[S, I]) seenIn(frame EntityID, world components.Pose3D, at time.Duration, t Tick) components.Pose3D {
	path := c.pathOf(frame)
	if path == nil {
		return world
	}
	return path(t).Normalize().Mul(c.scriptedMoverAt(frame, at).Inverse().Mul(world))
}

// carry returns the pose to write for a replica whose samples say pose in the frame that it hangs
// in, at the moment at, when the own player is at tick t.
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
	if path := c.pathOf(r.attachedTo); path != nil {
		frame = path(t).Normalize()
	}
	drawn = frame.Inverse().Mul(drawn)
	drawn.Scale = pose.Scale
	return drawn
}

// changeFrame hangs a replica where its picture, which shows the moment at, has come to, and
// reports whether that one is there and whether the replica is to be seen to jump.
func (c *Client[S, I]) changeFrame(r *replica, frame EntityID, at time.Duration) (there, jump bool) {
	from := r.attachedTo
	if above := c.parentOf(r, frame); frame != NoEntity && (above == nil || !c.has(above.entity)) || !r.crosses(frame, at) {
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
	case c.pathOf(from) == nil && from != NoEntity || c.pathOf(frame) == nil && frame != NoEntity:
		// A body has no path to tell where it was: it may be drawn as predicted, or on the way
		// there.
		r.passenger = passenger{hops: true, gently: true}
	case old.fades && old.from == frame: // back again
		r.passenger = passenger{fades: true, from: from, weight: 1 - old.weight}
	default:
		r.passenger = passenger{fades: true, from: from, hops: old.fades}
	}
	return true, false
}
