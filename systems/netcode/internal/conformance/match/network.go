package match

import (
	"math/rand/v2"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Network is a condition of the path between a client and the server, the same in both directions.
type Network struct {
	Name string
	Path linksim.Condition // one way
	// length of outages in which all is lost, one about every four seconds; zero: none
	Outage time.Duration
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
