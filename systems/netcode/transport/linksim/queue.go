package linksim

import (
	"fmt"
	"math"
	"time"
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
	if bytes == 0 {
		bytes = math.MaxInt
	}
	if packets == 0 {
		packets = math.MaxInt
	}
	return bytes, packets
}

// waiting is a packet in a queue.
type waiting struct {
	entered time.Duration
	begun   time.Duration // its sending; 0 before that
	size    int           // on the line
	link    *Link         // the link of its datagram; nil for a packet of a flow
	// flow is the packet's flow; nil for a datagram. Both are nil for a packet that is no longer
	// needed.
	flow  *flow
	index uint64
	slot  int32 // of the datagram in the link's store
}

// queue is the queue in front of a bottleneck. Packets wait, leave as the capacity permits, and are
// dropped. It is a chain of events on virtual time, which run when time advances.
type queue struct {
	condition *Condition
	owner     *Link // the condition is this link's
	capacity  capacity
	codel     codel
	flows     []*flow

	packets ring[waiting] // the first of them is being sent, if sending
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
	if q.packets.len() > 0 { // the first packet is sent anew, at the present capacity
		q.sending, q.at = false, q.capacity.begin(q.now, true)
	}
}

// push appends a packet at the present time, or returns false if there is no room. A packet is
// always accepted if the queue is empty.
func (q *queue) push(p waiting) bool {
	bytes, packets := q.condition.bounds()
	if n := q.packets.len(); n > 0 && (n+1 > packets || q.bytes+p.size > bytes) {
		return false
	}
	p.entered = q.now
	q.packets.push(p)
	q.bytes += p.size
	if q.packets.len() == 1 {
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
	if q.packets.len() == 0 {
		q.at = never
		return
	}
	q.packets.first().begun = q.now
	q.sending, q.at = true, q.capacity.finish(q.now, q.packets.first().size)
}

// leave removes the packet that has been sent, and passes it on.
func (q *queue) leave() {
	p := q.pop()
	if q.sending, q.at = false, never; q.packets.len() > 0 {
		q.at = q.capacity.begin(q.now, true)
	} else {
		q.codel.firstAbove = 0
	}
	switch {
	case p.link != nil:
		p.link.leave(p, q.now)
	case p.flow != nil:
		delay, _ := q.condition.delayAt(q.now)
		p.flow.delivered(p, q.now+2*delay)
	}
}

// drop removes the first packet from the queue as lost.
func (q *queue) drop() {
	if p := q.pop(); p.link != nil {
		p.link.drop(p, q.now)
	}
}

func (q *queue) pop() waiting {
	p := q.packets.pop()
	q.bytes -= p.size
	return p
}

// each calls f for every datagram of the link that is in the queue, in its order.
func (q *queue) each(l *Link, f func(p *waiting)) {
	for i := range q.packets.len() {
		if p := q.packets.at(i); p.link == l {
			f(p)
		}
	}
}

// ring is a first-in, first-out list that allocates nothing once it has reached its greatest
// length.
type ring[T any] struct {
	items []T // a power of two of them
	head  int
	n     int
}

func (r *ring[T]) len() int    { return r.n }
func (r *ring[T]) first() *T   { return r.at(0) }
func (r *ring[T]) at(i int) *T { return &r.items[(r.head+i)&(len(r.items)-1)] }

func (r *ring[T]) push(v T) {
	if r.n == len(r.items) {
		larger := make([]T, max(2*r.n, 16))
		for i := range r.n {
			larger[i] = *r.at(i)
		}
		r.items, r.head = larger, 0
	}
	r.n++
	*r.at(r.n - 1) = v
}

func (r *ring[T]) pop() T {
	v := *r.first()
	r.head = (r.head + 1) & (len(r.items) - 1)
	r.n--
	return v
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
