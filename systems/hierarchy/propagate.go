package hierarchy

import (
	"math/bits"
	"slices"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// propagate composes the visual world poses of this frame, in one pass over the subtrees in which
// an entity has moved.
func (h *Hierarchy[P, M]) propagate() {
	h.follow()
	switch {
	case h.topology.current != h.topology.drawn || h.fresh:
		// or earlier changes of the interpolator are not known
		h.takeAll()
	case h.feed != nil && len(h.topology.order().Nodes()) > 0:
		h.feed.Deliver()
	case h.feed != nil:
		h.feed.Discard()
	}
	h.fresh = false
	for k := range h.uninterpolated {
		u := &h.uninterpolated[k]
		e := h.topology.order().Nodes()[u.at].Entity()
		if !h.world.Alive(e) { // despawned since the sweep
			continue
		}
		if local := h.visualLocal(e); !column.SameBits(&u.local, local) {
			u.local = *local
			h.take(u.at, local)
		}
	}
	h.composeDirty()
}

// uninterpolated is a member whose visual pose the interpolator does not write. Every frame checks
// whether other code has written it.
type uninterpolated[P any] struct {
	at    int32
	local P
}

// take takes a member's local pose over.
func (h *Hierarchy[P, M]) take(at int32, local *P) {
	h.visual.take(at, local)
	h.dirty[at/64] |= 1 << (at % 64)
}

// takeRows takes over the visual values of rows of a table.
func (h *Hierarchy[P, M]) takeRows(rows *interpolation.Rows[P]) {
	if !rows.Has(h.topology.mark) {
		return // no members
	}
	h.visual.takeRows(h.topology.order(), rows, h.dirty)
}

// takeOne takes over the visual value of an entity, if it is a member and alive.
func (h *Hierarchy[P, M]) takeOne(e arche.Entity) {
	if at := h.topology.order().Index(e); at >= 0 && h.world.Alive(e) {
		h.take(at, h.visualLocal(e))
	}
}

// takeAll takes over the local poses of all members, in the order that they have now.
func (h *Hierarchy[P, M]) takeAll() {
	type last struct {
		at  int32
		put func(at int32)
	}
	// despawned since the sweep; their children stay with them until the next one
	var dead []last
	nodes, before := h.topology.order().Nodes(), &h.topology.orders[h.topology.drawn]
	for k := range nodes {
		if !h.world.Alive(nodes[k].Entity()) {
			d := last{int32(k), func(at int32) { h.visual.take(at, &h.space.identity) }}
			if at := before.Index(nodes[k].Entity()); at >= 0 {
				d.put = h.visual.hold(at)
			}
			dead = append(dead, d)
		}
	}
	h.topology.drawn = h.topology.current
	h.visual.resize(len(nodes))
	h.dirty = zeroed(h.dirty, (len(nodes)+63)/64)
	h.takingAll = true
	if h.feed != nil {
		h.feed.DeliverAll()
	}
	h.takingAll = false
	h.listUninterpolated(h.dirty)
	for _, d := range dead {
		d.put(d.at)
	}
	for k := range nodes {
		h.dirty[k/64] |= 1 << (k % 64)
	}
}

// listUninterpolated lists the members without samples, whose visual pose can change without a
// report by the interpolator, and takes over their present poses. If a set of members that were
// taken over already is given, it takes over all others.
func (h *Hierarchy[P, M]) listUninterpolated(taken []uint64) {
	if h.takingAll {
		return
	}
	i := h.source
	h.uninterpolated = h.uninterpolated[:0]
	h.expecting = false
	for k := range h.topology.order().Nodes() {
		e := h.topology.order().Nodes()[k].Entity()
		if taken != nil && taken[k/64]&(1<<(k%64)) != 0 || !h.world.Alive(e) {
			continue
		}
		synced := i != nil && i.HasSamples(e)
		if synced && taken == nil {
			continue
		}
		local := h.visualLocal(e)
		h.take(int32(k), local)
		if !synced {
			h.uninterpolated = append(h.uninterpolated, uninterpolated[P]{int32(k), *local})
			h.expecting = h.expecting || i != nil && h.world.HasUnchecked(e, h.ids.logical) && h.world.HasUnchecked(e, h.ids.visual)
		}
	}
}

// composeDirty composes the world poses of the members that were taken over, and of their subtrees.
func (h *Hierarchy[P, M]) composeDirty() {
	nodes := h.topology.order().Nodes()
	done := int32(0) // all nodes before it are up to date
	for word, set := range h.dirty {
		for ; set != 0; set &= set - 1 {
			k := int32(word*64 + bits.TrailingZeros64(set))
			if k < done {
				continue
			}
			done = nodes[k].End()
			h.visual.compose(nodes, k, done)
		}
	}
	clear(h.dirty)
}

// zeroed returns n zeros, in the memory of s if that is large enough.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}
