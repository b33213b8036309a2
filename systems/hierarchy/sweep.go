package hierarchy

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/hierarchy/internal/tree"
)

// sweep finds changes of the topology. The subtrees of despawned parents are removed or become
// orphans, and the order is rebuilt.
func (h *Hierarchy[P, M]) sweep() {
	h.follow()
	if h.topology.unchanged(h.world) {
		h.rememberParents()
		return
	}
	links := h.topology.links(h.world)
	var dead []tree.Link
	for _, l := range links {
		if !l.Parent.IsZero() && !h.living.Alive(l.Parent) {
			dead = append(dead, l)
		}
	}
	if len(dead) > 0 {
		if h.KeepOrphans {
			for _, l := range dead {
				h.orphan(l.Child, l.Parent)
			}
		} else {
			h.removeSubtrees(links, dead)
		}
		links = h.topology.links(h.world)
	}
	h.report(h.topology.rebuild(h.world, links))
	h.rememberParents()
}

// removeSubtrees removes the children of dead parents, with their subtrees.
func (h *Hierarchy[P, M]) removeSubtrees(links, doomed []tree.Link) {
	children := make(map[arche.Entity][]tree.Link, len(links))
	for _, l := range links {
		children[l.Parent] = append(children[l.Parent], l)
	}
	for len(doomed) > 0 {
		last := len(doomed) - 1
		e := doomed[last].Child
		doomed = append(doomed[:last], children[e]...)
		if h.world.Alive(e) {
			h.world.RemoveEntity(e)
		}
	}
}

// report logs the members of cycles once.
func (h *Hierarchy[P, M]) report(cycles []arche.Entity) {
	fresh := false
	for _, e := range cycles {
		fresh = fresh || !h.topology.reported[e]
	}
	if !fresh {
		return
	}
	names := make([]string, len(cycles))
	for k, e := range cycles {
		names[k] = fmt.Sprintf("%d:%d", e.ID(), e.Generation())
		h.topology.reported[e] = true
	}
	h.Log.Error("tandem: parents form a cycle; its members count as roots until one of them gets another parent", "entities", names)
}
