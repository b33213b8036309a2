package congestion

import (
	"math"
	"time"
)

// Cause is the reason for the present rate.
type Cause uint8

const (
	Free    Cause = iota // nothing: the rate is the ceiling
	Queue                // own packets filled a queue
	Loss                 // packets were lost because of the rate
	Shared               // another flow keeps the queue filled, and the rate takes its share
	Silence              // nothing is acknowledged at present
)

// String returns the cause in lower case.
func (c Cause) String() string {
	return [...]string{"free", "queue", "loss", "shared", "silence"}[min(c, Silence)]
}

// Stats are the figures of a [Controller].
type Stats struct {
	Rate  float64       // bytes per second that may be sent, with what the transport adds
	Queue time.Duration // wait of packets in queues on the way
	Cause Cause         // reason for the rate; after a fall, until the rate is the ceiling again
}

const (
	// floor is the least rate.
	floor = 4000

	// The rate grows by gain + gainGrowth*t³ bytes per second and second, t seconds after its last
	// fall: slowly near the limit, and from 12 to 70 kB/s in five seconds if the limit is gone.
	// CUBIC (RFC 9438) has the same idea. This is the growth at gainRate. A flow of four times the
	// rate grows half as fast, so small flows gain on large ones.
	gain       = 800
	gainGrowth = 900
	gainRate   = 14000

	// A queue is drained in about drainTime. Meanwhile the flow sends less than the line carries,
	// by a share of leastDrain to mostDrain.
	drainTime             = 500 * time.Millisecond
	leastDrain, mostDrain = 0.3, 0.7

	// keep is the share of the line's rate with which the flow continues after a drain.
	keep = 0.92

	// mostLoss is the share of bytes beyond which losses lower the rate of the ceiling while there
	// is a queue. A smaller flow accepts more in inverse proportion to its rate, at most muchLoss.
	// Without a queue the share must be muchLoss, and the rate returns if the lower one does not
	// help.
	mostLoss = 0.04
	muchLoss = 0.25

	// failures is how many drains in a row must fail before a queue counts as that of another flow.
	failures = 2

	// segment is the size in bytes of the packets of the flows that share the line. beta is the
	// share of the rate that is kept after a loss (that of CUBIC, RFC 9438). mostRound is the
	// greatest round trip that sets the growth: for longer ones the growth of Reno is almost zero.
	segment   = 1500
	beta      = 0.7
	mostRound = 500 * time.Millisecond

	// retest and retestRounds are the time and the number of round trips after which another test
	// checks whether the queue is still that of another flow.
	retest       = 20 * time.Second
	retestRounds = 20
)

type mode uint8

const (
	probing  mode = iota // the rate grows
	draining             // the rate is below what the line carries, until the queue is empty
	sharing              // another flow fills the queue
)

// Controller finds the rate of one flow over one path. Times are those of the sender's clock,
// except where the receiver's is named, and must not run backwards. The zero value is not usable;
// create it with [New]. It never allocates afterwards. It is not safe for concurrent use.
type Controller struct {
	most  float64 // the ceiling
	epoch uint32  // counts the paths
	path  path

	mode    mode
	rate    float64
	settled float64 // rate that the line is known to carry; it follows the rate with a delay
	cause   Cause
	fell    time.Duration // when the rate last fell
	updated time.Duration

	drain  drain
	failed int     // drains in a row that failed
	again  bool    // the newest drain is one of them
	before float64 // rate that the line carried before the first of them

	shared struct {
		since time.Duration
		queue time.Duration // then
		fell  time.Duration
		lost  float64 // bytes, as of the last look
	}
	trial struct { // a test of whether less is lost at a lower rate
		lost   float64 // share that was lost before; 0: no trial runs
		rate   float64 // before
		random float64 // share that is lost whatever the rate is
	}
}

// drain is an attempt to empty the queue. It also tests whose queue it is.
type drain struct {
	at    time.Duration // when it began
	sent  float64       // bytes sent by then
	lost  float64       // bytes known to be lost by then
	rate  float64       // before
	line  float64       // rate that the line carried then
	queue time.Duration // mean wait of the packets sent by then
	n     int           // samples in the mean
	late  int           // samples since the queue should have been drained
	over  time.Duration // when the first of them arrived, by the receiver's clock
}

// New returns a Controller without information about the path. It begins at the ceiling, the
// greatest rate: in bytes per second, with those that the transport adds, and at least 4000.
func New(ceiling int) *Controller {
	c := &Controller{most: float64(max(ceiling, floor))}
	c.Reset()
	return c
}

// Reset discards everything measured on the path. Call it when the flow continues over another
// path. Acknowledgements of earlier packets no longer count.
func (c *Controller) Reset() {
	*c = Controller{most: c.most, rate: c.most, settled: c.most, epoch: c.epoch + 1}
}

