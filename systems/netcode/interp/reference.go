package interp

import "github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"

// The clock of the views: a program with a protocol of its own needs the server's time to draw by.
// A client of package netcode has one of its own.
type (
	// Reference is this machine's idea of the server's clock, from pings and their answers.
	Reference = clocksync.Reference
	// ReferenceConfig bounds a Reference. The zero value is useful.
	ReferenceConfig = clocksync.ReferenceConfig
	// Ping is a ping and its answer, by the clocks of both ends.
	Ping = clocksync.Sample
)

// NewReference returns a Reference that knows nothing yet, or an error that says what is wrong with
// the configuration.
func NewReference(c ReferenceConfig) (*Reference, error) { return clocksync.NewReference(c) }
