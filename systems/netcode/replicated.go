package netcode

import (
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// Replicated marks an entity that is replicated to clients. On the server, add it to an entity with
// a Transform3D and set Archetype and Owner. On a client the plugin adds it to every replica.
//
// A replica has the parent that its entity has on the server. If that is not replicated, the pose
// is sent in the frame of the nearest ancestor that is, or in the world.
type Replicated struct {
	Archetype uint16   // selects what clients create; must not change
	Owner     uint16   // the number of the player it belongs to, or 0
	ID        EntityID // its name on the wire, the same on both ends; the plugin sets it
}

// AlwaysRelevant marks an entity on the server that all players are shown at any distance, with any
// [Interest]: the sun, a flag that all teams want.
type AlwaysRelevant struct{}

// Interpolation sets how a client draws one replica between snapshots. Without it the replica has
// the client's default. A change takes effect at the next fixed step.
type Interpolation struct {
	Kind interp.Kind // the zero value selects the best one
}