// Sent records a packet that is sent. The number of bytes includes those that the transport adds.
// The returned Packet is an argument of the other calls.
func (c *Controller) Sent(now time.Duration, bytes int) Packet {
	p := &c.path
	if p.delivered+p.lost >= p.sent { // nothing was in flight, so nothing is due for a round trip
		p.acked = now + p.round
	}
	p.sent += float64(bytes)
	return Packet{epoch: c.epoch, at: now, bytes: float64(bytes), sent: p.sent}
}

// Delivered records the acknowledgement of a packet, also of one that counted as lost.
func (c *Controller) Delivered(now time.Duration, p *Packet) {
	if p.epoch != c.epoch {
		return
	}
	if p.lost {
		p.lost = false
		c.path.lost -= p.bytes
	}
	c.path.delivered += p.bytes
	c.path.acked = now
}

// Lost records a packet that has probably been lost.
func (c *Controller) Lost(p *Packet) {
	if p.epoch != c.epoch || p.lost {
		return
	}
	p.lost = true
	c.path.lost += p.bytes
}

// Arrived records when the newest packet arrived, in milliseconds of the receiver's clock modulo
// 65536. Call it after Delivered has been called for that packet and those before it. Stamps may
// come from anyone: for any stamp the rate stays within its bounds.
func (c *Controller) Arrived(now time.Duration, p *Packet, stamp uint16) {
	if p.epoch != c.epoch || !c.path.add(p, stamp) {
		return
	}
	elapsed := min(max(now-c.updated, 0), 250*time.Millisecond)
	c.updated = now
	if c.path.count < leastSamples {
		return
	}
	s := c.path.look()
	s.limit = c.path.limit(c.most, max(min(c.rate, s.line), floor))
	switch c.mode {
	case probing:
		c.probe(now, elapsed, s)
	case draining:
		c.empty(now, s)
	case sharing:
		c.share(now, elapsed, s)
	}
	c.rate = min(max(c.rate, floor), c.most)
	if c.rate < c.settled {
		c.settled = c.rate
	} else {
		c.settled += (c.rate - c.settled) * elapsed.Seconds()
	}
	if c.mode == probing && c.rate >= c.most {
		c.cause = Free
	}
}

func (c *Controller) probe(now, elapsed time.Duration, s sight) {
	// A rate below the ceiling is known to be near the rate of the line: the bytes in flight reveal
	// the queue before it is measured. Lost bytes are among them until they are known to be lost,
	// so a shorter wait is no evidence.
	ahead := c.rate < c.most && c.path.ahead(now, s.line) > 3*mostLimit
	if (s.queue > s.limit || ahead) && c.path.queue(2*queueWindow) > s.limit/2 {
		if !c.again {
			c.failed, c.before = 0, 0
		}
		c.before, c.again = max(c.before, s.line), false
		c.fall(now, s)
		return
	}
	if c.lossy(now, s) {
		return
	}
	t := (now - c.fell).Seconds()
	c.rate += (gain + gainGrowth*t*t*t) * math.Sqrt(gainRate/c.rate) * elapsed.Seconds()
}

// lossy lowers the rate if the rate causes losses, and reports whether it has lowered it.
func (c *Controller) lossy(now time.Duration, s sight) bool {
	window := lossWindow + c.path.round
	if now-c.fell < window {
		return false
	}
	lost, sent, got := c.path.losses(lossWindow)
	if c.trial.lost > 0 {
		if lost > 0.7*c.trial.lost {
			c.rate, c.trial.random = c.trial.rate, lost
		}
		c.trial.lost = 0
		return false
	}
	// CoDel empties the queue again and again, so the queue need not last for the whole window. It
	// must be longer than jitter makes it appear.
	most := min(mostLoss*c.most/max(min(c.rate, s.line), floor), muchLoss)
	queued := lost > most && c.path.queue(standWindow) > max(s.limit*2/5, time.Duration(2*c.path.noise))
	if !queued { // it takes longer to distinguish random losses from those of the rate
		longer, _, _ := c.path.losses(2 * lossWindow)
		lost = min(lost, longer)
	}
	if sent < 0.75*c.rate || !queued && lost < c.trial.random+muchLoss {
		return false
	}
	if !queued {
		c.trial.lost, c.trial.rate = lost, c.rate
	}
	c.rate, c.fell, c.cause = min(c.rate, keep*got), now, Loss
	return true
}

// fall begins a drain.
func (c *Controller) fall(now time.Duration, s sight) {
	c.mode, c.cause = draining, Queue
	c.drain = drain{at: now, sent: c.path.sent, lost: c.path.lost, rate: c.rate, line: s.line}
	c.empty(now, s)
}

