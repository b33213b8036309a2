package netcode

import arche "github.com/mlange-42/arche/ecs"

// attach sets the parent of a replica, in whose frame its pose is about to be written. It reports
// whether the parent has a replica.
func (c *Client[S, I]) attach(r *replica, parent EntityID) bool {
	if parent == r.attachedTo {
		return true
	}
	var e arche.Entity
	p := c.parentReplica(r, parent)
	if parent != NoEntity {
		if p == nil {
			return false
		}
		e = p.entity
	}
	c.detach(r)
	if p != nil {
		r.attachedTo = parent
		p.children++
	}
	c.setParent(r.entity, e)
	return true
}

// parentReplica returns the parent of a replica that is about to be attached, or nil. A replica
// that is drawn in the present does not wait for a parent whose spawn is delayed.
func (c *Client[S, I]) parentReplica(r *replica, parent EntityID) *replica {
	if p := c.replica(parent); p != nil && p.unspawned && (!c.lags(r) || r.ahead == 1) {
		c.applyAll(p)
	}
	return c.seen(parent)
}

// seen returns the replica with an ID that is shown at present, or nil: the one in the slot, or one
// whose despawn is delayed. The slot of the latter may hold another replica now, or the same ID
// again with a delayed spawn.
func (c *Client[S, I]) seen(id EntityID) *replica {
	if r := c.replica(id); r != nil && !r.unspawned {
		return r
	}
	for i := range c.delayedDespawns {
		if r := &c.delayedDespawns[i]; r.id == id && id != NoEntity && !r.unspawned {
			return r
		}
	}
	return nil
}

func (c *Client[S, I]) detach(r *replica) {
	if p := c.seen(r.attachedTo); p != nil {
		p.children--
	}
	r.attachedTo = NoEntity
}

// orphan detaches the children of a replica that is removed, because a hierarchy would remove them
// with it. Each child keeps the pose at which it was shown last until its view reaches a frame that
// exists.
func (c *Client[S, I]) orphan(r *replica) {
	for i := 0; r.children > 0 && i < len(c.replicas)+len(c.delayedDespawns); i++ {
		child := c.replicaAt(i)
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
			continue // the samples of its drawing are kept, too
		}
		seen := c.worldPose(child.entity)
		c.setParent(child.entity, arche.Entity{})
		c.transforms.Get(child.entity).Teleport(seen)
	}
}
