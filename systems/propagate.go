package systems

import (
	"math/bits"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// poses are those of the members of a hierarchy, in their order: what a node's world pose is made from stands just before or beside it.
type poses struct {
	local []affine
	world []mgl32.Mat4
}

func (p *poses) resize(n int) {
	if cap(p.local) < n {
		p.local, p.world = make([]affine, n, n+n/4), make([]mgl32.Mat4, n, n+n/4)
	}
	p.local, p.world = p.local[:n], p.world[:n]
}

// compose makes the world poses of a run of nodes, given that those of their parents before it are right.
func (p *poses) compose(nodes []node, from, to int32) {
	nodes, local, world := nodes[:to], p.local[:to], p.world[:to]
	for k := int(from); k < len(nodes) && k < len(local) && k < len(world); k++ {
		if up := int(nodes[k].up); up >= 0 {
			compose(&world[k], &world[up], &local[k])
		} else {
			local[k].to(&world[k])
		}
	}
}

// propagate makes the visual world poses of this frame: one pass over the subtrees in which something has moved.
func (h *Hierarchy) propagate() {
	i := h.interpolator()
	switch {
	case h.family.current != h.family.drawn || i != nil && !i.watched: // or installed since: what it did before is not known
		h.takeAll(i)
	case i != nil && (i.movedOut != h.movedOut || h.expecting && i.settled != h.settled):
		h.listUnsynced(i, nil)
	}
	if i != nil {
		i.watched, h.movedOut, h.settled = true, i.movedOut, i.settled
		if len(h.family.order().nodes) > 0 {
			i.eachMoved(h.tookRows, h.tookOne)
		} else {
			i.touched = i.touched[:0]
		}
	}
	for k := range h.unsynced {
		u := &h.unsynced[k]
		e := h.family.order().nodes[u.at].entity
		if !h.world.Alive(e) { // since the sweep, by somebody's system in between
			continue
		}
		if local := h.visualLocal(e); !sameBits(&u.local, local) {
			u.local = *local
			h.take(u.at, local)
		}
	}
	h.composeDirty()
}

// unsynced is a member whose drawn pose the interpolator does not write: every frame looks whether somebody else has.
type unsynced struct {
	at    int32
	local components.Pose3D
}

// take takes a member's local pose over.
func (h *Hierarchy) take(at int32, local *components.Pose3D) {
	h.visual.local[at].set(local)
	h.dirty[at/64] |= 1 << (at % 64)
}

// takeRows takes over the visual values of some rows of a table, or of all.
func (h *Hierarchy) takeRows(t *table[components.Pose3D], rows []uint32, all bool) {
	if !t.mask.Get(h.family.mark) {
		return // no members
	}
	o := h.family.order()
	if all {
		for r := range t.span {
			if at := o.index(t.span[r].owner); at >= 0 {
				h.take(at, &t.visual[r])
			}
		}
		return
	}
	for _, r := range rows {
		if at := o.index(t.span[r].owner); at >= 0 {
			h.take(at, &t.visual[r])
		}
	}
}

// takeOne takes over the visual value of an entity, if it is a member and alive.
func (h *Hierarchy) takeOne(e arche.Entity) {
	if at := h.family.order().index(e); at >= 0 && h.world.Alive(e) {
		h.take(at, h.visualLocal(e))
	}
}

// takeAll takes over the local poses of all members, in the order that they have now.
func (h *Hierarchy) takeAll(i *Interpolator[components.Pose3D]) {
	type last struct {
		at    int
		local affine
	}
	var dead []last // since the sweep, by somebody's system in between: their children stay with them until the next one
	nodes, before := h.family.order().nodes, &h.family.orders[h.family.drawn]
	for k := range nodes {
		if !h.world.Alive(nodes[k].entity) {
			d := last{k, identity}
			if at := before.index(nodes[k].entity); at >= 0 {
				d.local = h.visual.local[at]
			}
			dead = append(dead, d)
		}
	}
	h.family.drawn = h.family.current
	h.visual.resize(len(nodes))
	h.dirty = zeroed(h.dirty, (len(nodes)+63)/64)
	if i != nil {
		tables := i.cols.collect()
		for k := range tables {
			h.takeRows(&tables[k], nil, true)
		}
	}
	h.listUnsynced(i, h.dirty)
	for _, d := range dead {
		h.visual.local[d.at] = d.local
	}
	for k := range nodes {
		h.dirty[k/64] |= 1 << (k % 64)
	}
}

// listUnsynced notes the members whose drawn pose can change without the interpolator's knowledge, since they have no samples, and takes over the poses that they have now. If there is a set of
// those that were taken over already, it takes over all others.
func (h *Hierarchy) listUnsynced(i *Interpolator[components.Pose3D], taken []uint64) {
	h.unsynced = h.unsynced[:0]
	h.expecting = false
	for k := range h.family.order().nodes {
		e := h.family.order().nodes[k].entity
		if taken != nil && taken[k/64]&(1<<(k%64)) != 0 || !h.world.Alive(e) {
			continue
		}
		synced := i != nil && h.world.HasUnchecked(e, h.ids.sample)
		if synced && taken == nil {
			continue
		}
		local := h.visualLocal(e)
		h.take(int32(k), local)
		if !synced {
			h.unsynced = append(h.unsynced, unsynced{int32(k), *local})
			h.expecting = h.expecting || i != nil && h.world.HasUnchecked(e, h.ids.logical) && h.world.HasUnchecked(e, h.ids.visual)
		}
	}
}

// composeDirty makes the world poses of everybody who was taken over, and of all below them.
func (h *Hierarchy) composeDirty() {
	nodes := h.family.order().nodes
	done := int32(0) // all before it is up to date
	for word, set := range h.dirty {
		for ; set != 0; set &= set - 1 {
			k := int32(word*64 + bits.TrailingZeros64(set))
			if k < done {
				continue
			}
			done = nodes[k].end
			h.visual.compose(nodes, k, done)
		}
	}
	clear(h.dirty)
}
