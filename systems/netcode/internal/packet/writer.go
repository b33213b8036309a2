package packet

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrFull is the error of a [Writer] whose buffer had no room for a value. Give it a larger buffer,
// or write less.
var ErrFull = errors.New("packet: no room left in the buffer")

// Writer packs bits into a caller's buffer. The zero value has no room; see [NewWriter].
//
// A value that does not fit and everything after it are left out, and [Writer.Err] reports it:
// check it once at the end. A copy of a Writer taken before a write can undo it: assign the copy
// back to undo everything since (the bytes that Bytes returned until then stay valid).
type Writer struct {
	buf  []byte
	pos  int    // whole bytes in buf
	acc  uint64 // bits that are not in buf yet, the first in the lowest place
	n    uint   // their number, 0 to 63
	room uint   // bits that still fit; zero after an error
	full bool
}

// NewWriter returns a Writer over buf, which it overwrites from the beginning and never grows.
func NewWriter(buf []byte) Writer { return Writer{buf: buf, room: uint(len(buf)) * 8} }

// Err returns ErrFull if something did not fit, else nil.
func (w *Writer) Err() error {
	if w.full {
		return ErrFull
	}
	return nil
}

// Len returns the number of bits written.
func (w *Writer) Len() int { return w.pos*8 + int(w.n) }

// Room returns the number of bits that still fit. After an error it is zero.
func (w *Writer) Room() int { return int(w.room) }

// Bytes returns the bytes written so far, a slice of the caller's buffer. The unused bits of the
// last byte are zero. More may be written afterwards.
func (w *Writer) Bytes() []byte {
	end := w.pos
	for acc, n := w.acc, int(w.n); n > 0; n -= 8 {
		w.buf[end] = byte(acc)
		acc >>= 8
		end++
	}
	return w.buf[:end]
}

// Bits writes the n lowest bits of v, n from 0 to 64.
func (w *Writer) Bits(v uint64, n uint) {
	if w.n+n >= 64 || n > w.room {
		w.spill(v, n)
		return
	}
	// The fast path is small enough to be inlined.
	w.acc |= v & (1<<n - 1) << w.n
	w.n += n
	w.room -= n
}

// spill is Bits for values that fill a word, or do not fit.
func (w *Writer) spill(v uint64, n uint) {
	if n > 64 {
		panic("packet: Writer.Bits writes at most 64 bits at a time")
	}
	if n > w.room {
		w.fail()
		return
	}
	v &= 1<<n - 1
	binary.LittleEndian.PutUint64(w.buf[w.pos:], w.acc|v<<w.n)
	w.pos += 8
	w.acc = v >> (64 - w.n)
	w.n = w.n + n - 64
	w.room -= n
}

func (w *Writer) fail() { w.full, w.room = true, 0 }

// Bool writes one bit.
func (w *Writer) Bool(v bool) {
	var bit uint64
	if v {
		bit = 1
	}
	w.Bits(bit, 1)
}

// Int writes v in n bits of two's complement. A v that does not fit panics.
func (w *Writer) Int(v int64, n uint) {
	if n == 0 && v != 0 || n > 0 && n < 64 && v>>(n-1) != v>>63 {
		panic("packet: Writer.Int: the value does not fit the number of bits")
	}
	w.Bits(uint64(v), n)
}

// Float32 writes the 32 bits of v.
func (w *Writer) Float32(v float32) { w.Bits(uint64(math.Float32bits(v)), 32) }

// Align writes zeros up to the next byte.
func (w *Writer) Align() { w.Bits(0, -w.n&7) }

// Blob writes the length of p as a Uvarint, aligns, and writes the bytes.
func (w *Writer) Blob(p []byte) {
	w.Uvarint(uint64(len(p)))
	w.Align()
	w.Append(p, len(p)*8)
}

// Append writes the first n bits of src, which are in the order of [Writer.Bytes]. A src of less
// than n bits panics.
func (w *Writer) Append(src []byte, n int) {
	if n > w.Room() {
		w.fail()
		return
	}
	for ; n > 64; n -= 64 {
		w.Bits(binary.LittleEndian.Uint64(src), 64)
		src = src[8:]
	}
	if len(src) >= 8 {
		w.Bits(binary.LittleEndian.Uint64(src), uint(n))
		return
	}
	for ; n >= 8; n -= 8 {
		w.Bits(uint64(src[0]), 8)
		src = src[1:]
	}
	if n > 0 {
		w.Bits(uint64(src[0]), uint(n))
	}
}
