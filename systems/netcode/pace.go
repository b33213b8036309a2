package netcode

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// overhead is how many bytes are added to a packet of the session: the headers of IPv4, UDP and
// DTLS, and the byte of the datagram's kind.
const overhead = 66 + 1

// longestPacket is how long a packet may occupy the path, at the measured rate of the path.
// Everything behind it waits as long.
const longestPacket = 47 * time.Millisecond

// leastWhole is the least number of rounds per second that a client's views wait for. With fewer
// rounds, far entities are drawn from older states.
const leastWhole = 8

// pace keeps one end to the rate that its [congestion.Controller] has found. As long as that rate
// is the ceiling, pace limits nothing.
type pace struct {
	control *congestion.Controller
	bucket  bucket.Paced
	limited bool
}

// newPace returns a pace for an end that sends at most these bytes in these packets per second.
func newPace(bytes, packets int) pace {
	return pace{control: congestion.New(bytes + packets*overhead)}
}

// room returns how many bytes the next packet may have, from least to mtu. It returns 0 while it is
// too early for the wanted bytes. So a large packet waits until it is worth its overhead.
func (p *pace) room(now time.Duration, least, mtu, wanted int) int {
	rate := p.control.Rate(now)
	if p.limited = p.control.Limited(now); !p.limited {
		return mtu
	}
	most := min(max(int(p.control.Settled(now)*longestPacket.Seconds())-overhead, least), mtu)
	p.bucket.SetRate(rate, float64(2*(most+overhead)))
	if p.bucket.Allowance(now) < min(most, wanted)+overhead {
		return 0
	}
	return most
}

// spend counts a packet that was sent.
func (p *pace) spend(bytes int) {
	if p.limited {
		p.bucket.Spend(float64(bytes + overhead))
	}
}

// rounds measures how long a path of a limited rate takes until all changed entities have been
// sent.
type rounds struct {
	last    uint64  // tick in which packets were sent
	gap     float64 // ticks between two of them, smoothed
	share   float64 // of changed entities that were sent, smoothed
	records int     // in the tick
	waiting int
}

// packet counts the contents of a packet.
func (r *rounds) packet(sent snapshot.Result) {
	r.records += sent.Records
	r.waiting = sent.Waiting
}

// tick ends a tick in which at least one packet was sent.
func (r *rounds) tick(tick uint64) {
	gap := float64(min(tick-r.last, 60))
	share := 1.0
	if all := r.records + r.waiting; all > 0 {
		share = max(float64(r.records)/float64(all), 0.01)
	}
	if r.gap == 0 {
		r.gap, r.share = gap, share
	}
	r.gap += (gap - r.gap) / 16
	r.share += (share - r.share) / 16
	r.last, r.records, r.waiting = tick, 0, 0
}

// ticks returns the length of a round in ticks.
func (r *rounds) ticks() float64 { return r.gap / r.share }
