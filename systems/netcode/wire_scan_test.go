package netcode_test

import (
	"fmt"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// tapped is a listener whose connections record the server's datagrams when they are sent.
type tapped struct {
	transport.Listener
	sent  func(conn int, datagram []byte)
	conns []*tappedConn
}

func (t *tapped) Accept() (transport.Conn, bool) {
	c, ok := t.Listener.Accept()
	if !ok {
		return nil, false
	}
	tc := &tappedConn{c, t, len(t.conns)}
	t.conns = append(t.conns, tc)
	return tc, true
}

type tappedConn struct {
	transport.Conn
	tap *tapped
	n   int
}

func (c *tappedConn) Send(datagram []byte) error {
	c.tap.sent(c.n, datagram)
	return c.Conn.Send(datagram)
}

// scanner reads the wire format from its description and shares no code with the decoder. It finds
// the entities that a datagram names.
type scanner struct {
	buf  []byte
	pos  int // in bits
	fail string
}

func (s *scanner) bits(n int) (v uint64) {
	for i := range n {
		if s.pos >= 8*len(s.buf) {
			s.fail = "too short"
			return 0
		}
		v |= uint64(s.buf[s.pos/8]>>(s.pos%8)&1) << i
		s.pos++
	}
	return v
}

func (s *scanner) flag() bool { return s.bits(1) == 1 }

func (s *scanner) golomb(order int) uint64 {
	n := 0
	for !s.flag() {
		if n++; n > 32 || s.fail != "" {
			s.fail = "no number"
			return 0
		}
	}
	return s.bits(n+order) + 1<<(n+order) - 1<<order
}

// named is one record and its entity.
type named struct {
	slot       int
	generation int // 0: changes to a baseline
	removed    bool
	parent     netcode.EntityID
}

// scan returns the entities that a packet of the session names: the player's own entity, unless the
// packet refers to an earlier one for it, and those of the records. Its dimensions are those of
// newProtocol.
func scan(datagram []byte) (own netcode.EntityID, records []named, err error) {
	if datagram[0] != 0x53 {
		return 0, nil, nil
	}
	p := datagram[1:]
	flags := p[0]
	p = p[3:]
	if flags&16 != 0 {
		p = p[4:]
		for i := range 4 {
			if flags&(1<<i) != 0 {
				p = p[1:]
			}
		}
	}
	if flags&32 != 0 {
		return 0, nil, fmt.Errorf("messages, though nobody sends any")
	}
	s := &scanner{buf: p}
	if s.flag() { // the answer to a ping
		s.bits(8 + 64 + 22)
	}
	if s.flag() { // the ticks of a round
		s.bits(6)
	}
	if s.flag() { // feedback on inputs
		age := func() {
			if s.flag() {
				s.bits(8)
			}
			s.bits(8)
		}
		s.bits(32 + 11)
		age()
		if s.flag() { // of inputs that were held up
			s.bits(10)
			age()
		}
		s.bits(4)
	}
	if s.flag() { // the own state
		if s.flag() { // that of an earlier packet
			s.bits(6)
		} else {
			s.bits(3*32 + 2 + 8) // runnerCodec without a raft, and the jumps
			own = netcode.EntityID(s.bits(32))
		}
	}
	s.bits(32 + 8) // the tick and the baseline
	s.flag()       // whether the snapshot is whole
	count := int(s.bits(10))
	var gap, position, rotation, velocity int
	if count > 0 {
		gap, position, rotation, velocity = int(s.bits(4)), int(s.bits(4)), int(s.bits(4)), int(s.bits(4))
	}
	three := func(order int) {
		for range 3 {
			s.golomb(order)
		}
	}
	for slot := -1; count > 0 && s.fail == ""; count-- {
		slot += 1 + int(s.golomb(gap))
		r := named{slot: slot}
		full := false
		switch {
		case s.flag():
		case s.flag():
			s.bits(8)
		case s.flag():
			r.generation, full = 1+int(s.golomb(2)), true
			s.bits(4)
			s.golomb(4)
			if s.flag() {
				s.fail = "an entity without a pose"
			}
		default:
			r.removed = true
		}
		if !r.removed {
			if s.flag() { // traits
				if s.flag() {
					s.bits(16)
				}
				if s.flag() {
					r.parent = netcode.EntityID(s.bits(16))
					r.parent |= netcode.EntityID(s.golomb(2)) << 16
				}
				if s.flag() {
					s.bits(8)
				}
				if s.flag() {
					s.bits(8)
				}
				for s.flag() {
					s.golomb(1)
					if s.flag() {
						s.bits(32)
					}
				}
			}
			rest := s.flag()
			form := func(order, whole int) {
				switch {
				case full:
					s.bits(whole)
				case !s.flag():
					three(order)
				case s.flag():
					s.bits(whole)
				}
			}
			form(position, 3*21)
			form(rotation, 2+3*11)
			switch {
			case rest:
			case full:
				s.bits(3 * 13)
			default:
				three(velocity)
			}
		}
		records = append(records, r)
	}
	if s.fail == "" && 8*len(s.buf)-s.pos >= 8 {
		s.fail = fmt.Sprintf("%d bits left over", 8*len(s.buf)-s.pos)
	}
	if s.fail != "" {
		return 0, nil, fmt.Errorf("%s", s.fail)
	}
	return own, records, nil
}
