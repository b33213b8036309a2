package snapshot

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Header begins every snapshot. What else a game wants to say in each one, it writes before
// [Encoder.Encode] and reads before [Decoder.Decode].
type Header struct {
	// Tick is the tick whose state the snapshot shows.
	Tick tick.Tick

	// CommandAge is by how much the client's inputs arrive before they are needed, in eighths of a
	// tick; negative when they come too late. It closes the loop of the client's clock.
	CommandAge int8

	// LastInput is the low 16 bits of the tick or number of the client's last input that has been
	// applied. The client completes it with those of its newest one.
	LastInput uint16
}

// Limits of the wire format.
const (
	// MaxRecords is the most entities in one packet.
	MaxRecords = 1<<countBits - 1

	countBits  = 10
	baseBits   = 8 // of the distance to the baseline's packet
	orderBits  = 4
	epochBits  = 4
	headerBits = 32 + 8 + 16 + baseBits + 1 + countBits
	minRecord  = 4 // bits: a gap of none, and a removal
)

// preamble is the Header with what decoding needs to know beforehand.
type preamble struct {
	Header
	// the newest of the server's packets that it knows to have arrived; 0: none of the last 255
	acked packet.Number
	// nothing that the client may know waits: it has all of it, or is sent it from firstOpen on
	whole  bool
	count  int
	orders [classes]uint
}

func (p *preamble) write(w *packet.Writer, n packet.Number, s *Schema) {
	w.Bits(uint64(p.Tick), 32)
	w.Bits(uint64(uint8(p.CommandAge)), 8)
	w.Bits(uint64(p.LastInput), 16)
	var back packet.Number
	if p.acked != 0 {
		back = n - p.acked
	}
	w.Bits(uint64(back), baseBits)
	w.Bool(p.whole)
	w.Bits(uint64(p.count), countBits)
	if p.count == 0 {
		return
	}
	for c, order := range p.orders {
		if s.uses(c) {
			w.Bits(uint64(order), orderBits)
		}
	}
}

func readPreamble(r *packet.Reader, n packet.Number, s *Schema) (p preamble) {
	p.Tick = tick.Tick(r.Bits(32))
	p.CommandAge = int8(r.Bits(8))
	p.LastInput = uint16(r.Bits(16))
	if back := packet.Number(r.Bits(baseBits)); back > 0 {
		if back >= n {
			r.Fail(packet.ErrMalformed)
			return p
		}
		p.acked = n - back
	}
	p.whole = r.Bool()
	p.count = int(r.Bits(countBits))
	if p.count == 0 {
		return p
	}
	for c := range p.orders {
		if s.uses(c) {
			p.orders[c] = uint(r.Bits(orderBits))
		}
	}
	return p
}

// firstOpen returns the oldest packet whose news the server takes neither for received nor for
// lost.
func (p *preamble) firstOpen() packet.Number {
	if p.acked < reordering {
		return 1
	}
	return p.acked - reordering + 1
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
