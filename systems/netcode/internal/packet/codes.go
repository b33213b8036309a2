package packet

import "math/bits"

// Uvarint writes v in groups of seven bits, the lowest first. Each group is followed by a bit that
// reports whether another follows. Values below 128 take 8 bits.
func (w *Writer) Uvarint(v uint64) {
	for v >= 0x80 {
		w.Bits(v&0x7f|0x80, 8)
		v >>= 7
	}
	w.Bits(v, 8)
}

// Uvarint reads the form that [Writer.Uvarint] writes. Longer forms than necessary, and more than
// 64 bits, are malformed.
func (r *Reader) Uvarint() uint64 {
	var v uint64
	for shift := uint(0); shift < 64; shift += 7 {
		group := r.Bits(8)
		v |= group & 0x7f << shift
		if group < 0x80 {
			if group == 0 && shift > 0 || shift == 63 && group > 1 {
				r.Fail(ErrMalformed)
				return 0
			}
			return v
		}
	}
	r.Fail(ErrMalformed)
	return 0
}

// Varint writes a signed number as a Uvarint, small magnitudes of either sign in few bits.
func (w *Writer) Varint(v int64) { w.Uvarint(Fold(v)) }

// Varint reads the form that [Writer.Varint] writes.
func (r *Reader) Varint() int64 { return unfold(r.Uvarint()) }

// MaxGolomb is the largest order of a Golomb code. MaxGolombValue is the largest value that the
// code can hold.
const (
	MaxGolomb      = 15
	MaxGolombValue = 1<<32 - 1
)

// Golomb writes v, at most MaxGolombValue, in an exponential Golomb code (as H.264 does): n zeros,
// a one, and n+order bits. Values below 2^order take order+1 bits, and every doubling beyond takes
// two bits more. The code suits numbers that are mostly below 2^order. Larger values and orders
// panic.
func (w *Writer) Golomb(v uint64, order uint) {
	if v > MaxGolombValue || order > MaxGolomb {
		panic("packet: Writer.Golomb takes values of 32 bits and orders up to MaxGolomb")
	}
	if code, n := GolombCode(v, order); n <= 64 {
		w.Bits(code, n)
		return
	}
	n := uint(bits.Len64(v>>order+1)) - 1
	w.Bits(1<<n, n+1)
	w.Bits(v+1<<order, n+order)
}

// GolombCode returns the form that [Writer.Golomb] writes, as the n lowest bits of a number, for
// callers that write several codes at once. Values below 2^31 have codes of at most 63 bits. If n
// is above 64, the code is not usable.
func GolombCode(v uint64, order uint) (code uint64, n uint) {
	sum := v + 1<<order
	n = uint(bits.Len64(sum>>order)) - 1
	// The one is followed by the bits of sum>>order below its highest, and by the bits of v below
	// the order: together they are those of the sum.
	return (sum^1<<(n+order))<<(n+1) | 1<<n, 2*n + 1 + order
}

// GolombLen returns the number of bits that [Writer.Golomb] takes.
func GolombLen(v uint64, order uint) int { return 2*bits.Len64(v>>order+1) - 1 + int(order) }

// Golomb reads the form that [Writer.Golomb] writes. Values beyond MaxGolombValue are malformed.
func (r *Reader) Golomb(order uint) uint64 {
	if order > MaxGolomb {
		panic("packet: Reader.Golomb takes orders up to MaxGolomb")
	}
	if r.err != nil {
		return 0
	}
	ahead := r.peek()
	n := uint(bits.TrailingZeros64(ahead))
	if n > 32 {
		if r.Remaining() <= 32 {
			r.Fail(ErrShort)
		}
		r.Fail(ErrMalformed)
		return 0
	}
	var v uint64
	if size := 2*n + 1 + order; size <= 57 && r.pos+int(size) <= len(r.buf)*8 {
		v = ahead >> (n + 1) & (1<<(n+order) - 1)
		r.pos += int(size)
	} else {
		r.Bits(n + 1)
		v = r.Bits(n + order)
	}
	v = (v | 1<<(n+order)) - 1<<order
	if r.err != nil {
		return 0
	}
	if v > MaxGolombValue {
		r.err = ErrMalformed
		return 0
	}
	return v
}

// SignedGolomb writes a v whose magnitude is below 2^31. Small magnitudes of either sign take few
// bits; see [Writer.Golomb].
func (w *Writer) SignedGolomb(v int64, order uint) { w.Golomb(Fold(v), order) }

// SignedGolomb reads the form that [Writer.SignedGolomb] writes.
func (r *Reader) SignedGolomb(order uint) int64 { return unfold(r.Golomb(order)) }

// Fold maps 0, -1, 1, -2, 2 ... to 0, 1, 2, 3, 4 ..., the form of signed numbers on the wire.
func Fold(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

func unfold(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
