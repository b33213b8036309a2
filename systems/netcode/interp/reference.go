package interp

import "github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"

// These names give the server's clock to programs with a protocol of their own. A client of package
// netcode has its own Reference.
type (
	// Reference estimates the server's clock from pings and their answers.
	Reference = clocksync.Reference
	// Ping is a ping and its answer, by the clocks of both ends.
	Ping = clocksync.Sample
)

// NewReference returns a Reference without pings.
func NewReference() *Reference { return clocksync.NewReference() }
