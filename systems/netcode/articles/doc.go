package articles

import "github.com/tandem-ecs/tandem/systems/netcode/internal/tick"

// Tick numbers a step of the server. It is netcode.Tick.
type Tick = tick.Tick
