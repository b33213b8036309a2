package netcode

import "github.com/tandem-ecs/tandem/ecs"

// The places of the netcode's systems in their stages.
const (
	// OrderNetwork comes before the systems of OrderUser. In FixedUpdate a server runs the inputs
	// of the tick, and a client writes what has arrived. In NormalUpdate both read their sockets.
	OrderNetwork = ecs.OrderBegin + 1000
	// OrderReplicate, in FixedEnd: a server collects the changes of the step and sends snapshots.
	// The capture runs after it.
	OrderReplicate = ecs.OrderCapture - 500
)
