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
	if first || r.id == c.own || c.protocol.movers[r.kind] != nil { // shown where they are now
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
		if p.at > shown || !c.link(r, p.parent) {
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

// drop takes a replica that goes out of the tree. What still hangs below it would be swept away with it by a hierarchy, so it is let go, and shown at once where the newest
// snapshot has it: its picture was on the way to another parent.
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
		c.setParent(child.entity, arche.Entity{})
		c.forgetPending(child.id)
		if child.parent != snapshot.None && child.parent != r.id {
			c.pending = append(c.pending, pendingParent{child.id, child.parent, 0})
		}
		c.restart(child, c.now())
	}
}

// restart forgets what a replica was shown by, but for the newest state.
func (c *Client[S, I]) restart(r *replica, now time.Duration) {
	r.samples, r.settled, r.shown = c.newSamples(r.method), false, false
	if s, at, ok := c.decoder.State(r.id); ok {
		c.push(r, s, c.grid.Edge(c.newestOf(at)), now)
	}
}
