package components

import (
	"math/bits"
	"time"
)

// WriteKind tells how the last write wants to reach the screen.
type WriteKind uint8

// The kinds of writes. Moved is also what an unwritten Logical says.
const (
	Moved      WriteKind = iota // interpolated over the step
	Arrives                     // interpolated until its own arrival time
	Corrected                   // a prediction mended; the difference decays
	Teleported                  // not interpolated; also every value that was never captured
)

// LogicalRecord is what stands behind a [Logical]: the value, the revision counter and the skip-interpolation state. A synchronizer owns the last two and
// settles them with [LogicalRecord.Acknowledge] once per fixed step.
type LogicalRecord[T any] struct {
	Value    T      // as last written
	Revision uint32 // 0: fresh
	state    uint32 // kind (2 bits), longDuration (1 bit), then 29 bits: the owner's tag, or the duration of a pending SetOver
}

const (
	writeMove     = uint32(Moved)
	writeOver     = uint32(Arrives)
	writeCorrect  = uint32(Corrected)
	writeTeleport = uint32(Teleported)

	kindMask     = 0b011
	longDuration = 0b100 // the duration is a mantissa times a power of two, else a number of nanoseconds
	payloadShift = 3
	payloadMax   = 1<<29 - 1
	mantissaBits = 23
	mantissaMask = 1<<mantissaBits - 1
	// maxDuration, 146 years, can be added to any time of a clock that has run for less.
	maxDuration = time.Duration(1 << 62)
	// anyOwner stands for the owner's tag where a pending SetOver had overwritten it.
	anyOwner = payloadMax
)

func (r *LogicalRecord[T]) write(v T, kind, duration uint32) {
	r.Value = v
	r.Revision++
	if r.Revision == 0 {
		r.Revision = 1
	}
	switch pending := r.state & kindMask; {
	case kind == writeTeleport:
		r.state = r.state&^(kindMask|longDuration) | writeTeleport
	case r.state>>payloadShift == 0 && pending != writeOver:
		// Never captured: whatever is written, it appears where it is.
	case pending == writeTeleport:
		// A write after a jump in the same step belongs to the jump.
	case kind == writeOver && pending != writeCorrect:
		r.state = writeOver | duration
	case kind == writeOver:
		// A correction keeps its offset; the arrival becomes the end of the step.
	case kind == writeMove && pending == writeCorrect:
	case pending == writeOver:
		r.state = kind | anyOwner<<payloadShift
	default:
		r.state = r.state&^kindMask | kind
	}
}

// Pending returns the kind of the writes since the last capture, seen by the synchronizer that gave the owner tag, and for Arrives the duration.
// A record that carries another tag was overwritten whole: Teleported.
func (r *LogicalRecord[T]) Pending(owner uint32) (WriteKind, time.Duration) {
	kind, payload := r.state&kindMask, r.state>>payloadShift
	if kind == writeOver {
		return Arrives, unpackDuration(r.state)
	}
	if payload != anyOwner && payload != owner {
		return Teleported, 0
	}
	return WriteKind(kind), 0
}

// OwnedBy reports whether the record still carries the owner's tag. A SetOver takes it away until the next capture.
func (r *LogicalRecord[T]) OwnedBy(owner uint32) bool {
	return r.state&kindMask != writeOver && r.state>>payloadShift == owner
}

// Plain reports whether nothing but ordinary movements are pending, given that the record has not been exchanged for another since it was last
// acknowledged. It is the cheap half of [LogicalRecord.Pending], for a capture's inner loop.
func (r *LogicalRecord[T]) Plain() bool { return r.state&(kindMask|longDuration) == 0 && r.state != 0 }

// Acknowledge marks the writes up to now as captured by the owner: later writes are interpolated. A fresh record, or one from elsewhere, continues at the
// given revision, so that the next overwrite is noticed again.
func (r *LogicalRecord[T]) Acknowledge(owner, revision uint32) {
	r.state = owner << payloadShift
	r.Revision = revision
}

// OwnerTag returns the tag and the first revision that a synchronizer uses for the logical values of one entity. Both are spread by a hash: a Logical
// assigned from another entity then carries, all but certainly, a foreign revision and a foreign tag, so that it is noticed, and as a jump.
func OwnerTag(id, generation uint32) (tag, revision uint32) {
	x := uint64(id)<<32 | uint64(generation)
	x += 0x9e3779b97f4a7c15 // splitmix64 (Steele, Lea, Flood 2014)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	tag = uint32(x) & payloadMax
	if tag == 0 || tag == anyOwner {
		tag = 1
	}
	revision = uint32(x >> 32)
	if revision == 0 {
		revision = 1
	}
	return tag, revision
}

// packDuration fits d into the 29 bits and the flag: up to 536 ms to the nanosecond, beyond that to 23 binary digits, which is as exact as a position
// in float32.
func packDuration(d time.Duration) uint32 {
	switch {
	case d <= 0:
		return 0
	case d <= payloadMax:
		return uint32(d) << payloadShift
	}
	d = min(d, maxDuration)
	exponent := bits.Len64(uint64(d)) - mantissaBits
	mantissa := (uint64(d) + 1<<(exponent-1)) >> exponent
	if mantissa > mantissaMask {
		mantissa >>= 1
		exponent++
	}
	return longDuration | (uint32(exponent)<<mantissaBits|uint32(mantissa))<<payloadShift
}

func unpackDuration(state uint32) time.Duration {
	payload := state >> payloadShift
	if state&longDuration == 0 {
		return time.Duration(payload)
	}
	return time.Duration(payload&mantissaMask) << (payload >> mantissaBits)
}
