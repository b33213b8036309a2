package link

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// sampleInterval is the least time between two samples of the other end's clock, which cost some
// arithmetic each.
const sampleInterval = 100 * time.Millisecond

// stampLimit bounds stamps, so that no difference of two overflows: 36 years.
const stampLimit = time.Duration(1) << 60

// stamps are in the first packet that an end sends in a step.
type stamps struct {
	sent  time.Duration // the sender's own clock, which nothing adjusts
	world time.Duration // the time of the common ticks then
	// the newest stamp of the other end that has not been answered, and when it arrived
	answers       bool
	echo, arrived time.Duration
}

// stampRoom is the most bytes of the stamps.
const stampRoom = 4*8 + 1

func (s *stamps) write(w *packet.Writer) {
	w.Bits(uint64(s.sent), 64)
	w.Bits(uint64(s.world), 64)
	w.Bool(s.answers)
	if s.answers {
		w.Bits(uint64(s.echo), 64)
		w.Bits(uint64(s.arrived), 64)
	}
}

func readStamps(r *packet.Reader) (s stamps) {
	s.sent = time.Duration(r.Bits(64))
	s.world = time.Duration(r.Bits(64))
	if s.answers = r.Bool(); s.answers {
		s.echo = time.Duration(r.Bits(64))
		s.arrived = time.Duration(r.Bits(64))
	}
	for _, t := range [...]time.Duration{s.sent, s.world} {
		if t <= -stampLimit || t >= stampLimit {
			r.Fail(packet.ErrMalformed)
		}
	}
	return s
}

// clock follows the other end's clocks. The reference is of the one that nothing adjusts, so it
// sees crystals only. The difference from that clock to the common ticks comes with each packet: a
// jump or a stretch of the other end's ticks is known as soon as a packet has arrived.
type clock struct {
	reference *clocksync.Reference
	world     time.Duration // common ticks minus own clock, at the other end
	newest    packet.Number // the packet that world is from
	sampled   time.Duration
	samples   int
	rtt       time.Duration // smoothed

	echo    stamps // the next answer, in echo and arrived
	stamped time.Duration
	began   bool // stamped is set
}

// stampDue reports whether an end that has nothing to say sends its stamps.
func (c *clock) stampDue(now time.Duration) bool {
	return !c.began || now-c.stamped >= sampleInterval
}

// next returns the stamps of a packet. sent says that the packet was sent.
func (c *clock) next(now, world time.Duration) stamps {
	s := c.echo
	s.sent, s.world = now, world
	return s
}

func (c *clock) sent(now time.Duration) {
	c.echo.answers, c.stamped, c.began = false, now, true
}

// take takes the stamps of a packet that arrived at a time of the own clock.
func (c *clock) take(s *stamps, n packet.Number, at time.Duration) {
	if n > c.newest {
		c.newest, c.world = n, s.world-s.sent
		c.echo.answers, c.echo.echo, c.echo.arrived = true, s.sent, at
	}
	if !s.answers || c.samples > 0 && at-c.sampled < sampleInterval {
		return
	}
	sample := clocksync.Sample{ClientSend: s.echo, ServerReceive: s.arrived, ServerSend: s.sent, ClientReceive: at}
	if _, err := c.reference.Add(sample); err != nil {
		return // impossible, or overtaken: the next one follows soon
	}
	c.sampled = at
	if c.samples++; c.samples == 1 {
		c.rtt = sample.RTT()
	}
	c.rtt += (sample.RTT() - c.rtt) / 8
}

// ahead returns how far the other end's ticks are ahead.
func (c *clock) ahead(now, world time.Duration) (time.Duration, bool) {
	if !c.reference.Ready() {
		return 0, false
	}
	return c.reference.At(now) + c.world - world, true
}
