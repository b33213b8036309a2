package systems

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
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
		if !l.parent.IsZero() && !h.world.Alive(l.parent) {
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

// rememberParents keeps the logical world poses of parents at hand for the time when they are gone.
func (h *Hierarchy) rememberParents() {
	if h.keepOrphans {
		h.logical.resize(len(h.family.order().nodes))
		h.remember(&h.logical, h.family.order(), h.logicalLocal)
	}
}

// remember renews the world poses of all living parents.
func (h *Hierarchy) remember(p *poses, o *order, local func(arche.Entity) *components.Pose3D) {
	for k := range o.nodes { // parents come first
		if n := &o.nodes[k]; n.end > int32(k)+1 && h.world.Alive(n.entity) {
			p.local[k].set(local(n.entity))
			p.compose(o.nodes, int32(k), int32(k)+1)
		}
	}
}

// orphan cuts a child loose from a parent that is gone, where it is in the world.
func (h *Hierarchy) orphan(child, parent arche.Entity) {
	(*components.Parent)(h.world.Get(child, h.ids.parent)).Entity = arche.Entity{}
	logical, visual := poseOf(h.lastLogical(parent)), poseOf(h.lastVisual(parent))
	h.moveFrame(child, frames{
		logical: func(p components.Pose3D) components.Pose3D { return logical.Mul(p) },
		drawn:   func(p components.Pose3D) components.Pose3D { return visual.Mul(p) },
	})
}
