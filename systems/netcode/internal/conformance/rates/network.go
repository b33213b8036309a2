package rates

import (
	"math/rand/v2"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Network is a condition of the path between a client and the server, the same in both directions.
type Network struct {
	Name, Text string
	Path       linksim.Condition // one way
	// length of outages in which all is lost, one about every four seconds; zero: none
	Outage time.Duration
}

// Networks returns the networks of docs/tuning.md.
func Networks() []Network {
	const ms = time.Millisecond
	return []Network{
		{"LAN", "2 ms round trip, nothing lost", linksim.Condition{Delay: ms, Jitter: ms / 2}, 0},
		{"Home", "50 ms ± 10 % round trip, 1 % lost", linksim.Condition{Delay: 25 * ms, Jitter: 5 * ms / 2, Loss: 0.01}, 0},
		{"Seeds", "200 ms ± 10 % round trip, 15 % lost, the condition of the articles", linksim.Condition{Delay: 100 * ms, Jitter: 10 * ms, Loss: 0.15}, 0},
		{"Mobile", "120 ms ± 25 % round trip, 1 % lost, and every four seconds or so all of a tenth of a second",
			linksim.Condition{Delay: 60 * ms, Jitter: 15 * ms, Loss: 0.01}, 100 * ms},
	}
}

// path draws the seeds and the outages of one client's path. Outages apply to both directions at
// once. Their length does not depend on the traffic.
func (n *Network) path(rng *rand.Rand, length time.Duration) linksim.Path {
	c := n.Path
	if n.Outage > 0 {
		for at := time.Duration(0); at < length; {
			at += 2*time.Second + time.Duration(rng.Int64N(int64(4*time.Second)))
			c.Script = append(c.Script, linksim.Event{Kind: linksim.Cut, At: at, By: n.Outage})
		}
	}
	p := linksim.Symmetric(c)
	p.Send.Seed, p.Receive.Seed = rng.Uint64(), rng.Uint64()
	return p
}
