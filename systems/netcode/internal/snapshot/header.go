package snapshot

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Limits of the wire format.
const (
	// MaxRecords is the most entities in one packet.
	MaxRecords = 1<<countBits - 1

	countBits  = 10
	baseBits   = 8 // of the distance to the baseline's packet
	orderBits  = 4
	epochBits  = 4
	headerBits = 32 + baseBits + 1 + countBits
	minRecord  = 4 // bits: a gap of none, and a removal
)

// header is the part of a snapshot before its entities.
type header struct {
	tick tick.Tick // the tick of the snapshot's states
	// the newest packet that the client has acknowledged; 0: none of the last 255
	acked packet.Number
	// No change that the client may receive is waiting: the client has all of them, or they are in
	// the packets from firstOpen on.
	whole  bool
	count  int // entities in the packet
	orders [classes]uint
}

func (h *header) write(w *packet.Writer, n packet.Number, s *Schema) {
	w.Bits(uint64(h.tick), 32)
	var back packet.Number
	if h.acked != 0 {
		back = n - h.acked
	}
	w.Bits(uint64(back), baseBits)
	w.Bool(h.whole)
	w.Bits(uint64(h.count), countBits)
	if h.count == 0 {
		return
	}
	for c, order := range h.orders {
		if s.uses(c) {
			w.Bits(uint64(order), orderBits)
		}
	}
}

func readHeader(r *packet.Reader, n packet.Number, s *Schema) (h header) {
	h.tick = tick.Tick(r.Bits(32))
	if back := packet.Number(r.Bits(baseBits)); back > 0 {
		if back >= n {
			r.Fail(packet.ErrMalformed)
			return h
		}
		h.acked = n - back
	}
	h.whole = r.Bool()
	h.count = int(r.Bits(countBits))
	if h.count == 0 {
		return h
	}
	for c := range h.orders {
		if s.uses(c) {
			h.orders[c] = uint(r.Bits(orderBits))
		}
	}
	return h
}

// firstOpen returns the oldest packet that the server counts neither as received nor as lost.
func (h *header) firstOpen() packet.Number {
	if h.acked < reordering {
		return 1
	}
	return h.acked - reordering + 1
}

// uses reports whether packets carry numbers of the class.
func (s *Schema) uses(class int) bool {
	switch class {
	case classVelocity:
		return s.quantizer.velocity.most > 0
	case classAngular:
		return s.quantizer.angular.most > 0
	}
	return true
}
