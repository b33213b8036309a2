package packet

import (
	"math/bits"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
)

// sentPacket is the record of a packet, kept until the packet is known to have arrived or not.
type sentPacket struct {
	number Number
	at     time.Duration
	done   bool // Delivered or Lost was called
	chunks [maxChunksSent]uint16
	n      uint8
	path   congestion.Packet
}

type sentPackets struct {
	ring        [Outstanding]sentPacket
	next        Number // the next to be sent
	open        Number // the oldest that may not be done
	missing     Number // the oldest not yet reported to the Controller
	newestAcked Number
	// bit i: newestAcked-1-i is known to have arrived
	known uint32
}

func (s *sentPackets) add(n Number, now time.Duration, chunks []uint16) *sentPacket {
	p := &s.ring[n%Outstanding]
	p.number, p.at, p.done = n, now, false
	p.n = uint8(copy(p.chunks[:], chunks))
	s.next = n + 1
	return p
}

// acknowledge resolves packets by an acknowledgement of the other end: the packet ack, which
// arrived at a time of its clock, and those before it whose bits are set.
func (e *Endpoint) acknowledge(ack Number, at uint16, mask uint32, now time.Duration) {
	s := &e.sent
	newer := ack > s.newestAcked
	if newer {
		// Shifts of 32 and more leave zero.
		s.known = s.known<<(ack-s.newestAcked) | 1<<(ack-s.newestAcked-1)
		s.newestAcked = ack
		if p := &s.ring[ack%Outstanding]; p.number == ack && !p.done {
			e.rtt.add(now - p.at)
		}
	}
	fresh := mask
	if ack == s.newestAcked {
		fresh &^= s.known
		s.known |= mask
	}
	for ; fresh != 0; fresh &^= 1 << (bits.Len32(fresh) - 1) {
		if i := Number(bits.Len32(fresh)); ack > i {
			e.deliver(ack-i, now)
		}
	}
	e.deliver(ack, now)
	if newer {
		e.control(ack, at, now)
	}
	if s.newestAcked > AckBits {
		e.loseBefore(s.newestAcked - AckBits)
	}
}

// control reports the changes to the Controller: the missing packets, and the arrival time of the
// newest.
func (e *Endpoint) control(ack Number, at uint16, now time.Duration) {
	s, c := &e.sent, e.config.Control
	for ; s.missing+reordering < ack; s.missing++ {
		if p := &s.ring[s.missing%Outstanding]; p.number == s.missing && !p.done {
			c.Lost(&p.path)
		}
	}
	if p := &s.ring[ack%Outstanding]; p.number == ack {
		c.Arrived(now, &p.path, at)
	}
}

func (e *Endpoint) deliver(n Number, now time.Duration) {
	p := &e.sent.ring[n%Outstanding]
	if p.number != n || p.done {
		return
	}
	p.done = true
	for _, id := range p.chunks[:p.n] {
		e.out.acked(id)
	}
	e.config.Control.Delivered(now, &p.path)
	e.stats.Delivered++
	e.stats.countLoss(0)
	e.handler.Delivered(n, now-p.at)
}

// loseBefore counts the packets before n that have not been acknowledged as lost.
func (e *Endpoint) loseBefore(n Number) {
	for ; e.sent.open < n; e.sent.open++ {
		p := &e.sent.ring[e.sent.open%Outstanding]
		if p.number != e.sent.open || p.done {
			continue
		}
		p.done = true
		e.config.Control.Lost(&p.path)
		e.stats.Lost++
		e.stats.countLoss(1)
		e.handler.Lost(e.sent.open)
	}
}
