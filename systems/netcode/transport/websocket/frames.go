//go:build !js

package websocket

import "encoding/binary"

// frames reads the headers of frames (RFC 6455, 5.2) from a stream that arrives in pieces.
type frames struct {
	header [14]byte
	have   int    // bytes of the header so far
	left   uint64 // bytes of the payload to come
}

// scan reads the next piece of the stream. It returns how many headers end in it, and how many of
// their frames bring no data of a message: pings and pongs, also those with a payload, and empty
// pieces of a message that continues.
func (f *frames) scan(b []byte) (begun, empty int) {
	for len(b) > 0 {
		if f.left > 0 {
			n := min(f.left, uint64(len(b)))
			f.left -= n
			b = b[n:]
			continue
		}
		f.header[f.have] = b[0]
		f.have++
		b = b[1:]
		if f.have < 2 || f.have < f.size() {
			continue
		}
		begun++
		f.left = f.payload()
		opcode, fin := f.header[0]&0x0f, f.header[0]&0x80 != 0
		if opcode == 9 || opcode == 10 || f.left == 0 && !fin {
			empty++
		}
		f.have = 0
	}
	return begun, empty
}

// size returns the length of the header from its first two bytes.
func (f *frames) size() int {
	n := 2
	switch f.header[1] & 0x7f {
	case 126:
		n += 2
	case 127:
		n += 8
	}
	if f.header[1]&0x80 != 0 {
		n += 4 // the mask
	}
	return n
}

// payload returns how many bytes follow the header.
func (f *frames) payload() uint64 {
	switch n := f.header[1] & 0x7f; n {
	case 126:
		return uint64(binary.BigEndian.Uint16(f.header[2:]))
	case 127:
		return binary.BigEndian.Uint64(f.header[2:])
	default:
		return uint64(n)
	}
}
