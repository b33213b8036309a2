package linksim

import "time"

// MaxInFlight bounds the datagrams inside a [Link]; beyond it they are dropped and counted as Dropped.
const MaxInFlight = 1 << 14

// maxRetries ends the retransmissions of an ordered direction that loses everything, as TCP gives up at last.
const maxRetries = 30

// Link is one direction of a simulated path, a pure scheduler: [Link.Push] puts a datagram in, [Link.Pop] takes out what has arrived. It knows no clock; the times
// given to it are on one epoch of the caller's and a time earlier than the last one counts as the last one. It allocates nothing in steady state.
// A Link is not safe for use by several goroutines.
type Link struct {
	condition Condition
	salt      uint64
	random    streams

	now      time.Duration // the latest time given
	index    uint64        // datagrams pushed, the index of all draws
	retries  uint64        // retransmissions, the index of theirs
	bad      bool          // state of the burst chain
	busy     time.Duration // when the rate limit has sent everything that it took
	lastTime time.Duration // latest arrival time of all that was pushed

	flights  flights
	borrowed int32 // slot of the datagram that the last Pop returned, -1 without one
	stats    Stats
}

// Stats counts what became of the datagrams of a [Link].
type Stats struct {
	Pushed        uint64
	Delivered     uint64 // returned by Pop, copies included
	Lost          uint64 // by independent loss
	BurstLost     uint64 // by a burst
	CutLost       uint64 // in a scripted cut
	Dropped       uint64 // because the queue in front of the rate limit was full, or MaxInFlight reached
	Duplicated    uint64 // copies made
	Reordered     uint64 // held back
	Retransmitted uint64 // transmissions after the first, in an ordered direction
}

// NewLink returns a link in the condition, or the error of [Condition.Validate].
func NewLink(c Condition) (*Link, error) { return newLink(c, 0) }

func newLink(c Condition, salt uint64) (*Link, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Link{condition: c, salt: salt, random: newStreams(c.Seed, salt), borrowed: -1}, nil
}

// Condition returns the condition that holds.
func (l *Link) Condition() Condition { return l.condition }

// SetCondition changes the condition for what is pushed from now on; what is in flight arrives as it was going to. A condition that is not valid is
// refused with an error and changes nothing.
func (l *Link) SetCondition(c Condition) error {
	if err := c.Validate(); err != nil {
		return err
	}
	l.condition = c
	l.random = newStreams(c.Seed, l.salt)
	return nil
}

// Push sends a datagram of any size at the time; the bytes are copied. It returns false where the sender gets to know that it was not
// taken: with MaxInFlight datagrams under way, or in an ordered direction with its queue full. What is lost on the way was taken.
func (l *Link) Push(now time.Duration, datagram []byte) bool {
	l.release()
	l.now = max(l.now, now)
	c, i := &l.condition, l.index
	if l.flights.len() >= MaxInFlight-1 { // room for a copy, too
		l.stats.Dropped++
		return false
	}
	sent := l.now
	if c.Rate > 0 {
		var room bool
		if sent, room = l.limit(len(datagram)); !room && c.Ordered {
			l.stats.Dropped++
			return false
		} else if !room {
			l.index++
			l.stats.Pushed++
			l.stats.Dropped++
			return true
		}
	}
	l.index++
	l.stats.Pushed++
	delay, cut := c.delayAt(sent)
	lost := l.lost(i, cut)
	if c.Ordered {
		l.pushOrdered(sent, delay, lost, datagram)
		return true
	}
	if lost {
		return true
	}
	at := sent + max(0, delay+l.jitter(jitterDraw, i))
	if l.random.draw(reorderDraw, i) < c.Reorder {
		l.stats.Reordered++
		at += c.reorderBy()
	}
	l.fly(at, sent, datagram)
	if l.random.draw(duplicateDraw, i) < c.Duplicate {
		l.stats.Duplicated++
		again := sent + max(0, delay+l.jitter(duplicateJitterDraw, i))
		l.fly(max(at, again), sent, datagram)
	}
	return true
}