// empty sends less than the line carries until the queue is empty, or proves to be that of another
// flow.
func (c *Controller) empty(now time.Duration, s sight) {
	d := &c.drain
	newest := c.path.newest()
	after := newest.at > d.at // the newest packet was sent in the drain
	switch {
	case s.queue < s.limit/3, after && s.queue < s.limit && c.path.ahead(now, d.line) <= 0:
		c.mode, c.fell = probing, now
		c.rate = keep * d.line
		// The queue drained by itself, as after a standstill of the line. A short queue may have
		// been drained by a flow of this kind, whose rate fell too.
		if d.queue > 2*mostLimit && d.due(newest) > d.queue*2/3 {
			c.rate = d.rate
		}
		return
	case !after:
		if s.queue > s.limit/2 { // packets that still arrive show what the line carries
			d.line = s.line
			d.n++
			d.queue += (c.path.wait(newest) + seconds((d.sent-newest.sent)/d.line) - (d.at - newest.at) - d.queue) / time.Duration(d.n)
		}
	case d.late > 0:
		if d.late++; d.late > leastSamples && newest.arrived >= d.over+queueWindow {
			c.judge(now, s)
			return
		}
	case d.due(newest) < d.queue/3, newest.at-d.at > 2*d.queue+drainTime:
		d.late, d.over = 1, newest.arrived
	}
	share := min(max(c.path.ahead(now, d.line).Seconds()/drainTime.Seconds(), leastDrain), mostDrain)
	c.rate = d.line * (1 - share)
}

// judge ends a drain that should have emptied the queue and has not.
func (c *Controller) judge(now time.Duration, s sight) {
	if d := &c.drain; s.queue > d.queue*2/3 && s.queue < d.queue*5/3 { // not shrunk by a third
		c.failed++
		c.again = true
	}
	if c.failed < failures {
		c.fall(now, s)
		return
	}
	c.mode, c.cause, c.rate = sharing, Shared, max(c.before/2, c.rate)
	c.shared.since, c.shared.fell, c.shared.queue, c.shared.lost = now, now, s.queue, c.path.lost
}

// due returns how long the newest packet that has arrived would have waited if the queue were the
// flow's own. Lost bytes take no time on the line.
func (d *drain) due(newest *sample) time.Duration {
	if newest.at <= d.at {
		return d.queue
	}
	return d.queue + seconds((newest.sent-d.sent-(newest.lost-d.lost))/d.line) - (newest.at - d.at)
}

// share follows the rules of the other flow: it sends a segment more in each round trip, and less
// after one with a loss (RFC 5681).
func (c *Controller) share(now, elapsed time.Duration, s sight) {
	h := &c.shared
	round := max(c.path.round, 10*time.Millisecond)
	if s.queue < s.limit/2 {
		c.mode, c.fell, c.cause = probing, now, Queue
		return
	}
	if c.path.lost > h.lost {
		if now-h.fell > round {
			c.rate *= beta
			h.fell = now
		}
	} else if c.rate < 1.25*s.line+2*segment { // otherwise the bytes sent do not arrive
		r := min(round, mostRound).Seconds()
		c.rate += segment / (r * r) * elapsed.Seconds()
	}
	h.lost = c.path.lost
	switch {
	case s.queue > h.queue*5/2+200*time.Millisecond: // the queue may be the flow's own after all
		c.failed, c.before = failures-1, c.rate/2
		c.fall(now, s)
	case now-h.since > max(retest, retestRounds*round):
		c.failed, c.before = failures-1, 2*c.rate
		c.fall(now, s)
	}
}

// silent reports whether a packet in flight should have been acknowledged by now. A drain does not
// wait long: each packet that is sent into a stalled line makes the queue longer.
func (c *Controller) silent(now time.Duration) bool {
	least := leastSilence
	if c.mode == draining {
		least /= 2
	}
	p := &c.path
	return p.count > 0 && p.sent > p.delivered+p.lost && now-p.acked > max(least, 4*p.gap)
}

// Rate returns the bytes per second that may be sent now.
func (c *Controller) Rate(now time.Duration) float64 {
	if c.silent(now) {
		return floor
	}
	return c.rate
}

// Settled returns the bytes per second that the line is known to carry: while the rate grows, that
// of about a second ago. Callers choose packet sizes by it, so that no packet takes long on the
// line.
func (c *Controller) Settled(now time.Duration) float64 { return min(c.Rate(now), c.settled) }

// Limited reports whether the rate is below the ceiling.
func (c *Controller) Limited(now time.Duration) bool { return c.Rate(now) < c.most }

// Stats returns the figures as of now.
func (c *Controller) Stats(now time.Duration) Stats {
	s := Stats{Rate: c.Rate(now), Cause: c.cause}
	if c.silent(now) {
		s.Cause = Silence
	}
	if c.path.count > 0 {
		s.Queue = c.path.queue(queueWindow)
	}
	return s
}
