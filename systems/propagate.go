package systems

import (
	"fmt"
	"math/bits"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// sweep finds changes of the family: the subtrees of despawned parents go, or become orphans, and the order is made anew.
func (h *Hierarchy) sweep() {
	if h.family.unchanged(h.world) {
		h.rememberParents()
		return
	}
	links := h.family.links(h.world, nil)
	var dead []link
	for _, l := range links {
		if !h.world.Alive(l.parent) {
			dead = append(dead, l)
		}
	}
	if len(dead) > 0 {
		if h.keepOrphans {
			for _, l := range dead {
				h.orphan(l.child, l.parent)
			}
		} else {
			h.removeSubtrees(links, dead)
		}
		links = h.family.links(h.world, links[:0])
	}
	h.report(h.family.rebuild(h.world, links))
	h.listUnsynced()
	h.markAll()
	h.rememberParents()
}

// removeSubtrees removes the children of the dead, and theirs.
func (h *Hierarchy) removeSubtrees(links, doomed []link) {
	children := make(map[arche.Entity][]link, len(links))
	for _, l := range links {
		children[l.parent] = append(children[l.parent], l)
	}
	for len(doomed) > 0 {
		last := len(doomed) - 1
		e := doomed[last].child
		doomed = append(doomed[:last], children[e]...)
		if h.world.Alive(e) {
			h.world.RemoveEntity(e)
		}
	}
}

// report logs the members of cycles once.
func (h *Hierarchy) report(cycles []arche.Entity) {
	fresh := false
	for _, e := range cycles {
		fresh = fresh || !h.family.reported[e]
	}
	if !fresh {
		return
	}
	names := make([]string, len(cycles))
	for k, e := range cycles {
		names[k] = fmt.Sprintf("%d:%d", e.ID(), e.Generation())
		h.family.reported[e] = true
	}
	h.log.Error("tandem: parents form a cycle; its members count as roots until one of them gets another parent", "entities", names)
}

// listUnsynced notes the members whose drawn pose can change without the interpolator's knowledge: those that have no samples.
func (h *Hierarchy) listUnsynced() {
	h.family.unsynced = h.family.unsynced[:0]
	h.expecting = false
	i := h.interpolator()
	for k := range h.family.nodes {
		e := h.family.nodes[k].entity
		if i != nil && h.world.Has(e, i.cols.ids.cur) {
			continue
		}
		h.family.unsynced = append(h.family.unsynced, int32(k))
		h.expecting = h.expecting || i != nil && h.world.Has(e, h.ids.logical) && h.world.Has(e, h.ids.visual)
	}
}

func (h *Hierarchy) markAll() {
	n := len(h.family.nodes)
	for len(h.dirty) < (n+63)/64 {
		h.dirty = append(h.dirty, 0)
	}
	for k := range h.dirty {
		h.dirty[k] = ^uint64(0)
	}
	if rest := n % 64; rest != 0 {
		h.dirty[n/64] = 1<<rest - 1
	}
	for k := (n + 63) / 64; k < len(h.dirty); k++ {
		h.dirty[k] = 0
	}
}

func (h *Hierarchy) markMoved(e arche.Entity) {
	if k := h.family.index(e); k >= 0 {
		h.dirty[k/64] |= 1 << (k % 64)
	}
}

// propagate makes the visual world poses of this frame: one pass over the subtrees in which something has moved.
func (h *Hierarchy) propagate() {
	nodes, w := h.family.nodes, &h.visual
	if i := h.interpolator(); i != nil {
		if !i.watched { // installed since: what it did before is not known
			i.watched = true
			h.listUnsynced()
			h.markAll()
		} else if i.movedOut != h.movedOut || h.expecting && i.settled != h.settled {
			h.listUnsynced()
		}
		h.movedOut, h.settled = i.movedOut, i.settled
		if len(nodes) > 0 {
			i.eachMoved(h.mark)
		} else {
			i.touched = i.touched[:0]
		}
	}
	for _, k := range h.family.unsynced {
		e := nodes[k].entity
		if !h.world.Alive(e) {
			continue
		}
		if local := h.visualLocal(e); int(e.ID()) >= len(w.cache) || w.cache[e.ID()].entity != e || !sameBits(&w.cache[e.ID()].local, &local) {
			h.dirty[k/64] |= 1 << (k % 64)
		}
	}
	done := int32(0) // all before it is up to date
	for word := range h.dirty {
		for set := h.dirty[word]; set != 0; set &= set - 1 {
			k := int32(word*64 + bits.TrailingZeros64(set))
			done = max(done, k)
			for end := nodes[k].end; done < end; done++ {
				h.propagateNode(done)
			}
		}
		h.dirty[word] = 0
	}
}

func (h *Hierarchy) propagateNode(k int32) {
	n, w := &h.family.nodes[k], &h.visual
	if !h.world.Alive(n.entity) { // since the sweep, by somebody's system in between
		return
	}
	w.grow(n.entity.ID())
	c := &w.cache[n.entity.ID()]
	// A node that only its ancestors move keeps the local pose that it had.
	local := c.local
	if h.dirty[k/64]&(1<<(k%64)) != 0 || c.entity != n.entity {
		local = h.visualLocal(n.entity)
	}
	w.renew(n.entity, n.parent, local)
}

// rememberParents keeps the logical world poses of parents at hand for the time when they are gone.
func (h *Hierarchy) rememberParents() {
	if h.keepOrphans {
		h.remember(&h.logical)
	}
}

// remember renews the world poses of all living parents.
func (h *Hierarchy) remember(w *worlds) {
	for k := range h.family.nodes { // parents come first
		if n := &h.family.nodes[k]; n.end > int32(k)+1 && h.world.Alive(n.entity) {
			w.grow(n.entity.ID())
			w.renew(n.entity, n.parent, w.local(n.entity))
		}
	}
}

// orphan cuts a child loose from a parent that is gone, where it is in the world.
func (h *Hierarchy) orphan(child, parent arche.Entity) {
	(*components.Parent)(h.world.Get(child, h.ids.parent)).Entity = arche.Entity{}
	logical, visual := h.lastKnown(&h.logical, parent), h.lastKnown(&h.visual, parent)
	h.moveFrame(child, frames{
		logical: func(p components.Pose3D) components.Pose3D { return logical.Mul(p) },
		drawn:   func(p components.Pose3D) components.Pose3D { return visual.Mul(p) },
	})
}

func (h *Hierarchy) lastKnown(w *worlds, e arche.Entity) components.Pose3D {
	if w.knows(e) {
		return poseOf(&w.cache[e.ID()].world)
	}
	return components.Identity3D()
}
