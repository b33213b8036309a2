package packet

// Sequence is a packet's number on the wire: the low 16 bits of its [Number]. Comparisons survive
// the wrap.
type Sequence uint16

// Sub returns the number of packets from o to s: positive if s is newer.
func (s Sequence) Sub(o Sequence) int { return int(int16(s - o)) }

// Number counts the packets that one end of a connection has sent, from 1. It never wraps: only its
// low 16 bits are sent ([Sequence]), and the receiver completes them with those of the newest
// packet that it has accepted. Zero means none.
type Number uint64

// Sequence returns the part of the number that is sent.
func (n Number) Sequence() Sequence { return Sequence(n) }

// near returns the number closest to n whose low bits are s, or 0 if that lies before the first
// packet.
func (n Number) near(s Sequence) Number {
	d := s.Sub(n.Sequence())
	if d < 0 && Number(-d) >= n {
		return 0
	}
	return n + Number(d)
}
