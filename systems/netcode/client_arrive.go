package netcode

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// leftShown is how much longer a client shows the replicas of the server that it has left which the
// new one does not show.
const leftShown = time.Second / 2

// arrive makes the visited server, whose link is the present one, that of the client. Both count
// the same ticks, so the prediction, the clock and the view go on as they are.
func (c *Client[S, I]) arrive(now time.Duration) {
	v, old := &c.visits, c.home
	c.home, v.next = c.link, nil
	if old.clocks != nil && c.clocks.Ready() {
		c.clocks.Continue(old.clocks)
	} else if old.clocks != nil {
		c.clocks = old.clocks
		c.clocks.SetLeast(0)
	}
	if c.predictor != nil && c.hasAcked {
		c.predictor.Pending().Follow(c.acked.Add(1))
	}
	for _, m := range c.protocol.matchStates {
		m.follow()
	}
	if c.playback.EndOther(); c.hasFast {
		c.playback.Reroute(now, c.fastest)
	}
	c.hello.session, c.hello.anew = c.welcomed.session, false
	v.former, v.latest, v.dialed, v.turn, v.redirect = old.at, c.at, c.at, 0, ""
	c.opening = false
	c.second.drop()
	c.leave(old, now)
	c.rename(old.decoder, now)
	c.recordSession()
	c.config.Log.Info("tandem: the player has moved to another server", "at", c.at)
	c.stats.Moves++
	c.setStatus(Playing, Reason{})
}

// rename makes the replicas those of the new server, by their names, and adds those that only the
// new one shows. The others stay a while. Was is the decoder of the server before.
func (c *Client[S, I]) rename(was *snapshot.Decoder, now time.Duration) {
	v := &c.visits
	if v.to == nil {
		v.to, v.names = map[EntityID]EntityID{}, map[uint64]int{}
	}
	clear(v.to)
	clear(v.names)
	before := slices.Clone(c.replicas)
	clear(c.replicas)
	c.replicas = c.replicas[:0]
	for i := range before {
		r := &before[i]
		if r.id == NoEntity || r.despawn.any {
			continue
		}
		if name := c.protocol.nameOf(was, r.id); name != 0 {
			v.names[name] = i
		} else if r.id == c.own {
			v.names[0] = i // the own body is known by its owner
		}
	}
	c.decoder.Present(func(ch *snapshot.Change, _ Tick) {
		c.reach(ch.ID.Slot())
		name := c.protocol.nameOf(c.decoder, ch.ID)
		i, known := v.names[name]
		if !known {
			return
		}
		if r := &before[i]; r.archetype == ch.Kind && (name != 0 || ch.Owner == c.welcomed.player) {
			delete(v.names, name)
			v.to[r.id] = ch.ID
			c.replicas[ch.ID.Slot()], *r = *r, replica{}
		}
	})
	c.stayAwhile(before, now)
	for i := range len(c.replicas) + len(c.delayedDespawns) {
		if r := c.replicaAt(i); r.id != NoEntity {
			c.renameReplica(r)
		}
	}
	c.own = v.to[c.own]
	if c.bodies != nil {
		c.bodies.rename(v.to)
	}
	c.decoder.Present(func(ch *snapshot.Change, at Tick) { c.meet(ch, at, now) })
	c.whole = 0
	c.holdAll(now)
}

// stayAwhile lets the replicas that the new server does not show stay for a while. No ID of the new
// server is one of theirs.
func (c *Client[S, I]) stayAwhile(before []replica, now time.Duration) {
	v := &c.visits
	aliases := uint32(0)
	alias := func(r *replica) {
		aliases++
		id := EntityID(aliases<<16 | unusedSlot)
		if _, ok := v.to[r.id]; !ok {
			v.to[r.id] = id
		}
		r.id = id
	}
	for i := range c.delayedDespawns {
		alias(&c.delayedDespawns[i])
	}
	for i := range before {
		r := &before[i]
		if r.id == NoEntity {
			continue
		}
		if c.bodies != nil {
			c.bodies.forget(r.id)
		}
		alias(r)
		if r.unspawned {
			c.finish(r)
			continue
		}
		if !r.despawn.any {
			r.counter = r.newest.Discontinuity
			r.despawn = delayedDespawn{true, c.viewTime + leftShown, now + 2*leftShown}
			if r.children == 0 {
				r.stay(now)
			}
			c.stats.Replicas--
		}
		c.delayedDespawns = append(c.delayedDespawns, *r)
	}
}

// unusedSlot is a slot that no entity has.
const unusedSlot = 1<<16 - 1

// renameReplica gives a replica the new IDs of itself and of those that it names.
func (c *Client[S, I]) renameReplica(r *replica) {
	to := c.visits.to
	if id, ok := to[r.id]; ok { // not an alias, which it has already
		r.id = id
	}
	newest := EntityID(r.newest.Frame)
	if id := to[r.attachedTo]; id != NoEntity {
		r.samples = reframe(r.samples, uint32(r.attachedTo), uint32(id))
	}
	if id := to[newest]; id != NoEntity && newest != r.attachedTo {
		r.samples = reframe(r.samples, uint32(newest), uint32(id))
	}
	r.attachedTo, r.parent = to[r.attachedTo], to[r.parent]
	r.newest.Frame = uint32(to[EntityID(r.newest.Frame)])
	for i := range r.bridges {
		b := &r.bridges[i]
		b.from, b.to = to[b.from], to[b.to]
	}
	if r.flight != nil {
		r.flight.rename(r.id)
	}
	if c.marked(r.entity) && !r.despawn.any {
		c.replicated.Get(r.entity).ID = r.id
	}
}

// meet takes the newest state of an entity, which is that of a tick, from the new server.
func (c *Client[S, I]) meet(ch *snapshot.Change, at Tick, now time.Duration) {
	stamp := c.edgeOf(at)
	r := c.replica(ch.ID)
	switch {
	case r == nil:
		r = c.enter(ch)
	case stamp <= r.changedAt: // the server before has told more
		r.jumped = r.newest.Discontinuity - ch.State.Discontinuity
		return
	default:
		ch.Op = snapshot.Updated
		ch.Components = 1<<snapshot.MaxComponents - 1 // also those that it has lost
		if r.sampled {
			r.jumped = r.newest.Discontinuity - ch.State.Discontinuity
		}
	}
	moment := c.receiveShot(r, ch, at, stamp)
	if !r.unspawned && !c.has(r.entity) {
		return
	}
	c.delay(r, ch, moment)
	if (r.flight == nil || !r.flight.byPath()) && (!r.sampled || stamp > r.newest.Time) {
		c.push(r, ch.State, ch.Parent, stamp, now)
	}
}
