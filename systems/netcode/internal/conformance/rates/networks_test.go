package rates

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/match"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// networks returns the networks of docs/tuning.md. Seeds is the condition of the articles.
func networks() []match.Network {
	const ms = time.Millisecond
	return []match.Network{
		{Name: "LAN", Path: linksim.Condition{Delay: ms, Jitter: ms / 2}},
		{Name: "Home", Path: linksim.Condition{Delay: 25 * ms, Jitter: 5 * ms / 2, Loss: 0.01}},
		{Name: "Seeds", Path: linksim.Condition{Delay: 100 * ms, Jitter: 10 * ms, Loss: 0.15}},
		{Name: "Mobile", Path: linksim.Condition{Delay: 60 * ms, Jitter: 15 * ms, Loss: 0.01}, Outage: 100 * ms},
	}
}
