package linksim

import (
	"cmp"
	"iter"
	"time"
)

// maxInFlight bounds the datagrams inside a [Link]. Further ones are dropped and counted as
// Dropped.
const maxInFlight = 1 << 14

// maxRetries ends the retransmissions of an ordered direction that loses everything, as TCP does in
// the end.
const maxRetries = 30

// Link is one direction of a simulated path, a pure scheduler: [Link.Push] puts a datagram in,
// [Link.Pop] takes out one that has arrived. It reads no clock. The times given to it are on one
// epoch of the caller's, and a time earlier than the last one counts as the last one. It allocates
// nothing in steady state. A Link is not safe for use by several goroutines.
type Link struct {
	condition Condition
	salt      uint64
	random    streams

	now      time.Duration // the latest time given
	index    uint64        // datagrams pushed, the index of all draws
	retries  uint64        // retransmissions, the index of their draws
	bad      bool          // state of the burst chain
	queue    *queue        // in front of the bottleneck; nil without one
	queued   int           // datagrams of this link in it
	lastTime time.Duration // latest arrival time of all datagrams pushed

	flights  flights
	free     [][]byte // buffers of datagrams that have left the link, to reuse
	borrowed []byte   // the datagram that the last Pop returned, or nil
	stats    Stats
	observe  func(Passage)
}

// Stats counts the datagrams of a [Link] by what happened to them.
type Stats struct {
	Pushed    uint64
	Delivered uint64 // returned by Pop, copies included
	Lost      uint64 // by independent loss
	BurstLost uint64 // by a burst
	CutLost   uint64 // in a scripted cut
	// Dropped is the number lost in the queue in front of the bottleneck, or because maxInFlight
	// was reached.
	Dropped       uint64
	Duplicated    uint64 // copies made
	Reordered     uint64 // held back
	Retransmitted uint64 // transmissions after the first, in an ordered direction
}

// Passage describes the way of one datagram through a link, for measurements.
type Passage struct {
	Number uint64        // of the datagrams pushed into the link, from 0 on
	Sent   time.Duration // when it was pushed
	// Begun is when the bottleneck began to send it. For one that was dropped before that, it is
	// when it was pushed.
	Begun time.Duration
	Left  time.Duration // when it had left the bottleneck, or was dropped
	At    time.Duration // its time of arrival, that of copies excluded; only if it was not lost
	Bytes int           // on the line, with the header
	Lost  bool          // on the way or in the queue
}

// NewLink returns a link in the condition, or the error of [Condition.Validate].
func NewLink(c Condition) (*Link, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return newLink(c, 0), nil
}

// newLink returns a link in a valid condition.
func newLink(c Condition, salt uint64) *Link {
	l := &Link{condition: c, salt: salt, random: newStreams(c.Seed, salt)}
	if c.limited() {
		l.queue = newQueue(l)
	}
	return l
}

// ShareQueue lets the link's datagrams wait in another link's queue, like those of two players
// behind one line. They share its bottleneck, flows included. Of the link's own conditions of the
// bottleneck only its header still counts. Both must be given the times of one clock. ShareQueue
// panics if the other link has no bottleneck, or this one has had datagrams in its own.
func (l *Link) ShareQueue(with *Link) {
	if with.queue == nil || l.queued > 0 {
		panic("linksim: ShareQueue wants a link with a bottleneck, and one to join it that is still empty")
	}
	l.queue = with.queue
}

// Observe calls f for each datagram when it has left the queue in front of the bottleneck or is
// lost; nil ends it. The calls are made while time advances, in the order of [Passage.Left].
func (l *Link) Observe(f func(Passage)) { l.observe = f }

// Condition returns the current condition.
func (l *Link) Condition() Condition { return l.condition }

// SetCondition changes the condition for datagrams pushed from now on. Those in flight arrive as
// planned, and those that wait in front of the bottleneck pass at the new capacity. A condition
// that is not valid is refused with an error and changes nothing.
func (l *Link) SetCondition(c Condition) error {
	if err := c.Validate(); err != nil {
		return err
	}
	l.setCondition(c)
	return nil
}

func (l *Link) setCondition(c Condition) {
	l.condition = c
	l.random = newStreams(c.Seed, l.salt)
	switch q := l.queue; {
	case q != nil && q.owner != l: // the queue is the other link's
	case q == nil && c.limited():
		l.queue = newQueue(l)
	case q != nil && c.limited():
		q.set()
	case q != nil:
		l.hurry()
		l.queue = nil
	}
}

