package seat

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Link is a simulated path as flags and keys describe it. The zero value is perfect.
type Link struct {
	Latency time.Duration // of the round trip
	Jitter  time.Duration // of the round trip, either way
	Loss    float64       // in each direction, 0 to 1
	Burst   bool          // losses come in bursts, with the same share in the long run
	Ordered bool          // of a stream: what is lost is sent again, and what follows waits for it
	Seed    uint64
}

// burstLength is the mean length of a burst of losses, in datagrams.
const burstLength = 4

// Path returns the condition of both directions, which share latency and jitter evenly.
func (l Link) Path() linksim.Path {
	c := linksim.Condition{Delay: l.Latency / 2, Jitter: l.Jitter / 2, Loss: l.Loss, Ordered: l.Ordered, Seed: l.Seed}
	if l.Burst && l.Loss > 0 {
		c.Loss = 0
		// In the long run the bad state's share is Enter/(Enter+Leave).
		leave := 1.0 / burstLength
		c.Burst = linksim.Burst{Enter: min(leave*l.Loss/max(1-l.Loss, 1e-9), 1), Leave: leave, BadLoss: 1}
	}
	return linksim.Symmetric(c)
}
