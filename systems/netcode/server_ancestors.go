package netcode

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/record"
)

// ancestors composes the poses of replicated entities below parents that are not replicated. No
// client knows such a parent. So clients are sent the pose in the frame of the nearest replicated
// ancestor, or in the world if there is none, where the entity has no shear.
type ancestors struct {
	*entities
	track   arche.ID
	step    uint64 // the number of the present step
	between []ancestor
	index   map[arche.Entity]int32 // of between
	below   []descendant           // by slot, as far as needed
	found   chain
	way     []arche.Entity // scratch
}

// ancestor is an entity that is not replicated, above a replicated one.
type ancestor struct {
	entity   arche.Entity
	step     uint64 // the newest one that has looked at it
	revision uint32
	placed   bool // it has a pose; otherwise it counts as the identity
	jumped   bool // in this step
	shifted  bool // to other coordinates, in this step
	// its local pose at the step's start, in the coordinates of its end, and at the end
	before, now components.Pose3D
}

// descendant is the state of a replicated entity below one that is not replicated.
type descendant struct {
	is    bool // false: it is not below one
	links uint64
	up    arche.Entity      // its parent after the previous step
	local components.Pose3D // its own pose then
	// the jumps of its ancestors while another server counts its own ones
	turns  uint8
	fault  fault // why clients draw it wrong
	logged uint8 // the faults that are in the log
}

// chain is the result of a walk from an entity up to its nearest replicated ancestor.
type chain struct {
	base    EntityID // that ancestor, NoEntity: the world
	links   uint64   // stands for the ancestors between; 0: there are none
	jumped  bool     // one of them has jumped in this step
	shifted bool     // or was shifted
	sheared bool     // the pose would have a shear, which is left out
	// the entity's poses in the frame of the base at the step's start, by the present chain, and at
	// the step's end
	before, now components.Pose3D
	local       components.Pose3D // its own pose, the last one that was finite
}

func newAncestors(n *entities, track arche.ID) ancestors {
	return ancestors{entities: n, track: track, index: map[arche.Entity]int32{}}
}

// has reports whether the entity in a slot was below an entity that is not replicated after the
// newest step.
func (a *ancestors) has(slot int) bool { return slot < len(a.below) && a.below[slot].is }

// descendant returns the state of a slot, for which it makes room.
func (a *ancestors) descendant(slot int) *descendant {
	for len(a.below) <= slot {
		a.below = append(a.below, descendant{})
	}
	return &a.below[slot]
}

// free resets a slot for another entity.
func (a *ancestors) free(slot int) {
	if slot < len(a.below) {
		a.below[slot] = descendant{}
	}
}

// walk composes an entity's pose with those of its ancestors up to the nearest replicated one. The
// result is valid until the next walk. A member of a cycle counts as a root, as in a hierarchy.
func (a *ancestors) walk(e arche.Entity, before, now components.Pose3D) *chain {
	c := &a.found
	*c = chain{before: before, now: now, local: now}
	for !a.loops(e) {
		if e = a.parentOf(e); !a.living.Alive(e) {
			break
		}
		if a.world.Has(e, a.track) {
			c.base = (*replicationState)(a.world.Get(e, a.track)).id
			break
		}
		u := a.look(e)
		c.jumped, c.shifted = c.jumped || u.jumped, c.shifted || u.shifted
		c.sheared = c.sheared || shears(u.now, c.now)
		// From the entity upwards, so that a shear between two ancestors counts for its position.
		c.before, c.now = u.before.Mul(c.before), u.now.Mul(c.now)
		c.links = (c.links^uint64(e.ID())<<32^uint64(e.Generation()))*0x9e3779b97f4a7c15 | 1
		c.links ^= c.links >> 32 << 1
	}
	return c
}

// framed returns an entity's present pose in the frame of its nearest replicated ancestor, and the
// ID of that one, NoEntity for the world.
func (a *ancestors) framed(e arche.Entity) (pose components.Pose3D, base EntityID) {
	pose = a.transforms.Get(e).Get()
	for !a.loops(e) {
		if e = a.parentOf(e); !a.living.Alive(e) {
			break
		}
		if a.world.Has(e, a.track) {
			return pose, (*replicationState)(a.world.Get(e, a.track)).id
		}
		if a.transforms.Has(e) {
			pose = a.transforms.Get(e).Get().Normalize().Mul(pose)
		}
	}
	return pose, NoEntity
}

