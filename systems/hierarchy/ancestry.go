package hierarchy

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/alive"
)

// ancestry walks from entities to their roots, by the parents that they have at the moment.
type ancestry struct {
	world  *arche.World
	parent arche.ID
	living alive.Set      // a Parent may come from a saved game or from another world
	chain  []arche.Entity // of the last walk: an entity and its ancestors
}

// parentOf returns the parent of a living entity, or the zero entity.
func (a *ancestry) parentOf(e arche.Entity) arche.Entity {
	if p := (*components.Parent)(a.world.GetUnchecked(e, a.parent)); p != nil {
		return p.Entity
	}
	return arche.Entity{}
}

// path fills the chain with an entity and its living ancestors, each once. It returns the index
// from which the chain is a cycle, or its length if there is none.
//
// Cycles are found as by Brent (1980): the walk returns to an ancestor that it has noted, and the
// distance of the notes doubles every time.
func (a *ancestry) path(e arche.Entity) (cycleFrom int) {
	a.chain = a.chain[:0]
	var noted arche.Entity
	note := 1 // the chain's length at the next note
	for at := e; (a.living.Known(at) || a.living.Find(at)) && a.world.Alive(at); at = a.parentOf(at) {
		if at == noted {
			notedAt := note/2 - 1
			round := len(a.chain) - notedAt
			for cycleFrom < notedAt && a.chain[cycleFrom] != a.chain[cycleFrom+round] {
				cycleFrom++
			}
			a.chain = a.chain[:cycleFrom+round]
			return cycleFrom
		}
		a.chain = append(a.chain, at)
		if len(a.chain) == note {
			noted, note = at, 2*note
		}
	}
	return len(a.chain)
}

// upward returns the part of the chain up to the first entity that counts as a root, as the members
// of a cycle do. If the next ancestor is dead, it returns that too. The chain is valid
// until the next walk.
func (a *ancestry) upward(e arche.Entity) (chain []arche.Entity, gone arche.Entity) {
	n := a.path(e)
	switch {
	case n < len(a.chain): // a cycle
		return a.chain[:n+1], arche.Entity{}
	case n == 0:
		return nil, e
	default:
		return a.chain, a.parentOf(a.chain[n-1])
	}
}
