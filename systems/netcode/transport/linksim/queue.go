package linksim

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/fifo"
)

const (
	// packetBytes is the size of a full packet with all headers: of a flow, and of one moment of a
	// trace.
	packetBytes = 1500
	maxHeader   = 1500
	maxPackets  = 1 << 20
	never       = time.Duration(math.MaxInt64)
)

// validateBottleneck reports by bad which fields of the bottleneck are not valid.
func (c *Condition) validateBottleneck(bad func(format string, args ...any)) {
	for _, n := range []struct {
		name       string
		value, max int
	}{{"rate", c.Rate, math.MaxInt32}, {"queue", c.Queue, math.MaxInt32}, {"a queue in packets", c.Packets, maxPackets}, {"header", c.Header, maxHeader}} {
		if n.value < 0 || n.value > n.max {
			bad("%s is %d: give 0 to %d", n.name, n.value, n.max)
		}
	}
	if err := validTrace(c.Trace); err != nil {
		bad("%w", err)
	}
	if c.Rate > 0 && c.Trace != nil {
		bad("rate and trace are both given: a direction has one bottleneck")
	}
	for _, e := range c.Script {
		switch {
		case e.Kind == Capacity && c.Rate == 0:
			bad("the rate changes at %v without a rate to begin with: give rate=BYTES, too", e.At)
		case e.Kind == Capacity && (e.To < 0 || e.To > math.MaxInt32):
			bad("the rate changes to %d bytes per second: give 0 to %d", e.To, math.MaxInt32)
		case e.Kind == Reno && !c.limited():
			bad("a flow at %v without a bottleneck to share: give rate or trace", e.At)
		}
	}
	if !c.limited() && (c.CoDel || c.Packets > 0) {
		bad("a queue without a bottleneck: give rate or trace")
	}
}

// limited reports whether there is a bottleneck.
func (c *Condition) limited() bool { return c.Rate > 0 || c.Trace != nil }

// bounds returns the capacity of the queue in bytes and packets.
func (c *Condition) bounds() (bytes, packets int) {
	bytes, packets = c.Queue, c.Packets
	if bytes == 0 && packets == 0 {
		switch {
		case c.CoDel:
			packets = 1000
		case c.Rate > 0:
			bytes = max(c.Rate/4, 4096)
		default:
			mean := float64(len(c.Trace)*packetBytes) / c.Trace[len(c.Trace)-1].Seconds()
			bytes = int(max(min(mean/4, math.MaxInt32), 4096))
		}
	}
	return cmp.Or(bytes, math.MaxInt), cmp.Or(packets, math.MaxInt)
}

// waiting is a packet in a queue.
type waiting struct {
	entered time.Duration
	begun   time.Duration // its sending; 0 before that
	size    int           // on the line
	link    *Link         // the link of its datagram; nil for a packet of a flow
	// flow is the packet's flow; nil for a datagram. Both are nil for a packet that is no longer
	// needed.
	flow     *flow
	index    uint64
	datagram []byte // a buffer of the link's
}

// queue is the queue in front of a bottleneck. Packets wait, leave as the capacity permits, and are
// dropped. It is a chain of events on virtual time, which run when time advances.
type queue struct {
	condition *Condition
	owner     *Link // the condition is this link's
	capacity  capacity
	codel     codel
	flows     []*flow

	packets fifo.Ring[waiting] // the first of them is being sent, if sending
	bytes   int
	sending bool
	at      time.Duration // when the first packet's sending ends or begins; never if empty
	now     time.Duration
}

func newQueue(l *Link) *queue {
	q := &queue{owner: l, condition: &l.condition, at: never}
	q.set()
	return q
}

// set takes over the owner's changed condition. A flow that continues is left as it is.
func (q *queue) set() {
	q.capacity.set(q.condition, q.now)
	var flows []*flow
	for _, e := range q.condition.Script {
		if e.Kind != Reno {
			continue
		}
		f := newFlow(e.At, e.At+e.By)
		for _, old := range q.flows {
			if old.from == f.from && old.until == f.until {
				f = old
			}
		}
		flows = append(flows, f)
	}
	q.flows = flows
	if q.packets.Len() > 0 { // the first packet is sent anew, at the present capacity
		q.sending, q.at = false, q.capacity.begin(q.now, true)
	}
}

// push appends a packet at the present time, or returns false if there is no room. A packet is
// always accepted if the queue is empty.
func (q *queue) push(p waiting) bool {
	bytes, packets := q.condition.bounds()
	if n := q.packets.Len(); n > 0 && (n+1 > packets || q.bytes+p.size > bytes) {
		return false
	}
	p.entered = q.now
	*q.packets.Push() = p
	q.bytes += p.size
	if q.packets.Len() == 1 {
		q.sending, q.at = false, q.capacity.begin(q.now, false)
	}
	return true
}

// advance runs all events that are due by the time.
func (q *queue) advance(now time.Duration) {
	for {
		var next *flow
		at := q.at
		for _, f := range q.flows {
			if t := f.next(); t < at {
				at, next = t, f
			}
		}
		if at > now {
			break
		}
		q.now = max(q.now, at)
		switch {
		case next != nil:
			next.event(q)
		case q.sending:
			q.leave()
		default:
			q.begin()
		}
	}
	q.now = max(q.now, now)
}

// begin sends the first packet, or drops packets as CoDel decides.
func (q *queue) begin() {
	if q.condition.CoDel {
		q.codel.pick(q)
	}
	if q.packets.Len() == 0 {
		q.at = never
		return
	}
	q.packets.At(0).begun = q.now
	q.sending, q.at = true, q.capacity.finish(q.now, q.packets.At(0).size)
}

// leave removes the packet that has been sent, and passes it on.
func (q *queue) leave() {
	p := q.pop()
	if q.sending, q.at = false, never; q.packets.Len() > 0 {
		q.at = q.capacity.begin(q.now, true)
	} else {
		q.codel.firstAbove = 0
	}
	switch {
	case p.link != nil:
		p.link.queued--
		p.link.pass(p, q.now)
	case p.flow != nil:
		delay, _ := q.condition.delayAt(q.now)
		p.flow.delivered(p, q.now+2*delay)
	}
}

// drop removes the first packet from the queue as lost.
func (q *queue) drop() {
	if p := q.pop(); p.link != nil {
		p.link.queued--
		p.link.drop(p, q.now)
	}
}

func (q *queue) pop() waiting {
	p := q.packets.Pop()
	q.bytes -= p.size
	return *p
}

// validTrace returns an error if the moments are no trace.
func validTrace(trace []time.Duration) error {
	if trace == nil {
		return nil
	}
	if n := len(trace); n == 0 || n > maxPackets || trace[n-1] <= 0 || trace[n-1] > maxTime {
		return fmt.Errorf("a trace of %d moments: give 1 to %d, of which the last is above 0 and at most %v", n, maxPackets, maxTime)
	}
	for i, at := range trace {
		if at < 0 || i > 0 && at < trace[i-1] {
			return fmt.Errorf("moment %d of the trace is %v: give times from 0 on, none before the one in front of it", i+1, at)
		}
	}
	return nil
}
