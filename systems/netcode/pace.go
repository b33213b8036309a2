package netcode

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// overhead is the number of bytes that the way of a datagram adds to a packet of the session:
// IPv4, UDP and DTLS, and the byte that says what it is.
const overhead = 66 + 1

// longestPacket is how long a packet may take on the line, at the rate that the line is known to
// carry: everything behind it waits so long.
const longestPacket = 50 * time.Millisecond

// leastWhole is how many rounds a second the views of a client wait for, at least: where they take
// longer, what is far away is drawn from older states.
const leastWhole = 8

// pace keeps what one end sends to the rate that its [congestion.Controller] has found. As long as
// that is the ceiling, it limits nothing.
type pace struct {
	control *congestion.Controller
	bucket  bucket.Paced
	limited bool
}

// newPace returns a pace for an end that sends at most so many bytes of packets in so many
// packets, each second.
func newPace(bytes, packets int) pace {
	return pace{control: congestion.New(congestion.Config{Ceiling: bytes + packets*overhead})}
}

// room returns how many bytes the next packet may have, at least least and at most mtu; 0: it is
// too early for as many bytes as are wanted. A packet that is wanted as large as may be comes as
// seldom as is worth its overhead.
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

// spend takes a packet that was sent.
func (p *pace) spend(bytes int) {
	if p.limited {
		p.bucket.Spend(float64(bytes + overhead))
	}
}

// rounds measures how long it takes until all that has something to say has had its turn, in a
// stream that is thinned.
type rounds struct {
	last    uint64  // tick in which packets were sent
	gap     float64 // ticks between two such, smoothed
	share   float64 // of what had something to say that was sent, smoothed
	records int     // in the tick
	waiting int
}

// packet takes what a packet held.
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

// ticks returns how many a round takes.
func (r *rounds) ticks() float64 { return r.gap / r.share }
