package settings

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Link is the simulated line between a server and a client, equal in both directions: that of scene
// lab, or the one around a player's connection. The zero value is a perfect line.
type Link struct {
	Latency time.Duration // round trip, 0 to MaxLatency
	Jitter  time.Duration // by which round trips vary, up and down, 0 to MaxLineJitter
	Loss    float64       // probability that a datagram is lost, independent of others
	// probability per datagram that a burst of losses begins; a burst has eight datagrams on
	// average
	Burst float64
	// Loss applies in bursts of four datagrams on average
	Bursts    bool
	Duplicate float64 // probability that a datagram arrives twice
	// probability that a datagram is delayed, so that later ones overtake it
	Reorder float64
	// snapshots per second of scene lab, 1 to MaxSendRate; 0 in a player's link, where the server
	// sets it
	SendRate int

	Line    string // name of one of [linksim.Lines], to which the other fields add; empty: none
	Ordered bool   // a stream: lost data is sent again, and later data waits for it
	Seed    uint64
}

// Limits of what flags accept for the link.
const (
	MaxLatency    = 2 * time.Second
	MaxLineJitter = time.Second
	MaxSendRate   = 120
)

// The mean lengths of bursts of losses, in datagrams.
const (
	burstLength  = 8 // of Link.Burst
	burstsLength = 4 // of Link.Bursts
)

// DefaultLink returns the network of the article "Multiplayer Platformer Log #3": 200 ms round
// trip, plus or minus a tenth, and 15 % loss.
func DefaultLink() Link {
	return Link{Latency: 200 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.15, SendRate: 30}
}

// Condition returns one direction of the link, without its line. Each direction has half of the
// latency and of the jitter.
func (l Link) Condition() linksim.Condition {
	c := linksim.Condition{Delay: l.Latency / 2, Jitter: l.Jitter / 2, Loss: l.Loss, Duplicate: l.Duplicate, Reorder: l.Reorder, Ordered: l.Ordered, Seed: l.Seed}
	switch {
	case l.Burst > 0:
		c.Burst = linksim.Burst{Enter: l.Burst, Leave: 1.0 / burstLength, BadLoss: 1}
	case l.Bursts && l.Loss > 0:
		c.Loss = 0
		// The long-term share of the bad state is Enter/(Enter+Leave).
		leave := 1.0 / burstsLength
		c.Burst = linksim.Burst{Enter: min(leave*l.Loss/max(1-l.Loss, 1e-9), 1), Leave: leave, BadLoss: 1}
	}
	return c
}

// Path returns both directions. The line, if there is one, is as the client sees it.
func (l Link) Path() linksim.Path {
	c := l.Condition()
	line, ok := linksim.FindLine(l.Line)
	if !ok {
		return linksim.Symmetric(c)
	}
	p := line.Path(l.Seed)
	for _, d := range []*linksim.Condition{&p.Send, &p.Receive} {
		d.Delay, d.Jitter, d.Loss = d.Delay+c.Delay, d.Jitter+c.Jitter, d.Loss+c.Loss-d.Loss*c.Loss
		d.Burst, d.Ordered = c.Burst, c.Ordered
		d.Duplicate, d.Reorder = max(d.Duplicate, c.Duplicate), max(d.Reorder, c.Reorder)
	}
	return p
}

// BurstLoss returns the long-term share of datagrams lost in the bursts of Burst.
func (l Link) BurstLoss() float64 {
	if l.Burst == 0 {
		return 0
	}
	return l.Burst / (l.Burst + 1.0/burstLength)
}
