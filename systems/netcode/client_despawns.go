package netcode

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// A replica that the server has taken away, and that is seen in the past, is seen until its picture
// comes to the moment at which that happened: else it would vanish in front of the wall that it was
// about to hit. From its last sample on it stands. It stays in its slot meanwhile; if somebody else
// is given the slot before, it is set aside. What hangs below it goes on with it, in its slot or
// beside it, until it is gone.

// maxAside is how many may be set aside. The oldest goes at once when another one comes.
const maxAside = 64

// delayedDespawn is when a replica that is gone from the server is gone from the picture.
type delayedDespawn struct {
	any bool
	at  time.Duration // in the server's time: when the picture has come there
	end time.Duration // in this machine's: at the latest, wherever the picture is
}

// depart takes a replica out that is gone from the server since a moment of its time, at once or
// when the picture has come there.
func (c *Client[S, I]) despawn(id EntityID, at, now time.Duration) {
	r := c.replica(id)
	if r == nil || r.despawn.any {
		return
	}
	if !c.lags(r) || at <= c.viewTime {
		if !r.coming {
			c.applyAllDue(r)
		}
		c.removeReplica(id)
		return
	}
	if c.bodies != nil {
		c.bodies.forget(id)
	}
	behind := min(at-c.viewTime, 5*time.Second)
	r.despawn = delayedDespawn{true, at, now + 2*behind + time.Second}
	if r.children == 0 { // what carries others goes on as it did, else they would leap when it is gone
		r.stay(now)
	}
	c.stats.Replicas--
}

// lags reports whether a replica is drawn as it was in the past, or will be.
func (c *Client[S, I]) lags(r *replica) bool {
	return r.id != c.own && r.timing == interp.Delayed && c.protocol.movers[r.archetype] == nil && (r.despawn.any || c.bodies == nil || !c.bodies.drawn(r.id))
}

// delayDespawn frees the slot of a replica that has departed and is still seen.
func (c *Client[S, I]) delayDespawn(r *replica) {
	if len(c.delayedDespawns) == maxAside {
		c.finish(&c.delayedDespawns[0])
		c.delayedDespawns = append(c.delayedDespawns[:0], c.delayedDespawns[1:]...)
	}
	c.delayedDespawns = append(c.delayedDespawns, *r)
	*r = replica{}
}

// leave takes out those who are seen no more when the picture shows a moment.
func (c *Client[S, I]) leave(view, now time.Duration, seen bool) {
	gone := func(r *replica) bool {
		return r.despawn.any && (seen && r.despawn.at <= view || now >= r.despawn.end || !r.coming && !c.has(r.entity))
	}
	for i := range c.replicas {
		if r := &c.replicas[i]; gone(r) {
			c.removeReplica(r.id)
		}
	}
	for i := range c.delayedDespawns {
		if r := &c.delayedDespawns[i]; gone(r) {
			c.finish(r)
			*r = replica{}
		}
	}
	c.delayedDespawns = slices.DeleteFunc(c.delayedDespawns, func(r replica) bool { return r.id == NoEntity })
}

// finish despawns the entity of a replica that is in no slot any more.
func (c *Client[S, I]) finish(r *replica) {
	c.orphan(r)
	c.detach(r)
	c.dropChanges(r)
	if !c.world.Alive(r.entity) {
		return
	}
	if c.config.Removed != nil {
		c.config.Removed(c.world, r.entity)
	}
	if c.world.Alive(r.entity) {
		c.world.RemoveEntity(r.entity)
	}
}

// below returns the i-th of all that may hang below something: those in slots, and those set aside.
func (c *Client[S, I]) childrenOf(i int) *replica {
	if i < len(c.replicas) {
		return &c.replicas[i]
	}
	return &c.delayedDespawns[i-len(c.replicas)]
}
