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
		if f.have < 2 {
			continue
		}
		size, payload := f.measure()
		if f.have < size {
			continue
		}
		begun++
		f.left = payload
		opcode, fin := f.header[0]&0x0f, f.header[0]&0x80 != 0
		if opcode == 9 || opcode == 10 || f.left == 0 && !fin {
			empty++
		}
		f.have = 0
	}
	return begun, empty
}

// measure returns the length of the header and that of the payload behind it. The length of the
// header is known from the first two bytes on, the payload's when all of the header is there.
func (f *frames) measure() (size int, payload uint64) {
	switch n := f.header[1] & 0x7f; n {
	case 126:
		size, payload = 4, uint64(binary.BigEndian.Uint16(f.header[2:]))
	case 127:
		size, payload = 10, binary.BigEndian.Uint64(f.header[2:])
	default:
		size, payload = 2, uint64(n)
	}
	if f.header[1]&0x80 != 0 {
		size += 4 // the mask
	}
	return size, payload
}
