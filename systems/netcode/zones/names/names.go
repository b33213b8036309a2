// Package names gives the entities of a world names that are the same on all of its servers.
// Clients need no more of package zones than this:
//
//	protocol := ...            // the game's own
//	names.Replicate(protocol)  // on both ends
//	config.DialAt = dial       // a client's way to a server that another one has named
//
// A client then keeps the entity, the way and the picture of whatever two servers show, when it
// moves from one to the other.
package names

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// ID names an entity in the whole world, for ever. A zone gives one to each replicated entity. The
// game reads it and never writes it.
type ID struct{ Name custody.Name }

// Replicate makes a protocol send the names. Call it once, on both ends, in the same order as
// netcode.ReplicateComponent.
func Replicate[S any, I comparable](p *netcode.Protocol[S, I]) {
	netcode.ReplicateName(p, func(w *arche.World, e arche.Entity) uint64 {
		id := arche.ComponentID[ID](w)
		if !w.Has(e, id) {
			return 0
		}
		return uint64((*ID)(w.Get(e, id)).Name)
	})
}