// pushOrdered schedules a datagram of the stream: transmissions follow each other by the retransmission time-out until one gets through.
func (l *Link) pushOrdered(sent, delay time.Duration, lost bool, datagram []byte) {
	c := &l.condition
	jitter := l.jitter(jitterDraw, l.index-1)
	last := sent
	for tries := 0; lost && tries < maxRetries; tries++ {
		last += max(200*time.Millisecond, 2*delay)
		var cut bool
		delay, cut = c.delayAt(last)
		lost = l.lostAgain(cut)
		l.stats.Retransmitted++
	}
	l.fly(last+max(0, delay+jitter), sent, datagram)
}

// Pop returns the next datagram that has arrived by the time, and when exactly it arrived. The bytes are the link's own and valid until the next call of
// Push or Pop. Without one it returns false. Those that arrive at one instant come in the order in which they were pushed.
func (l *Link) Pop(now time.Duration) (datagram []byte, at time.Duration, ok bool) {
	l.release()
	l.now = max(l.now, now)
	next, ok := l.flights.next()
	if !ok || next > l.now {
		return nil, 0, false
	}
	l.borrowed = l.flights.pop()
	l.stats.Delivered++
	return l.flights.slots[l.borrowed], next, true
}

// release gives back the buffer that the last Pop lent out.
func (l *Link) release() {
	if l.borrowed >= 0 {
		l.flights.free = append(l.flights.free, l.borrowed)
		l.borrowed = -1
	}
}

// discard forgets everything in flight.
func (l *Link) discard() {
	l.release()
	for l.flights.len() > 0 {
		l.flights.free = append(l.flights.free, l.flights.pop())
	}
}

// Next returns when the next datagram arrives, and false with nothing in flight.
func (l *Link) Next() (at time.Duration, ok bool) { return l.flights.next() }

// Len returns how many datagrams are in flight, copies included.
func (l *Link) Len() int { return l.flights.len() }

// Stats returns the counters since the link was made.
func (l *Link) Stats() Stats { return l.stats }

// Waiting returns how many datagrams, and bytes of them, wait in front of the rate limit at the latest time given.
func (l *Link) Waiting() (datagrams, bytes int) { return l.flights.waiting(l.now) }

// limit takes size bytes into the queue in front of the rate limit, and returns when they have left it.
func (l *Link) limit(size int) (sent time.Duration, room bool) {
	start := max(l.busy, l.now)
	waiting := (start - l.now).Seconds() * float64(l.condition.Rate) // bytes
	if waiting > 0 && waiting+float64(size) > float64(l.condition.queueBytes()) {
		return 0, false
	}
	l.busy = start + time.Duration(size)*time.Second/time.Duration(l.condition.Rate)
	return l.busy, true
}

// jitter returns draw i of the stream, scaled to [-Jitter, +Jitter).
func (l *Link) jitter(e effect, i uint64) time.Duration {
	return time.Duration((2*l.random.draw(e, i) - 1) * float64(l.condition.Jitter))
}

// fly puts a datagram on its way to arrive at the time, or when a scripted stall at that time ends.
func (l *Link) fly(at, sent time.Duration, datagram []byte) {
	at = l.condition.stalled(at)
	if l.condition.Ordered {
		at = max(at, l.lastTime) // behind everything before it
	}
	l.lastTime = max(l.lastTime, at)
	l.flights.push(at, sent, datagram)
}

// lost decides whether datagram i is lost in its first transmission, and by what.
func (l *Link) lost(i uint64, cut bool) bool {
	c := &l.condition
	burst := l.burst(l.random.draw(burstStepDraw, i), l.random.draw(burstLossDraw, i))
	switch {
	case cut:
		l.stats.CutLost++
	case l.random.draw(lossDraw, i) < c.Loss:
		l.stats.Lost++
	case burst:
		l.stats.BurstLost++
	default:
		return false
	}
	return true
}

// lostAgain decides whether a retransmission is lost.
func (l *Link) lostAgain(cut bool) bool {
	i := l.retries
	l.retries++
	burst := l.burst(l.random.draw(retryStepDraw, i), l.random.draw(retryBurstDraw, i))
	return l.random.draw(retryDraw, i) < l.condition.Loss || burst || cut
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
