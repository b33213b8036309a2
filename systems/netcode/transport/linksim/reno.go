package linksim

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/fifo"
)

// flow is another program's download: a sender that always has something to send, and the
// acknowledgements that return to it. Its window follows Reno (RFC 5681): slow start from 10
// packets, then one packet more per round trip, and half of it after a loss. A loss is detected by
// the third acknowledgement behind it, or if nothing arrives for the time-out of RFC 6298, after
// which the flow begins anew with one packet. A lost packet makes room for the next one at once
// (RFC 6675), so that several losses in a window halve it once and do not cost a round trip each.
type flow struct {
	from, until time.Duration
	started     bool

	window    float64 // packets
	threshold float64 // of slow start
	sent      uint64  // packets so far; the next one's number
	underWay  int     // sent, and neither acknowledged nor known to be lost
	epoch     uint64  // packets below it were given up by a time-out
	recovery  uint64  // packets below it were sent before the window was halved
	known     uint64  // packets below it are acknowledged or known to be lost
	acks      fifo.Ring[ack]
	newest    [2]uint64 // numbers of the last two packets acknowledged, the older one first, plus 1

	smoothed, deviation time.Duration // of the round trip
	timeout, deadline   time.Duration
}

// ack is an acknowledgement on its way back.
type ack struct {
	at, entered time.Duration
	number      uint64
}

const (
	firstWindow  = 10
	firstTimeout = time.Second // also the least
	maxTimeout   = time.Minute
)

func newFlow(from, until time.Duration) *flow {
	return &flow{from: from, until: until, window: firstWindow, threshold: maxInFlight, timeout: firstTimeout}
}

// next returns when the flow's next own event is due.
func (f *flow) next() time.Duration {
	switch {
	case !f.started:
		return f.from
	case f.acks.Len() > 0:
		return min(f.acks.At(0).at, f.deadline)
	case f.underWay > 0:
		return f.deadline
	}
	return never
}

// event runs the event that is due.
func (f *flow) event(q *queue) {
	switch {
	case !f.started:
		f.started = true
		f.deadline = q.now + f.timeout
	case f.acks.Len() > 0 && f.acks.At(0).at <= q.now:
		f.acknowledged(*f.acks.Pop(), q.now)
	default:
		f.giveUp(q.now)
	}
	for q.now < f.until && float64(f.underWay) < f.window {
		q.push(waiting{size: packetBytes, flow: f, index: f.sent})
		f.sent++
		f.underWay++
	}
}

// delivered notes that a packet has passed, whose acknowledgement arrives at the time.
func (f *flow) delivered(p waiting, at time.Duration) {
	if n := f.acks.Len(); n > 0 {
		at = max(at, f.acks.At(n-1).at) // on a path that has become shorter
	}
	*f.acks.Push() = ack{at, p.entered, p.index}
}

// acknowledged handles an acknowledgement.
func (f *flow) acknowledged(a ack, now time.Duration) {
	if a.number < f.epoch {
		return
	}
	f.measure(now - a.entered)
	f.deadline = now + f.timeout
	f.underWay--
	if a.number >= f.recovery {
		if f.window < f.threshold {
			f.window++
		} else {
			f.window += 1 / f.window
		}
		f.window = min(f.window, maxInFlight)
	}
	// Packets pass in order. The acknowledgement two before this one is the first behind the
	// missing packets. The packets between the last known one and that one are lost.
	third := f.newest[0]
	f.newest = [2]uint64{f.newest[1], a.number + 1}
	if third <= f.known {
		return
	}
	lost := int(third - 1 - f.known)
	f.known = third
	f.underWay -= lost
	if lost > 0 && third-2 >= f.recovery {
		f.threshold = max(f.window/2, 2)
		f.window, f.recovery = f.threshold, f.sent
	}
}

// measure includes a round trip in the time-out.
func (f *flow) measure(trip time.Duration) {
	if f.smoothed == 0 {
		f.smoothed, f.deviation = trip, trip/2
	} else {
		f.deviation += ((f.smoothed - trip).Abs() - f.deviation) / 4
		f.smoothed += (trip - f.smoothed) / 8
	}
	f.timeout = min(max(f.smoothed+4*f.deviation, firstTimeout), maxTimeout)
}

// giveUp counts everything under way as lost and begins anew.
func (f *flow) giveUp(now time.Duration) {
	f.threshold = max(f.window/2, 2)
	f.window, f.underWay = 1, 0
	f.epoch, f.recovery, f.known, f.newest = f.sent, f.sent, f.sent, [2]uint64{f.sent, f.sent}
	f.timeout = min(2*f.timeout, maxTimeout)
	f.deadline = now + f.timeout
}
