package snapshot

import (
	"math/bits"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// silence tracks the packets that have arrived, to determine which entities had no change.
type silence struct {
	newest  packet.Number // the newest that was decoded; 0: none
	arrived uint64        // bit i: newest-i was decoded
	said    [64]said      // by packet
	whole   packet.Number // the newest that is whole, see isWhole; 0: none
	tick    tick.Tick     // the tick of that packet
}

// said is the part of a packet's header about entities that are not in the packet.
type said struct {
	tick  tick.Tick
	whole bool
	open  packet.Number // see firstOpen
}

// Whole returns the newest tick at which the states of all entities that are relevant to the client
// are known, and false while there is none. An entity without a state newer than that tick then had
// its newest state: it stood still. On a line without loss, with room for all changes, it is the
// tick of the newest snapshot. While there is not room for all, and for a round trip after a loss,
// it does not advance.
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

// isWhole reports whether a packet has arrived, together with all packets in which the server may
// have sent the entities that are not in it.
func (s *silence) isWhole(q packet.Number) bool {
	from := s.arrived >> (s.newest - q) // bit i: q-i was decoded
	run := packet.Number(bits.TrailingZeros64(^from))
	return run > 0 && s.said[q%64].whole && q-run < s.said[q%64].open
}
