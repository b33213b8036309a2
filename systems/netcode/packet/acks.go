package packet

import "time"

// sentPacket is what is remembered of a packet until it is known to have arrived or not.
type sentPacket struct {
	number Number
	at     time.Duration
	done   bool // Delivered or Lost was called
	chunks [maxChunksSent]uint16
	n      uint8
}

type sentPackets struct {
	ring        [Outstanding]sentPacket
	next        Number // to be sent
	open        Number // the oldest that may not be done
	newestAcked Number
}

func (s *sentPackets) add(n Number, now time.Duration, chunks []uint16) {
	p := &s.ring[n%Outstanding]
	p.number, p.at, p.done = n, now, false
	p.n = uint8(copy(p.chunks[:], chunks))
	s.next = n + 1
}

// acknowledge resolves packets by what the other end says it has: the packet ack and those before it whose bits are set.
func (e *Endpoint) acknowledge(ack Number, mask uint32, now time.Duration) {
	s := &e.sent
	if ack > s.newestAcked {
		s.newestAcked = ack
		if p := &s.ring[ack%Outstanding]; p.number == ack && !p.done {
			e.rtt.add(now - p.at)
		}
	}
	for i := Number(AckBits); i > 0; i-- {
		if mask&(1<<(i-1)) != 0 && ack > i {
			e.deliver(ack-i, now)
		}
	}
	e.deliver(ack, now)
	if s.newestAcked > AckBits {
		e.loseBefore(s.newestAcked - AckBits)
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
	e.stats.Delivered++
	e.stats.countLoss(0)
	e.handler.Delivered(n, now-p.at)
}

// loseBefore gives up the packets before n that have not been acknowledged.
func (e *Endpoint) loseBefore(n Number) {
	for ; e.sent.open < n; e.sent.open++ {
		p := &e.sent.ring[e.sent.open%Outstanding]
		if p.number != e.sent.open || p.done {
			continue
		}
		p.done = true
		e.stats.Lost++
		e.stats.countLoss(1)
		e.handler.Lost(e.sent.open)
	}
}
