package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
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

// delayedChange is one change. Those of one replica form a list in the order of their arrival.
type delayedChange struct {
	at    time.Duration // in the server's time: it is applied when the view reaches it
	what  int32         // index of the component, or one of the constants below
	value int32         // the place of the value in its component's store, or the owner
	next  int32         // of the list; 0: none
}

const (
	changeSpawn = -1 - iota // the replica appears
	changeOwner             // the replica has another owner
)

// delayedChanges holds the delayed changes of all replicas.
type delayedChanges struct {
	all  []delayedChange // the first one is unused
	free int32           // the first of the list of free places
	n    int             // changes that are delayed
}

// changeList is the list of one replica's delayed changes: indices of the first and the last. 0
// means none.
type changeList struct{ first, last int32 }

// of returns a change of the same moment.
func (d delayedChange) of(what, value int32) delayedChange {
	d.what, d.value = what, value
	return d
}

// after returns the index of the change that follows another one in a replica's list. After 0 it
// returns the first. 0 means none.
func (h *delayedChanges) after(r *replica, i int32) int32 {
	if i == 0 {
		return r.changes.first
	}
	return h.all[i].next
}

// append adds a change to the end of a replica's list.
func (h *delayedChanges) append(r *replica, change delayedChange) {
	h.insert(r, r.changes.last, change)
}

// insert adds a change after another one in a replica's list, or after 0 as the first, and returns
// its index.
func (h *delayedChanges) insert(r *replica, after int32, change delayedChange) int32 {
	if len(h.all) == 0 {
		h.all = append(h.all, delayedChange{})
	}
	change.next = h.after(r, after)
	i := h.free
	if i != 0 {
		h.free = h.all[i].next
		h.all[i] = change
	} else {
		i = int32(len(h.all))
		h.all = append(h.all, change)
	}
	if after == 0 {
		r.changes.first = i
	} else {
		h.all[after].next = i
	}
	if r.changes.last == after {
		r.changes.last = i
	}
	h.n++
	return i
}

// remove removes change i, which follows another one in a replica's list, or 0 as the first, and
// returns it.
func (h *delayedChanges) remove(r *replica, after, i int32) delayedChange {
	change := h.all[i]
	if after == 0 {
		r.changes.first = change.next
	} else {
		h.all[after].next = change.next
	}
	if r.changes.last == i {
		r.changes.last = after
	}
	h.all[i] = delayedChange{next: h.free}
	h.free = i
	h.n--
	return change
}

// hasLater reports whether a replica's list has a change of the same kind behind change i.
func (h *delayedChanges) hasLater(r *replica, i, what int32) bool {
	for i = h.after(r, i); i != 0; i = h.after(r, i) {
		if h.all[i].what == what {
			return true
		}
	}
	return false
}

// delay adds the changes in a record to the replica's delayed changes: all but its pose.
func (c *Client[S, I]) delay(r *replica, ch *snapshot.Change, at time.Duration) {
	if ch.Late {
		c.delayLate(r, ch, at)
		return
	}
	at = max(at, r.changedAt)
	r.changedAt = at
	full := c.delayed.n >= maxDelayed
	change := delayedChange{at: at}
	if ch.Op == snapshot.Spawned {
		c.delayed.append(r, change.of(changeSpawn, int32(ch.Owner)))
	} else if ch.Owner != r.owner {
		c.delayed.append(r, change.of(changeOwner, int32(ch.Owner)))
	}
	r.owner, r.parent = ch.Owner, ch.Parent
	for i, m := range c.components {
		if !m.changedIn(ch) {
			continue
		}
		if value := m.store(c.decoder, ch); m.immediate() && !r.unspawned {
			m.release(value, r.entity)
		} else {
			c.delayed.append(r, change.of(int32(i), value))
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
	if r.changes.first == 0 || at < r.holds || c.delayed.n >= maxDelayed {
		return
	}
	after := int32(0)
	if r.unspawned { // its spawn is earlier than assumed
		after = r.changes.first
		spawn := &c.delayed.all[after]
		spawn.at = min(spawn.at, at)
	}
	for next := c.delayed.after(r, after); next != 0 && c.delayed.all[next].at <= at; next = c.delayed.after(r, after) {
		after = next
	}
	change, newest := delayedChange{at: at}, delayedChange{at: r.changedAt}
	for i, m := range c.components {
		if !m.changedIn(ch) || m.immediate() {
			continue
		}
		after = c.delayed.insert(r, after, change.of(int32(i), m.store(c.decoder, ch)))
		if !c.delayed.hasLater(r, after, int32(i)) {
			c.delayed.append(r, newest.of(int32(i), m.storeNewest(c.decoder, r.id)))
		}
	}
}

// applyDue applies the delayed changes whose time the view has reached, and all delayed changes of
// replicas that are now drawn in the present.
func (c *Client[S, I]) applyDue(view time.Duration, seen bool) {
	if c.delayed.n == 0 {
		return
	}
	for i := range len(c.replicas) + len(c.delayedDespawns) {
		r := c.replicaAt(i)
		if r.changes.first == 0 {
			continue
		}
		if !c.lags(r) {
			c.applyAll(r)
		} else if seen && c.delayed.all[r.changes.first].at <= view {
			c.applyReplicaDue(r, view)
		}
	}
}

// applyReplicaDue applies a replica's delayed changes whose time the view has reached.
func (c *Client[S, I]) applyReplicaDue(r *replica, view time.Duration) {
	for after, i := int32(0), r.changes.first; i != 0; {
		change := &c.delayed.all[i]
		next := change.next
		if change.at <= view || change.what >= 0 && !r.unspawned && c.components[change.what].immediate() {
			c.applyChange(r, c.delayed.remove(r, after, i))
		} else {
			after = i
		}
		i = next
	}
}

// applyAll applies all delayed changes of a replica.
func (c *Client[S, I]) applyAll(r *replica) {
	for r.changes.first != 0 {
		c.applyChange(r, c.delayed.remove(r, 0, r.changes.first))
	}
}

// dropChanges discards the delayed changes of a replica that is removed.
func (c *Client[S, I]) dropChanges(r *replica) {
	for r.changes.first != 0 {
		if change := c.delayed.remove(r, 0, r.changes.first); change.what >= 0 {
			c.components[change.what].release(change.value, arche.Entity{})
		}
	}
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
	r.unspawned = false
	marker := Replicated{Archetype: r.archetype, Owner: owner, ID: r.id}
	var e arche.Entity
	if c.config.Spawn != nil {
		e = c.config.Spawn(c.world, marker, owner == c.welcomed.player)
	} else {
		e = c.world.NewEntity(c.transforms.ID(), arche.ComponentID[components.Visual3D](c.world))
	}
	if r.entity = e; e.IsZero() || !c.world.Alive(e) {
		return
	}
	if !c.transforms.Has(e) {
		if !c.loggedSpawn {
			c.loggedSpawn = true
			c.config.Log.Warn("tandem: Spawn returned an entity without a Transform3D, which the client has added: add it in ClientConfig.Spawn, and a Visual3D for the entity to be seen",
				"archetype", r.archetype, "id", r.id.String())
		}
		c.world.Add(e, c.transforms.ID())
	}
	if !c.replicated.Has(e) {
		c.world.Add(e, c.replicated.ID())
	}
	*c.replicated.Get(e) = marker
	pose := r.born
	if scale := c.transforms.Get(e).Get().Scale; scale != (mgl32.Vec3{}) {
		pose.Scale = scale
	}
	c.transforms.Get(e).Teleport(pose)
}