// Push sends a datagram of any size at the time. The bytes are copied. It returns false if the link
// refuses the datagram: with maxInFlight datagrams under way, or in an ordered direction with its
// queue full. It returns true for one that is lost on the way.
func (l *Link) Push(now time.Duration, datagram []byte) bool {
	l.release()
	l.advance(now)
	if l.Len() >= maxInFlight-1 { // room for a copy, too
		l.stats.Dropped++
		return false
	}
	p := waiting{entered: l.now, size: len(datagram) + l.condition.Header, link: l, index: l.index, datagram: l.copyOf(datagram)}
	taken := l.queue == nil || l.queue.push(p)
	if !taken && l.condition.Ordered {
		l.free = append(l.free, p.datagram)
		l.stats.Dropped++
		return false
	}
	l.index++
	l.stats.Pushed++
	switch {
	case l.queue == nil:
		l.pass(p, l.now)
	case taken:
		l.queued++
	default:
		l.drop(p, l.now)
	}
	return true
}

// copyOf returns a copy of the datagram in a buffer that returns to free when it is no longer
// needed.
func (l *Link) copyOf(datagram []byte) []byte {
	var b []byte
	if n := len(l.free); n > 0 {
		b, l.free = l.free[n-1], l.free[:n-1]
	}
	return append(b[:0], datagram...)
}

// advance runs all events that are due by the time.
func (l *Link) advance(now time.Duration) {
	l.now = max(l.now, now)
	if l.queue != nil {
		l.queue.advance(l.now)
	}
}

// drop notes that the queue has no room for a datagram, or has dropped it.
func (l *Link) drop(p waiting, at time.Duration) {
	l.stats.Dropped++
	l.vanish(p, at)
}

// vanish removes a datagram that is lost.
func (l *Link) vanish(p waiting, left time.Duration) {
	l.free = append(l.free, p.datagram)
	l.report(p, Passage{Left: left, Lost: true})
}

// report completes the passage of a datagram and passes it to the observer.
func (l *Link) report(p waiting, way Passage) {
	if l.observe != nil {
		way.Number, way.Sent, way.Begun, way.Bytes = p.index, p.entered, max(p.begun, p.entered), p.size
		l.observe(way)
	}
}

// pass sends a datagram along the path behind the bottleneck.
func (l *Link) pass(p waiting, sent time.Duration) {
	c, i := &l.condition, p.index
	delay, cut := c.delayAt(sent)
	lost := l.lost(i, cut, lossDraw)
	if lost != nil {
		*lost++
	}
	at, again := sent, never
	switch {
	case c.Ordered:
		at = l.arriveOrdered(i, sent, delay, lost != nil)
	case lost != nil:
		l.vanish(p, sent)
		return
	default:
		at += max(0, delay+l.jitter(jitterDraw, i))
		if l.random.draw(reorderDraw, i) < c.Reorder {
			l.stats.Reordered++
			at += cmp.Or(c.ReorderBy, 50*time.Millisecond)
		}
		if l.random.draw(duplicateDraw, i) < c.Duplicate {
			l.stats.Duplicated++
			again = max(at, sent+max(0, delay+l.jitter(duplicateJitterDraw, i)))
		}
	}
	at = l.fly(at, p.datagram)
	if again != never {
		l.fly(again, l.copyOf(p.datagram))
	}
	l.report(p, Passage{Left: sent, At: at})
}

// arriveOrdered returns when datagram i of the stream arrives. Transmissions follow each other by
// the retransmission time-out until one arrives.
func (l *Link) arriveOrdered(i uint64, sent, delay time.Duration, lost bool) time.Duration {
	c := &l.condition
	jitter := l.jitter(jitterDraw, i)
	last := sent
	for tries := 0; lost && tries < maxRetries; tries++ {
		last += max(200*time.Millisecond, 2*delay)
		var cut bool
		delay, cut = c.delayAt(last)
		lost = l.lost(l.retries, cut, retryDraw) != nil
		l.retries++
		l.stats.Retransmitted++
	}
	return last + max(0, delay+jitter)
}

// Pop returns the next datagram that has arrived by the time, and its exact time of arrival. The
// bytes are the link's own and valid until the next call of Push or Pop. If there is no datagram,
// it returns false. Datagrams that arrive at one instant are returned in the order in which they
// were pushed.
func (l *Link) Pop(now time.Duration) (datagram []byte, at time.Duration, ok bool) {
	l.advance(now)
	return l.take(l.now)
}

