package systems

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"
)

// sweep finds changes of the family: the subtrees of despawned parents go, or become orphans, and the order is made anew.
func (h *Hierarchy) sweep() {
	if h.family.unchanged(h.world) {
		h.rememberParents()
		return
	}
	links := h.family.links(h.world)
	var dead []link
	for _, l := range links {
		if !l.parent.IsZero() && !h.living.Alive(l.parent) {
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
		links = h.family.links(h.world)
	}
	h.report(h.family.rebuild(h.world, links))
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
