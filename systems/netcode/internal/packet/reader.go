package packet

import (
	"encoding/binary"
	"errors"
	"math"
)

var (
	// ErrShort is the error of a [Reader] that was asked for more bits than there are: the packet
	// was cut off, or forged.
	ErrShort = errors.New("packet: ends in the middle of a value")

	// ErrMalformed is the error of a [Reader] that found bits that no [Writer] writes: padding that
	// is not zero, a number that has a shorter form or is out of range.
	ErrMalformed = errors.New("packet: malformed value")
)

// Reader reads bits from bytes that may come from anywhere. The zero value is empty; see
// [NewReader].
//
// The first error stays, and every later read returns zero: read a whole structure, then check
// [Reader.Err] once. Loops whose length was read must also end on an error. A Reader allocates
// nothing, and never reads beyond its bytes.
type Reader struct {
	buf []byte
	pos int // in bits
	err error
}

// NewReader returns a Reader of buf.
func NewReader(buf []byte) Reader { return Reader{buf: buf} }

// Err returns the first error, or nil.
func (r *Reader) Err() error { return r.err }

// Fail makes err the Reader's error, if it has none yet. Decoders built on top call it for a value
// out of range.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Remaining returns the number of bits that are left. After an error it is zero.
func (r *Reader) Remaining() int {
	if r.err != nil {
		return 0
	}
	return len(r.buf)*8 - r.pos
}

// Close checks that everything was read: the rest must be less than a byte, and zero. It returns
// the Reader's error, which it sets to ErrMalformed if there is more.
func (r *Reader) Close() error {
	if n := r.Remaining(); n >= 8 || r.Bits(uint(n)) != 0 {
		r.Fail(ErrMalformed)
	}
	return r.err
}

// Bits reads a number of n bits, n from 0 to 64.
func (r *Reader) Bits(n uint) uint64 {
	if n > 64 {
		panic("packet: Reader.Bits reads at most 64 bits at a time")
	}
	if r.err != nil {
		return 0
	}
	if r.pos+int(n) > len(r.buf)*8 {
		r.err = ErrShort
		return 0
	}
	v := r.peek()
	if shift := uint(r.pos & 7); shift+n > 64 {
		v |= uint64(r.buf[r.pos>>3+8]) << (64 - shift)
	}
	r.pos += int(n)
	return v & (1<<n - 1)
}

// peek returns the next bits, at least 57 of them or as many as are left, with zeros above.
func (r *Reader) peek() uint64 {
	at, shift := r.pos>>3, uint(r.pos&7)
	if at+8 <= len(r.buf) {
		return binary.LittleEndian.Uint64(r.buf[at:]) >> shift
	}
	var v uint64
	for i := len(r.buf) - 1; i >= at; i-- {
		v = v<<8 | uint64(r.buf[i])
	}
	return v >> shift
}

// Bool reads one bit.
func (r *Reader) Bool() bool { return r.Bits(1) != 0 }

// Int reads n bits of two's complement, n from 0 to 64.
func (r *Reader) Int(n uint) int64 {
	if n == 0 {
		return 0
	}
	return int64(r.Bits(n)<<(64-n)) >> (64 - n)
}

// Float32 reads 32 bits as they are: the result may be NaN or infinite.
func (r *Reader) Float32() float32 { return math.Float32frombits(uint32(r.Bits(32))) }

// Align skips to the next byte. The skipped bits must be zero.
func (r *Reader) Align() {
	if r.Bits(uint(-r.pos&7)) != 0 {
		r.Fail(ErrMalformed)
	}
}

// Blob reads the form that [Writer.Blob] writes: at most max bytes, otherwise the error is
// ErrMalformed. The result is a part of the Reader's own bytes, not a copy.
func (r *Reader) Blob(max int) []byte {
	n := r.Uvarint()
	r.Align()
	if r.err == nil && n > uint64(max) {
		r.err = ErrMalformed
	}
	return r.bytes(n)
}

// bytes returns the next n whole bytes. The Reader must be aligned.
func (r *Reader) bytes(n uint64) []byte {
	if r.err != nil {
		return nil
	}
	at := r.pos >> 3
	if n > uint64(len(r.buf)-at) {
		r.err = ErrShort
		return nil
	}
	r.pos += int(n) * 8
	return r.buf[at : at+int(n) : at+int(n)]
}