// take is Pop without advancing time.
func (l *Link) take(until time.Duration) (datagram []byte, at time.Duration, ok bool) {
	l.release()
	next, ok := l.flights.earliest()
	if !ok || next > until {
		return nil, 0, false
	}
	l.borrowed = l.flights.pop()
	l.stats.Delivered++
	return l.borrowed, next, true
}

// release frees the buffer that the last Pop returned.
func (l *Link) release() {
	if l.borrowed != nil {
		l.free = append(l.free, l.borrowed)
		l.borrowed = nil
	}
}

// hurry lets every datagram leave the queue at once. Their room and turn in the queue stay taken,
// so that the datagrams of other links in a shared queue are not affected.
func (l *Link) hurry() {
	for p := range l.inQueue() {
		l.queued--
		l.pass(*p, l.now)
		p.link = nil
	}
}

// discard removes everything in flight.
func (l *Link) discard() {
	l.hurry()
	l.release()
	for len(l.flights) > 0 {
		l.free = append(l.free, l.flights.pop())
	}
}

// arrived reports whether every datagram that was pushed has arrived or is lost by the time.
func (l *Link) arrived(now time.Duration) bool {
	l.advance(now)
	return l.queued == 0 && l.lastTime <= l.now
}

// Next returns a time before which no datagram arrives. It is the arrival of the next one, or an
// earlier time at which a packet may leave the queue in front of the bottleneck. It returns false
// if no datagram is in flight, and if the bottleneck passes nothing for good.
func (l *Link) Next() (at time.Duration, ok bool) {
	at, ok = l.flights.earliest()
	if l.queued > 0 && l.queue.at != never && (!ok || l.queue.at < at) {
		return max(l.queue.at, l.now), true
	}
	return at, ok
}

// Len returns how many datagrams are in flight, copies included.
func (l *Link) Len() int { return len(l.flights) + l.queued }

// Stats returns the counters since the link was made.
func (l *Link) Stats() Stats { return l.stats }

// Waiting returns how many datagrams of the link are in the queue in front of the bottleneck at the
// latest time given, and their bytes with headers.
func (l *Link) Waiting() (datagrams, bytes int) {
	for p := range l.inQueue() {
		datagrams, bytes = datagrams+1, bytes+p.size
	}
	return datagrams, bytes
}

// inQueue returns the datagrams of the link that are in the queue, in its order.
func (l *Link) inQueue() iter.Seq[*waiting] {
	return func(yield func(*waiting) bool) {
		for i := 0; l.queued > 0 && i < l.queue.packets.Len(); i++ {
			if p := l.queue.packets.At(i); p.link == l && !yield(p) {
				return
			}
		}
	}
}

// jitter returns draw i of the stream, scaled to [-Jitter, +Jitter).
func (l *Link) jitter(e effect, i uint64) time.Duration {
	return time.Duration((2*l.random.draw(e, i) - 1) * float64(l.condition.Jitter))
}

// fly puts a datagram in flight, to arrive at the time, or at the end of a scripted stall at that
// time, and returns its time of arrival.
func (l *Link) fly(at time.Duration, datagram []byte) time.Duration {
	at = l.condition.stalled(at)
	if l.condition.Ordered || l.condition.InOrder {
		at = max(at, l.lastTime) // behind everything before it
	}
	l.lastTime = max(l.lastTime, at)
	l.flights.push(at, datagram)
	return at
}

// lost decides whether a transmission is lost. It returns the counter of the effect that loses it,
// or nil. The draws are number i of three streams: that of the loss and the two of bursts behind
// it.
func (l *Link) lost(i uint64, cut bool, loss effect) *uint64 {
	burst := l.burst(l.random.draw(loss+1, i), l.random.draw(loss+2, i))
	switch {
	case cut:
		return &l.stats.CutLost
	case l.random.draw(loss, i) < l.condition.Loss:
		return &l.stats.Lost
	case burst:
		return &l.stats.BurstLost
	}
	return nil
}

// burst steps the Gilbert-Elliott chain and returns whether its new state loses the transmission.
func (l *Link) burst(step, loss float64) bool {
	b := &l.condition.Burst
	if l.bad {
		l.bad = step >= b.Leave
	} else {
		l.bad = step < b.Enter
	}
	if l.bad {
		return loss < b.BadLoss
	}
	return loss < b.GoodLoss
}
