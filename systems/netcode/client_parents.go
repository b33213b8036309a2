package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// hang gives a replica the parent in whose frame its pose is about to be written, and reports
// whether that one is there.
func (c *Client[S, I]) attach(r *replica, parent EntityID) bool {
	if parent == r.attachedTo {
		return true
	}
	var e arche.Entity
	above := c.parentOf(r, parent)
	if parent != NoEntity {
		if above == nil {
			return false
		}
		e = above.entity
	}
	c.detach(r)
	if above != nil {
		r.attachedTo = parent
		above.children++
	}
	c.setParent(r.entity, e)
	return true
}

// above returns what a replica is to hang below, nil if that is not there. Who is drawn in the
// present does not wait for what is to be seen later only.
func (c *Client[S, I]) parentOf(r *replica, parent EntityID) *replica {
	if p := c.replica(parent); p != nil && p.coming && !c.lags(r) {
		c.applyAllDue(p)
	}
	return c.seen(parent)
}

// seen returns who is seen by a name: the one who has the slot, or one set aside whose slot is
// another's now, or his own again, who is to be seen later. Nil: nobody.
func (c *Client[S, I]) seen(id EntityID) *replica {
	if r := c.replica(id); r != nil && !r.coming {
		return r
	}
	for i := range c.delayedDespawns {
		if r := &c.delayedDespawns[i]; r.id == id && id != NoEntity && !r.coming {
			return r
		}
	}
	return nil
}

func (c *Client[S, I]) detach(r *replica) {
	if above := c.seen(r.attachedTo); above != nil {
		above.children--
	}
	r.attachedTo = NoEntity
}

func (c *Client[S, I]) setParent(child, parent arche.Entity) {
	if !c.world.Has(child, c.ids.parent) {
		if parent.IsZero() {
			return
		}
		c.world.Add(child, c.ids.parent)
	}
	(*components.Parent)(c.world.Get(child, c.ids.parent)).Entity = parent
}

// drop lets go what still hangs below a replica that goes, and would be swept away with it by a
// hierarchy: it stays where it was seen last until its picture comes to a frame that is there.
func (c *Client[S, I]) orphan(r *replica) {
	for i := 0; r.children > 0 && i < len(c.replicas)+len(c.delayedDespawns); i++ {
		child := c.childrenOf(i)
		if child.attachedTo != r.id || child.id == NoEntity {
			continue
		}
		child.attachedTo = NoEntity
		r.children--
		if !c.has(child.entity) {
			continue
		}
		child.settled, child.orphan, child.counter = false, true, c.jumpsOf(child)
		if h := c.hierarchy(); h != nil && h.Reparent(child.entity, arche.Entity{}) == nil {
			continue // what is drawn of it goes on, too
		}
		seen := c.worldPose(child.entity)
		c.setParent(child.entity, arche.Entity{})
		c.logical(child.entity).Teleport(seen)
	}
}

// worldPose composes the poses of an entity and its ancestors.
func (c *Client[S, I]) worldPose(e arche.Entity) components.Pose3D {
	pose := c.logical(e).Get()
	for range snapshot.MaxDepth {
		if !c.world.Has(e, c.ids.parent) {
			break
		}
		if e = (*components.Parent)(c.world.Get(e, c.ids.parent)).Entity; e.IsZero() || !c.has(e) {
			break
		}
		pose = c.logical(e).Get().Mul(pose)
	}
	return pose
}
