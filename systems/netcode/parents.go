package netcode

import (
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/snapshot"
)

// maxPending bounds the changes of parents that one replica may have in front of it; a view lags by far fewer snapshots.
const maxPending = 8

// hang takes the news of a replica's parent. Its poses are relative to the new one from that tick on, so the two change in the same step: when the picture has come to the
// tick of the news.
func (c *Client[S, I]) hang(r *replica, parent snapshot.ID, at time.Duration, first bool) {
	if parent == r.parent {
		return
	}
	r.parent = parent
	if first || r.orphan || r.id == c.own || c.protocol.movers[r.kind] != nil { // shown where they are now
		c.forgetPending(r.id)
		if c.link(r, parent) {
			return
		}
		at = 0
	}
	waiting, oldest := 0, -1
	for i, p := range c.pending {
		if p.id == r.id {
			if waiting++; oldest < 0 {
				oldest = i
			}
		}
	}
	if waiting == maxPending {
		c.pending = slices.Delete(c.pending, oldest, oldest+1)
	}
	c.pending = append(c.pending, pendingParent{r.id, parent, at})
}

// hangDue gives parents to those whose picture has come that far and whose parent is there.
func (c *Client[S, I]) hangDue(view, present time.Duration) {
	if len(c.pending) == 0 {
		return
	}
	kept := c.pending[:0]
	for _, p := range c.pending {
		r := c.replica(p.id)
		if r == nil || !c.has(r.entity) {
			continue
		}
		shown := view
		if r.method.Predictive() {
			shown = present
		}
		if !r.orphan && p.at > shown || !c.link(r, p.parent) {
			kept = append(kept, p)
		}
	}
	c.pending = kept
}

// link reports whether the parent is there, and if so hangs the replica below it.
func (c *Client[S, I]) link(r *replica, parent snapshot.ID) bool {
	var e arche.Entity
	above := c.replica(parent)
	if parent != snapshot.None {
		if above == nil {
			return false
		}
		e = above.entity
	}
	c.unlink(r)
	if above != nil {
		r.hangs = parent
		above.hung++
	}
	c.setParent(r.entity, e)
	if r.orphan {
		r.orphan = false
		c.restart(r, c.now())
	}
	return true
}

func (c *Client[S, I]) unlink(r *replica) {
	if above := c.replica(r.hangs); above != nil {
		above.hung--
	}
	r.hangs = snapshot.None
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

func (c *Client[S, I]) forgetPending(id snapshot.ID) {
	c.pending = slices.DeleteFunc(c.pending, func(p pendingParent) bool { return p.id == id })
}

// drop takes a replica that goes out of the tree. What still hangs below it would be swept away with it by a hierarchy, so it is let go. If it was on the way to another parent it is
// shown at once where the newest snapshot has it; if not, that news is still under way, and it stays where it was seen.
func (c *Client[S, I]) drop(r *replica) {
	c.unlink(r)
	if len(c.pending) > 0 {
		c.forgetPending(r.id)
	}
	for i := 0; r.hung > 0 && i < len(c.replicas); i++ {
		child := &c.replicas[i]
		if child.hangs != r.id || child.id == snapshot.None {
			continue
		}
		c.unlink(child)
		if !c.has(child.entity) {
			continue
		}
		seen := c.worldPose(child.entity)
		c.setParent(child.entity, arche.Entity{})
		c.forgetPending(child.id)
		c.logical(child.entity).Teleport(seen)
		child.orphan = true
		if child.parent != r.id && !c.link(child, child.parent) {
			c.pending = append(c.pending, pendingParent{child.id, child.parent, 0})
		}
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

// restart forgets what a replica was shown by, but for the newest state, at which it is now.
func (c *Client[S, I]) restart(r *replica, now time.Duration) {
	r.samples, r.settled = c.newSamples(r.method), false
	if s, at, ok := c.decoder.State(r.id); ok {
		c.push(r, s, c.grid.Edge(c.newestOf(at)), now)
		pose := c.logical(r.entity).Get()
		pose.Position, pose.Rotation = s.Position, components.NormalizeQuat(s.Rotation)
		c.show(r, pose, true)
	}
}
