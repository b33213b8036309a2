package snapshot

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// Scale is the scale of a pose on each axis, as it is sent: in 16 bits each. The zero value is a
// scale of 1. A negative scale mirrors, and a scale of 0 on an axis is one as well.
//
// The numbers are those of a 16-bit float without infinities: eleven binary digits, from 1/16384
// up to 131008. Between these a scale is off by at most 1 part in 2048, and whole numbers up to
// 2048, halves, quarters and the like are exact. Below 1/16384 it is off by at most 2^-25. A scale
// beyond the range is clamped to it, and NaN counts as 1.
//
// The digits of such a float, read as a whole number, grow about with the logarithm of the scale.
// So the difference of two of them is small for a small change in proportion, of any size.
type Scale [3]int16

const (
	scaleOne     = 15 << 10  // the number of a scale of 1
	mostScale    = 1<<15 - 1 // that of the greatest
	scaleUnit    = 0x1p112   // of a float32 whose bits are a scale's, shifted
	scaleDropped = 23 - 10   // digits that a float32 has more
	scaleHalf    = 1 << (scaleDropped - 1)
)

// ScaleOf returns a scale as it is sent.
func ScaleOf(v mgl32.Vec3) (s Scale) {
	if v == (mgl32.Vec3{1, 1, 1}) {
		return Scale{}
	}
	for k, x := range v {
		if x != x {
			continue
		}
		number := min((math.Float32bits(float32(math.Abs(float64(x)))/scaleUnit)+scaleHalf)>>scaleDropped, mostScale)
		if x < 0 {
			number = -number
		}
		s[k] = int16(number - scaleOne)
	}
	return s
}

// Vec3 returns the scale on each axis. It is finite for any Scale.
func (s Scale) Vec3() (v mgl32.Vec3) {
	if s == (Scale{}) {
		return mgl32.Vec3{1, 1, 1}
	}
	for k, x := range s {
		number := int32(x + scaleOne) // within 16 bits, as it was made
		v[k] = math.Float32frombits(uint32(max(number, -number))<<scaleDropped) * scaleUnit
		if number < 0 {
			v[k] = -v[k]
		}
	}
	return v
}

// A scale that differs from the baseline's stands behind traits that name nothing: six bits, of
// which only the first is set. So one that stays the same costs no bit. It is one of
//
//	0 number          the same on all axes, as a difference to the baseline's on the first
//	1 axis axis axis  on each axis: 0 as before, or 1 and a number, as a difference
const announced, announcedBits = 0b000001, 6

// scaleOrder is the order of the Golomb codes of these differences. A fade over some tenths of a
// second has differences of some dozens to hundreds, and the first scale of an entity of thousands.
const scaleOrder = 6

// writeScale writes a scale that differs from the baseline's, with the traits that announce it.
func writeScale(w *packet.Writer, s, base Scale) {
	w.Bits(announced, announcedBits)
	if !flag(w, s[0] != s[1] || s[0] != s[2]) {
		w.SignedGolomb(int64(s[0]-base[0]), scaleOrder)
		return
	}
	for k := range 3 {
		if flag(w, s[k] != base[k]) {
			w.SignedGolomb(int64(s[k]-base[k]), scaleOrder)
		}
	}
}

// readScale reads a scale behind the traits that announce it.
func readScale(r *packet.Reader, base Scale) (s Scale) {
	if !r.Bool() {
		x := readScaleAxis(r, base[0])
		return Scale{x, x, x}
	}
	for k := range 3 {
		if s[k] = base[k]; r.Bool() {
			s[k] = readScaleAxis(r, base[k])
		}
	}
	return s
}

func readScaleAxis(r *packet.Reader, base int16) int16 {
	d := r.SignedGolomb(scaleOrder)
	if d != int64(int16(d)) {
		r.Fail(packet.ErrMalformed)
	}
	return base + int16(d)
}