// look returns an ancestor's state, at which it looks once in a step.
func (a *ancestors) look(e arche.Entity) *ancestor {
	i, known := a.index[e]
	if !known {
		i = int32(len(a.between))
		a.index[e], a.between = i, append(a.between, ancestor{entity: e})
	}
	u := &a.between[i]
	if u.step == a.step && known {
		return u
	}
	placed, now, jumped := a.transforms.Has(e), components.Identity3D(), false
	if placed {
		written := (*record.Record[components.Pose3D])(a.world.Get(e, a.transforms.ID()))
		now = written.Value().Normalize()
		kind, _ := written.Pending(record.OwnerOf(e), u.revision)
		jumped = kind == record.Teleported && written.Revision() != u.revision
	}
	if !now.IsFinite() { // the last one that was stays
		if now, jumped = u.now, false; !known {
			now = components.Identity3D()
		}
	}
	u.jumped = known && (jumped || placed != u.placed)
	if u.step, u.placed, u.before, u.now = a.step, placed, u.now, now; !known {
		u.before = now
	}
	return u
}

// shift notes that an ancestor was mapped to other coordinates, in which its motion continues.
func (a *ancestors) shift(e arche.Entity, f func(components.Pose3D) components.Pose3D) {
	if i, ok := a.index[e]; ok {
		u := &a.between[i]
		u.now, u.shifted = f(u.now).Normalize(), true
	}
}

// settle settles the writes of ancestors that no capture has settled, and forgets entities that are
// no ancestors any more.
func (a *ancestors) settle() {
	for i := 0; i < len(a.between); {
		u := &a.between[i]
		if u.step != a.step || !a.world.Alive(u.entity) {
			delete(a.index, u.entity)
			last := len(a.between) - 1
			if *u = a.between[last]; i < last {
				a.index[u.entity] = int32(i)
			}
			a.between = a.between[:last]
			continue
		}
		if u.shifted = false; u.placed && a.transforms.Has(u.entity) {
			written := (*record.Record[components.Pose3D])(a.world.Get(u.entity, a.transforms.ID()))
			if owner := record.OwnerOf(u.entity); !written.SettledBy(owner) {
				written.Settle(owner, u.revision)
			}
			u.revision = written.Revision()
		}
		i++
	}
}

// within converts a pose from the frame of an entity's nearest replicated ancestor to that of its
// parent, as both are at present. It reports false if the former has just got other coordinates.
func (a *ancestors) within(e arche.Entity, pose components.Pose3D) (components.Pose3D, bool) {
	a.way = a.way[:0]
	for !a.loops(e) {
		if e = a.parentOf(e); !a.living.Alive(e) || a.world.Has(e, a.track) {
			break
		}
		if i, ok := a.index[e]; ok && a.between[i].shifted {
			return pose, false
		}
		if a.transforms.Has(e) {
			a.way = append(a.way, e)
		}
	}
	for i := len(a.way) - 1; i >= 0; i-- {
		frame := a.transforms.Get(a.way[i]).Get().Normalize()
		back := frame.Inverse()
		at := frame.Rotation.Conjugate().Rotate(pose.Position.Sub(frame.Position))
		pose = back.Mul(pose)
		for k := range at { // exact under any scale
			pose.Position[k] = at[k] * back.Scale[k]
		}
	}
	return pose, true
}

// shears reports whether a pose below another one has a shear, or a scale along other axes, which a
// pose cannot hold.
func shears(frame, below components.Pose3D) bool {
	x, y, z := mgl32.Abs(frame.Scale[0]), mgl32.Abs(frame.Scale[1]), mgl32.Abs(frame.Scale[2])
	return (x != y || y != z) && below.Rotation.V.Len() > 1e-3
}

// posesApart measures how far two poses are from each other, in units of length and radians.
func posesApart(a, b components.Pose3D) float64 {
	dot := min(math.Abs(float64(a.Rotation.Normalize().Dot(b.Rotation.Normalize()))), 1)
	return float64(a.Position.Sub(b.Position).Len()) + 2*math.Acos(dot)
}

// keeps reports whether an entity whose ancestors have changed has kept its place in the frame of
// its base: whether it is nearer to its former pose than to the pose that it would have if all
// local poses had been kept.
func (c *chain) keeps(last components.Pose3D) bool {
	return posesApart(c.now, last) <= posesApart(c.now, c.before)
}

// backwards returns a pose some seconds before, by its velocities.
func backwards(pose components.Pose3D, linear, angular mgl32.Vec3, seconds float32) components.Pose3D {
	pose.Position = pose.Position.Sub(linear.Mul(seconds))
	if speed := angular.Len(); speed > 0 {
		pose.Rotation = mgl32.QuatRotate(-speed*seconds, angular.Mul(1/speed)).Mul(pose.Rotation)
	}
	return pose
}
