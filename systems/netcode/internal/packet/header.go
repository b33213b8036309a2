package packet

import (
	"encoding/binary"
	"errors"
)

// AckBits is the number of packets before the newest one received that a header acknowledges. A
// packet that lies further behind the newest could not be acknowledged, and is refused.
const AckBits = 32

// MaxHeader is the most bytes of a header. A header that acknowledges without gaps takes seven.
const MaxHeader = 1 + 2 + 2 + 2 + AckBits/8

// ErrHeader is returned for a datagram that does not begin with a packet header: it was cut off, or
// is not from this protocol.
var ErrHeader = errors.New("packet: not a packet header")

// Header begins every packet.
type Header struct {
	Sequence Sequence // of this packet
	HasAck   bool     // something has been received, and the next three fields are valid
	Ack      Sequence // the newest packet received
	AckTime  uint16   // when it arrived, in milliseconds of the receiver's clock, modulo 65536
	AckMask  uint32   // bit i: the packet i+1 before Ack was received too
	Messages bool     // messages follow the header
}

// The first byte: a bit for each byte of the mask that is not all ones and therefore follows, one
// for HasAck, one for Messages, two zeros.
const (
	flagAck      = 1 << 4
	flagMessages = 1 << 5
	flagsUnused  = 3 << 6
)

// Append appends the header's wire form to dst: the flags, the numbers in little-endian order, and
// only those bytes of the mask that have gaps.
func (h Header) Append(dst []byte) []byte {
	at := len(dst)
	dst = append(dst, 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(h.Sequence))
	var flags byte
	if h.HasAck {
		flags |= flagAck
		dst = binary.LittleEndian.AppendUint16(dst, uint16(h.Ack))
		dst = binary.LittleEndian.AppendUint16(dst, h.AckTime)
		for i := range AckBits / 8 {
			if b := byte(h.AckMask >> (8 * i)); b != 0xff {
				flags |= 1 << i
				dst = append(dst, b)
			}
		}
	}
	if h.Messages {
		flags |= flagMessages
	}
	dst[at] = flags
	return dst
}

// ParseHeader reads a header and returns it with the bytes behind it. It accepts only the form that
// [Header.Append] writes. Any other form is ErrHeader.
func ParseHeader(p []byte) (Header, []byte, error) {
	r := NewReader(p)
	flags := r.Bits(8)
	h := Header{Sequence: Sequence(r.Bits(16)), HasAck: flags&flagAck != 0, Messages: flags&flagMessages != 0}
	malformed := flags&flagsUnused != 0 || !h.HasAck && flags&(flagAck-1) != 0
	if h.HasAck {
		h.Ack, h.AckTime = Sequence(r.Bits(16)), uint16(r.Bits(16))
		for i := range AckBits / 8 {
			b := uint64(0xff)
			if flags&(1<<i) != 0 {
				b = r.Bits(8)
				malformed = malformed || b == 0xff
			}
			h.AckMask |= uint32(b) << (8 * i)
		}
	}
	if malformed || r.Err() != nil {
		return Header{}, nil, ErrHeader
	}
	return h, p[r.pos/8:], nil
}
