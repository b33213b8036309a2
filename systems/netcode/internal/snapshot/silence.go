package snapshot

import (
	"math/bits"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// silence knows what it means that packets say nothing of an entity.
type silence struct {
	newest  packet.Number // that was decoded; 0: none
	arrived uint64        // bit i: newest-i was decoded
	said    [64]said      // by packet
	whole   packet.Number // the newest that is known to be whole; 0: none
	tick    tick.Tick     // that it is of
}

// said is what the header of a packet says of what the packet leaves out.
type said struct {
	tick  tick.Tick
	whole bool
	open  packet.Number // see firstOpen
}

// Whole returns the newest tick of which this end knows the states of all entities that the client
// may know, and false while there is none. An entity of which nothing newer than that tick has come
// was then as its newest state says: it stood still. On a line that loses nothing, with room for
// all that changes, it is the tick of the newest snapshot. While there is no room for all, and for
// a round trip after a loss, it stays where it is.
func (d *Decoder) Whole() (at tick.Tick, ok bool) {
	return d.silence.tick, d.silence.whole != 0
}

// arrive notes that a packet has been decoded.
func (s *silence) arrive(n packet.Number, h *header) {
	if n > s.newest {
		s.arrived = s.arrived<<(n-s.newest) | 1 // shifts of 64 and more leave zero
		s.newest = n
	} else if s.newest-n < 64 {
		s.arrived |= 1 << (s.newest - n)
	} else {
		return
	}
	s.said[n%64] = said{h.tick, h.whole, h.firstOpen()}
	for q := s.newest; q > s.whole && s.newest-q < 64; q-- {
		if s.isWhole(q) {
			s.whole, s.tick = q, s.said[q%64].tick
		}
	}
}

// isWhole reports whether all has come in which the server may have said what a packet leaves out,
// and the packet itself.
func (s *silence) isWhole(q packet.Number) bool {
	from := s.arrived >> (s.newest - q) // bit i: q-i was decoded
	run := packet.Number(bits.TrailingZeros64(^from))
	return run > 0 && s.said[q%64].whole && q-run < s.said[q%64].open
}
