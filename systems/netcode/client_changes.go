package netcode

import (
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// A change of a replica that is drawn in the past is of a moment that the view has not reached. It
// is delayed until then, as the replica's poses are: a door opens in front of the player that is
// seen to open it, and a rocket appears at the muzzle when it is fired. The change is applied in
// the step in which the view reaches its moment, before any pose of that step is written. Changes
// of a replica that is drawn in the present are applied when they arrive.

// maxDelayed is the most delayed changes of all replicas together. A replica whose changes exceed
// it gets all of them at once: early, but in order.
const maxDelayed = 1 << 14

// delayedChange is one change of a replica. The changes of a replica are in the order of their
// moments.
type delayedChange struct {
	at    time.Duration // in the server's time: it is applied when the view reaches it
	what  int32         // index of the component, or one of the constants below
	value int32         // the place of the value in its component's store, or the owner
}

const (
	changeSpawn = -1 - iota // the replica appears
	changeOwner             // the replica has another owner
)

// fewChanges is the first capacity of a replica's delayed changes. A replica that has few keeps
// room for four times as many, so that changes that come and go allocate nothing.
const fewChanges = 8

// addChange adds a change to a replica's delayed changes, at an index.
func (c *Client[S, I]) addChange(r *replica, i int, change delayedChange) {
	if r.changes == nil {
		r.changes = make([]delayedChange, 0, fewChanges)
	}
	r.changes = slices.Insert(r.changes, i, change)
	c.delayed++
}

// keepChanges leaves a replica the delayed changes that have not been applied, and releases memory
// that is much larger than they need.
func (c *Client[S, I]) keepChanges(r *replica, left []delayedChange) {
	c.delayed -= len(r.changes) - len(left)
	if cap(left) > 4*max(len(left), fewChanges) {
		left = append([]delayedChange(nil), left...)
	}
	r.changes = left
}

// delay adds the changes in a record to the replica's delayed changes: all but its pose.
func (c *Client[S, I]) delay(r *replica, ch *snapshot.Change, at time.Duration) {
	if ch.Late {
		c.delayLate(r, ch, at)
		return
	}
	at = max(at, r.changedAt)
	r.changedAt = at
	full := c.delayed >= maxDelayed
	add := func(what, value int32) { c.addChange(r, len(r.changes), delayedChange{at, what, value}) }
	if ch.Op == snapshot.Spawned {
		add(changeSpawn, int32(ch.Owner))
	} else if ch.Owner != r.owner {
		add(changeOwner, int32(ch.Owner))
	}
	r.owner, r.parent = ch.Owner, ch.Parent
	for i, m := range c.components {
		if !m.changedIn(ch) {
			continue
		}
		if value := m.store(c.decoder, ch); m.immediate() && !r.unspawned {
			m.release(value, r.entity)
		} else {
			add(int32(i), value)
		}
	}
	if full || at <= c.viewTime || !c.lags(r) {
		c.applyAll(r)
	}
}

// delayLate adds the changes in a record that a newer one has overtaken. A component has the
// record's value from the record's moment to the next change of the component. If the newer records
// do not name the component, the newest of them ends that value: a component that a record does not
// name has the value that the client has acknowledged, not that of an overtaken record.
func (c *Client[S, I]) delayLate(r *replica, ch *snapshot.Change, at time.Duration) {
	if len(r.changes) == 0 || at < r.holds || c.delayed >= maxDelayed {
		return
	}
	next := 0        // the first change after the record's
	if r.unspawned { // its spawn is earlier than assumed
		next = 1
		r.changes[0].at = min(r.changes[0].at, at)
	}
	for next < len(r.changes) && r.changes[next].at <= at {
		next++
	}
	for i, m := range c.components {
		if !m.changedIn(ch) || m.immediate() {
			continue
		}
		what := int32(i)
		c.addChange(r, next, delayedChange{at, what, m.store(c.decoder, ch)})
		next++
		if !slices.ContainsFunc(r.changes[next:], func(later delayedChange) bool { return later.what == what }) {
			c.addChange(r, len(r.changes), delayedChange{r.changedAt, what, m.storeNewest(c.decoder, r.id)})
		}
	}
}

// applyDue applies the delayed changes whose time the view has reached, and all delayed changes of
// replicas that are now drawn in the present.
func (c *Client[S, I]) applyDue(at viewpoint) {
	if c.delayed == 0 {
		return
	}
	for i := range len(c.replicas) + len(c.delayedDespawns) {
		r := c.replicaAt(i)
		if len(r.changes) == 0 {
			continue
		}
		if !c.lags(r) {
			c.applyAll(r)
		} else if view := r.moment(at); at.any && r.changes[0].at <= view {
			c.applyReplicaDue(r, view)
		}
	}
}

// applyReplicaDue applies a replica's delayed changes whose time the view has reached.
func (c *Client[S, I]) applyReplicaDue(r *replica, view time.Duration) {
	left := r.changes[:0]
	for _, change := range r.changes {
		if change.at <= view || change.what >= 0 && !r.unspawned && c.components[change.what].immediate() {
			c.applyChange(r, change)
		} else {
			left = append(left, change)
		}
	}
	c.keepChanges(r, left)
}

// applyAll applies all delayed changes of a replica.
func (c *Client[S, I]) applyAll(r *replica) {
	for _, change := range r.changes {
		c.applyChange(r, change)
	}
	c.keepChanges(r, r.changes[:0])
}

// dropChanges discards the delayed changes of a replica that is removed.
func (c *Client[S, I]) dropChanges(r *replica) {
	for _, change := range r.changes {
		if change.what >= 0 {
			c.components[change.what].release(change.value, arche.Entity{})
		}
	}
	c.keepChanges(r, nil)
}

// applyChange writes a change to the world.
func (c *Client[S, I]) applyChange(r *replica, change delayedChange) {
	r.holds = max(r.holds, change.at)
	switch {
	case change.what >= 0:
		c.components[change.what].release(change.value, r.entity)
	case change.what == changeSpawn:
		c.spawn(r, uint16(change.value))
	case c.marked(r.entity):
		c.replicated.Get(r.entity).Owner = uint16(change.value)
	}
}

// there returns a replica that has an entity, or nil. A replica whose spawn is delayed is spawned
// now, because the own player, which is in the present, needs it.
func (c *Client[S, I]) there(id EntityID) *replica {
	r := c.replica(id)
	if r == nil {
		return nil
	}
	if r.unspawned {
		c.applyAll(r)
	}
	if !c.has(r.entity) {
		return nil
	}
	return r
}

// spawn makes a replica's entity.
func (c *Client[S, I]) spawn(r *replica, owner uint16) {
	for i := range c.delayedDespawns {
		// it was not relevant for a while: only one of the two is shown
		if old := &c.delayedDespawns[i]; old.id == r.id && old != r {
			c.finish(old)
			*old = replica{}
		}
	}
	if r.flight != nil {
		r.flight.spawn(r, owner)
		return
	}
	r.unspawned = false
	r.entity = c.makeEntity(Replicated{Archetype: r.archetype, Owner: owner, ID: r.id}, r.born)
}

// makeEntity makes the entity of a replica or of a predicted shot, at a pose.
func (c *Client[S, I]) makeEntity(marker Replicated, pose components.Pose3D) (e arche.Entity) {
	if kept, ok := c.replay.takeKept(marker); ok {
		e = kept
	} else if c.config.Spawn != nil {
		e = c.config.Spawn(c.world, marker, marker.Owner == c.welcomed.player)
	} else {
		e = c.world.NewEntity(c.transforms.ID(), arche.ComponentID[components.Visual3D](c.world))
	}
	if e.IsZero() || !c.world.Alive(e) {
		return e
	}
	c.logUndrawn(marker, e)
	if !c.transforms.Has(e) {
		c.world.Add(e, c.transforms.ID())
	}
	if !c.replicated.Has(e) {
		c.world.Add(e, c.replicated.ID())
	}
	*c.replicated.Get(e) = marker
	c.transforms.Get(e).Teleport(pose)
	return e
}

// restoreComponents gives a replica whose entity is made anew the newest values of its components.
func (c *Client[S, I]) restoreComponents(r *replica) {
	for _, m := range c.components {
		m.release(m.storeNewest(c.decoder, r.id), r.entity)
	}
}
