package packet

// Sequence is a packet's number as it travels: the low 16 bits of its [Number]. Comparisons survive
// the wrap; there is deliberately no Less, since an order that wraps is not transitive.
type Sequence uint16

// IsNewer reports whether s comes after o, taking the shorter way round. Two sequences 2^15 apart
// are not newer than each other in either direction.
func (s Sequence) IsNewer(o Sequence) bool { return s.Sub(o) > 0 }

// Sub returns the number of packets from o to s: positive where s is newer.
func (s Sequence) Sub(o Sequence) int { return int(int16(s - o)) }

// Number counts the packets that one end of a connection has sent, from 1. It never wraps: only its
// low 16 bits travel ([Sequence]), and the receiver completes them with those of the newest packet
// that it knows. Zero means none.
type Number uint64

// Sequence returns the part of the number that travels.
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
