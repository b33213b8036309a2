package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// What comes of a replica that is seen in the past is of a moment that its picture has not come to:
// it is kept until then, as its poses are, so that a door opens in front of who is seen to open it
// and a rocket appears at the muzzle when it is fired. It holds in the step in which the picture
// comes there, before any pose of that step is written. What is drawn in the present has it when it
// comes.

// maxHeld is how much may be kept of all replicas together. Of whom more comes than that, all holds
// at once: early, but in order.
const maxHeld = 1 << 14

// delayedComponents is a piece of news that is kept. Those of one replica are a list in the order in which they
// came.
type delayedComponents struct {
	at    time.Duration // in the server's time: it holds when the picture has come there
	what  int32         // which mirror it is for, or one of the below
	value int32         // where that keeps it, or the owner
	next  int32         // of the list; 0: none
}

const (
	heldBirth = -1 - iota // it is there
	heldOwner             // it has another owner
)

// delayedValues keeps the news of all replicas.
type delayedValues struct {
	all  []delayedComponents // the first one is nobody's
	free int32               // the first of the list of those that are free
	n    int                 // that are not
}

// delayedChanges is what is kept of one replica, by the numbers of the first and the last; 0: none.
type delayedChanges struct{ first, last int32 }

// of returns news of the same moment, of something.
func (h delayedComponents) of(what, value int32) delayedComponents {
	h.what, h.value = what, value
	return h
}

// after returns which of a replica's news comes after another one of them, or after 0 as the first;
// 0: none.
func (h *delayedValues) after(r *replica, i int32) int32 {
	if i == 0 {
		return r.changes.first
	}
	return h.all[i].next
}

// hold puts a piece of news behind those that are kept of a replica.
func (h *delayedValues) hold(r *replica, news delayedComponents) { h.put(r, r.changes.last, news) }

