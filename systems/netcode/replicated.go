package netcode

import (
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// Replicated marks an entity that clients are shown. On the server, give it to an entity that has a
// Transform3D and set Kind and Owner; on a client the plugin gives it to every replica.
type Replicated struct {
	Archetype uint16   // tells clients what to create; must not change
	Owner     uint16   // the number of the player it belongs to, or 0
	ID        EntityID // its name on the wire, the same on both ends; the plugin sets it
}

// AlwaysRelevant marks an entity on the server that players are shown at any distance: the sun, a
// flag that everybody is after. [Interest] does not hold for it.
type AlwaysRelevant struct{}

// Interpolation chooses how a client draws one replica between snapshots; without it the client's
// default holds. Changing it takes effect at the next fixed step.
type Interpolation struct {
	Kind interp.Kind // the zero value is the best
}
