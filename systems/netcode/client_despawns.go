package netcode

import (
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// A replica that is drawn in the past and that the server has removed is shown until the view
// reaches the moment of its removal: else it would vanish in front of the wall that it was about to
// hit. After its last sample it stands still. Meanwhile it stays in its slot. If another replica
// needs the slot earlier, the removed one is moved to Client.delayedDespawns. Its children stay
// attached to it until it is removed.

// maxDelayedDespawns is the most replicas in Client.delayedDespawns. One more removes the oldest at
// once.
const maxDelayedDespawns = 64

// delayedDespawn holds the time at which a replica is removed that the server has removed already.
type delayedDespawn struct {
	any bool
	at  time.Duration // in the server's time: when the view reaches it
	end time.Duration // in this machine's time: at the latest, wherever the view is
}

// despawn removes a replica that the server has removed at a moment of its time: at once, or when
// the view reaches that moment.
func (c *Client[S, I]) despawn(id EntityID, at, now time.Duration) {
	r := c.replica(id)
	if r == nil || r.despawn.any {
		return
	}
	if !c.lags(r) || at <= c.viewTime {
		if !r.unspawned {
			c.applyAll(r)
		}
		c.removeReplica(id)
		return
	}
	if c.bodies != nil {
		c.bodies.forget(id)
	}
	behind := min(at-c.viewTime, 5*time.Second)
	r.despawn = delayedDespawn{true, at, now + 2*behind + time.Second}
	if r.children == 0 {
		// a parent moves on as it did: else its children would leap when it is removed
		r.stay(now)
	}
	c.stats.Replicas--
}

// lags reports whether a replica is, or will be, drawn in the past.
func (c *Client[S, I]) lags(r *replica) bool {
	return r.id != c.own && (r.flight == nil || !r.flight.present()) && r.timing == interp.Delayed && c.protocol.movers[r.archetype] == nil && (r.despawn.any || c.bodies == nil || !c.bodies.drawn(r.id))
}

// delayDespawn frees the slot of a replica whose despawn is delayed.
func (c *Client[S, I]) delayDespawn(r *replica) {
	if len(c.delayedDespawns) >= maxDelayedDespawns {
		c.finish(&c.delayedDespawns[0])
		c.delayedDespawns = append(c.delayedDespawns[:0], c.delayedDespawns[1:]...)
	}
	c.delayedDespawns = append(c.delayedDespawns, *r)
	*r = replica{}
}

// despawnDue removes the replicas whose delayed despawn is due.
func (c *Client[S, I]) despawnDue(at viewpoint) {
	due := func(r *replica) bool {
		return r.despawn.any && (at.any && r.despawn.at <= r.moment(at) || at.now >= r.despawn.end || !r.unspawned && !c.has(r.entity))
	}
	for r := range c.present {
		if due(r) {
			c.removeReplica(r.id)
		}
	}
	for i := range c.delayedDespawns {
		if r := &c.delayedDespawns[i]; due(r) {
			c.finish(r)
			*r = replica{}
		}
	}
	c.delayedDespawns = slices.DeleteFunc(c.delayedDespawns, func(r replica) bool { return r.id == NoEntity })
}

// finish despawns the entity of a replica that has no slot any more.
func (c *Client[S, I]) finish(r *replica) {
	c.orphan(r)
	c.detach(r)
	c.dropChanges(r)
	if r.flight != nil {
		r.flight.release()
	}
	c.removeEntity(r.entity)
}

// removeEntity despawns an entity, if it is alive.
func (c *Client[S, I]) removeEntity(e arche.Entity) {
	if !c.world.Alive(e) {
		return
	}
	if c.config.Removed != nil {
		c.config.Removed(c.world, e)
	}
	if c.world.Alive(e) {
		c.world.RemoveEntity(e)
	}
}

// replicaAt returns the i-th of all replicas: those in slots, then those whose despawn is delayed.
func (c *Client[S, I]) replicaAt(i int) *replica {
	if i < len(c.replicas) {
		return &c.replicas[i]
	}
	return &c.delayedDespawns[i-len(c.replicas)]
}