// put puts a piece of news after another one of a replica's, or after 0 as the first, and returns
// its number.
func (h *delayedValues) put(r *replica, after int32, news delayedComponents) int32 {
	if len(h.all) == 0 {
		h.all = append(h.all, delayedComponents{})
	}
	news.next = h.after(r, after)
	i := h.free
	if i != 0 {
		h.free = h.all[i].next
		h.all[i] = news
	} else {
		i = int32(len(h.all))
		h.all = append(h.all, news)
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

// take takes out one of a replica's news, which comes after another one of them, or after 0 as the
// first, and returns it.
func (h *delayedValues) take(r *replica, after, i int32) delayedComponents {
	news := h.all[i]
	if after == 0 {
		r.changes.first = news.next
	} else {
		h.all[after].next = news.next
	}
	if r.changes.last == i {
		r.changes.last = after
	}
	h.all[i] = delayedComponents{next: h.free}
	h.free = i
	h.n--
	return news
}

// saysAfter reports whether any of a replica's news behind one of them is about the same thing.
func (h *delayedValues) saysAfter(r *replica, i, what int32) bool {
	for i = h.after(r, i); i != 0; i = h.after(r, i) {
		if h.all[i].what == what {
			return true
		}
	}
	return false
}

// note takes in what a record of a moment says of a replica beside where it is.
func (c *Client[S, I]) delay(r *replica, ch *snapshot.Change, at time.Duration) {
	if ch.Late {
		c.delayLate(r, ch, at)
		return
	}
	at = max(at, r.changedAt)
	r.changedAt = at
	full := c.delayed.n >= maxHeld
	news := delayedComponents{at: at}
	if ch.Op == snapshot.Spawned {
		c.delayed.hold(r, news.of(heldBirth, int32(ch.Owner)))
	} else if ch.Owner != r.owner {
		c.delayed.hold(r, news.of(heldOwner, int32(ch.Owner)))
	}
	r.owner, r.parent = ch.Owner, ch.Parent
	for i, m := range c.mirrors {
		if !m.tells(ch) {
			continue
		}
		if value := m.keep(c.decoder, ch); m.early() && !r.coming {
			m.give(value, r.entity)
		} else {
			c.delayed.hold(r, news.of(int32(i), value))
		}
	}
	if full || at <= c.viewTime || !c.lags(r) {
		c.applyAllDue(r)
	}
}

// delayLate takes in a record that a newer one has overtaken. What it says of a component holds from
// its moment on, up to the next news of that component. If the newer records were silent about the
// component, the newest of them ends it: silence means that the component is as the server knows
// the client to have had it, not as an overtaken record says.
func (c *Client[S, I]) delayLate(r *replica, ch *snapshot.Change, at time.Duration) {
	if r.changes.first == 0 || at < r.holds || c.delayed.n >= maxHeld {
		return
	}
	after := int32(0)
	if r.coming { // it was born earlier than was known
		after = r.changes.first
		birth := &c.delayed.all[after]
		birth.at = min(birth.at, at)
	}
	for next := c.delayed.after(r, after); next != 0 && c.delayed.all[next].at <= at; next = c.delayed.after(r, after) {
		after = next
	}
	news, newest := delayedComponents{at: at}, delayedComponents{at: r.changedAt}
	for i, m := range c.mirrors {
		if !m.tells(ch) || m.early() {
			continue
		}
		after = c.delayed.put(r, after, news.of(int32(i), m.keep(c.decoder, ch)))
		if !c.delayed.saysAfter(r, after, int32(i)) {
			c.delayed.hold(r, newest.of(int32(i), m.keepNewest(c.decoder, r.id)))
		}
	}
}

// reveal lets hold what is due when the picture shows a moment, and all that is kept of those who
// are drawn in the present now.
func (c *Client[S, I]) applyDue(view time.Duration, seen bool) {
	if c.delayed.n == 0 {
		return
	}
	for i := range len(c.replicas) + len(c.delayedDespawns) {
		r := c.childrenOf(i)
		if r.changes.first == 0 {
			continue
		}
		if !c.lags(r) {
			c.applyAllDue(r)
		} else if seen && c.delayed.all[r.changes.first].at <= view {
			c.applyChange(r, view)
		}
	}
}

// applyChange lets hold what is due of a replica.
func (c *Client[S, I]) applyChange(r *replica, view time.Duration) {
	for after, i := int32(0), r.changes.first; i != 0; {
		news := &c.delayed.all[i]
		next := news.next
		if news.at <= view || news.what >= 0 && !r.coming && c.mirrors[news.what].early() {
			c.happen(r, c.delayed.take(r, after, i))
		} else {
			after = i
		}
		i = next
	}
}

// applyAllDue lets hold all that is kept of a replica.
func (c *Client[S, I]) applyAllDue(r *replica) {
	for r.changes.first != 0 {
		c.happen(r, c.delayed.take(r, 0, r.changes.first))
	}
}

// dropChanges lets go what is kept of a replica that is no more.
func (c *Client[S, I]) dropChanges(r *replica) {
	for r.changes.first != 0 {
		if news := c.delayed.take(r, 0, r.changes.first); news.what >= 0 {
			c.mirrors[news.what].give(news.value, arche.Entity{})
		}
	}
}

// happen makes the world what a piece of news says.
func (c *Client[S, I]) happen(r *replica, news delayedComponents) {
	r.holds = max(r.holds, news.at)
	switch {
	case news.what >= 0:
		c.mirrors[news.what].give(news.value, r.entity)
	case news.what == heldBirth:
		c.spawn(r, uint16(news.value))
	case c.world.Alive(r.entity) && c.world.Has(r.entity, c.ids.replicated):
		(*Replicated)(c.world.Get(r.entity, c.ids.replicated)).Owner = uint16(news.value)
	}
}

// there returns a replica with its entity, nil if there is none. If it was to be seen later only it
// is seen from now on: the own player, who is in the present, needs it.
func (c *Client[S, I]) there(id EntityID) *replica {
	r := c.replica(id)
	if r == nil {
		return nil
	}
	if r.coming {
		c.applyAllDue(r)
	}
	if !c.has(r.entity) {
		return nil
	}
	return r
}

// spawn makes a replica's entity.
func (c *Client[S, I]) spawn(r *replica, owner uint16) {
	for i := range c.delayedDespawns { // who was not relevant for a while: one of them is seen at a time
		if old := &c.delayedDespawns[i]; old.id == r.id && old != r {
			c.finish(old)
			*old = replica{}
		}
	}
	r.coming = false
	marker := Replicated{Archetype: r.archetype, Owner: owner, ID: r.id}
	var e arche.Entity
	if c.config.Spawn != nil {
		e = c.config.Spawn(c.world, marker, owner == c.welcomed.player)
	} else {
		e = c.world.NewEntity(c.ids.logical, c.ids.visual)
	}
	if r.entity = e; e.IsZero() || !c.world.Alive(e) {
		return
	}
	if !c.world.Has(e, c.ids.logical) {
		c.world.Add(e, c.ids.logical)
	}
	if !c.world.Has(e, c.ids.replicated) {
		c.world.Add(e, c.ids.replicated)
	}
	*(*Replicated)(c.world.Get(e, c.ids.replicated)) = marker
	pose := r.born
	if scale := c.logical(e).Get().Scale; scale != (mgl32.Vec3{}) {
		pose.Scale = scale
	}
	c.logical(e).Teleport(pose)
}
