package packet

import (
	"errors"
	"time"
)

var (
	// ErrDuplicate is returned for a packet that was accepted before: the network duplicated it, or
	// somebody replays it.
	ErrDuplicate = errors.New("packet: accepted before")

	// ErrTooOld is returned for a packet so far behind the newest that it can be neither
	// acknowledged nor distinguished from a replay.
	ErrTooOld = errors.New("packet: too old")

	// ErrAck is returned for a packet that acknowledges one that was never sent. It is from another
	// connection, or forged.
	ErrAck = errors.New("packet: acknowledges what was never sent")

	// ErrWindow is returned for a packet with a piece of the reliable stream that is too far ahead:
	// the other end violates the protocol.
	ErrWindow = errors.New("packet: reliable message beyond the window")
)

// Packet is a datagram that [Endpoint.Open] found valid. It is usable until the next Open.
type Packet struct {
	Number  Number // the other end's count of its packets
	Payload Reader // reads the payload, whose bytes are a part of the datagram
}

// received records which packets were accepted.
type received struct {
	newest Number        // 0: none
	at     time.Duration // when it arrived
	mask   uint32        // bit i: newest-1-i was accepted
}

// check returns nil if n has not been accepted and can be acknowledged.
func (r *received) check(n Number) error {
	switch {
	case n == 0:
		return ErrTooOld
	case n > r.newest:
		return nil
	case n == r.newest:
		return ErrDuplicate
	case r.newest-n > AckBits:
		return ErrTooOld
	case r.mask&(1<<(r.newest-n-1)) != 0:
		return ErrDuplicate
	}
	return nil
}

func (r *received) add(n Number, now time.Duration) {
	if n <= r.newest {
		r.mask |= 1 << (r.newest - n - 1)
		return
	}
	if r.newest != 0 {
		// Shifts of 32 and more leave zero.
		r.mask = r.mask<<(n-r.newest) | 1<<(n-r.newest-1)
	}
	r.newest, r.at = n, now
}

// Open checks a datagram and returns the packet in it, without changing anything but the counters
// of [Endpoint.Stats]. Decode the payload, and if that succeeds call [Endpoint.Accept]. If it
// fails, or the packet cannot be used now, do not call it: the other end will count the packet as
// lost. The datagram must not change until then.
//
// The errors are ErrHeader, ErrTooOld, ErrDuplicate, ErrAck, ErrEntry and ErrWindow. Duplicates and
// old packets are normal on a network; the others are not.
func (e *Endpoint) Open(datagram []byte) (*Packet, error) {
	o := &e.opened
	o.valid = false
	n, rest, err := e.open(datagram)
	if err != nil {
		e.stats.countRefused(err)
		return nil, err
	}
	o.valid, o.packet = true, Packet{Number: n, Payload: NewReader(rest)}
	return &o.packet, nil
}

// Repeats reports whether a datagram is a copy of an accepted one, or too old to be distinguished
// from one. If so, it counts it in [Endpoint.Stats]. It reads the header alone. A policy that
// counts the other end's packets calls it first: networks make copies, and so can attackers if the
// transport does not keep them out.
func (e *Endpoint) Repeats(datagram []byte) bool {
	h, _, err := ParseHeader(datagram)
	if err != nil {
		return false
	}
	if err = e.received.check(e.received.newest.near(h.Sequence)); err != nil {
		e.stats.countRefused(err)
	}
	return err != nil
}

func (e *Endpoint) open(p []byte) (n Number, rest []byte, err error) {
	if len(p) > e.config.MTU {
		return 0, nil, ErrHeader
	}
	h, p, err := ParseHeader(p)
	if err != nil {
		return 0, nil, err
	}
	n = e.received.newest.near(h.Sequence)
	if err := e.received.check(n); err != nil {
		return 0, nil, err
	}
	o := &e.opened
	o.ack, o.ackTime, o.mask, o.n = 0, h.AckTime, h.AckMask, 0
	if h.HasAck {
		last := e.sent.next - 1
		o.ack = last.near(h.Ack)
		if o.ack == 0 || o.ack > last {
			return 0, nil, ErrAck
		}
	}
	if !h.Messages {
		return n, p, nil
	}
	if len(p) == 0 || p[0] == 0 || p[0] > MaxEntries {
		return 0, nil, ErrEntry
	}
	o.n = int(p[0])
	r := NewReader(p[1:])
	var previous *entry
	for i := range o.n {
		next, ok := readEntry(&r, previous)
		if !ok {
			return 0, nil, ErrEntry
		}
		o.entries[i] = next
		if next.kind == kindReliable {
			previous = &o.entries[i]
			if int16(next.id-e.in.next) >= Window { // further than an honest sender's window
				return 0, nil, ErrWindow
			}
		}
	}
	return n, p[1+r.pos/8:], nil
}

// Accept accepts the packet that [Endpoint.Open] returned last, after the caller has used its
// payload. The packet will be acknowledged, with now as the time of its arrival. The [Handler]
// receives the packets that the other end has acknowledged, then the messages. Any other packet
// panics.
//
// The error is ErrMessageTooLarge if the other end sends a reliable message that is too large. The
// stream of reliable messages has then ended, and the connection should end too.
func (e *Endpoint) Accept(p *Packet, now time.Duration) error {
	o := &e.opened
	if !o.valid || p != &o.packet {
		panic("packet: Accept takes the packet that Open returned last, once")
	}
	o.valid = false
	e.received.add(p.Number, now)
	e.stats.Received++
	e.stats.LastReceived = now
	if o.ack != 0 {
		e.acknowledge(o.ack, o.ackTime, o.mask, now)
	}
	e.parts.expire(now-reassemblyTimeout, &e.stats)
	for i := range o.entries[:o.n] {
		switch en := &o.entries[i]; en.kind {
		case kindReliable:
			e.in.take(en.id, en.last, en.data, e.maxMessage, e.handler)
		case kindUnreliable:
			e.handler.Message(en.data, false)
		case kindFragment:
			if whole := e.parts.add(en, now, e.maxMessage, &e.stats); whole != nil {
				e.handler.Message(whole, false)
			}
		}
		o.entries[i].data = nil
	}
	if e.in.broken {
		return ErrMessageTooLarge
	}
	return nil
}
