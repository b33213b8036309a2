// Package record holds the state behind a components.Logical: the value, a revision counter, and
// the kind of the pending writes.
//
// Code that has a pointer to a Logical from arche's tables uses it as a pointer to a [Record]: a
// Logical is its record and nothing else. Any number of readers may look at a record with
// [Record.Pending] and [Record.Revision]. Pending writes are settled only by [Record.Settle], once
// a step, from ecs.OrderCapture on: by the interpolator's capture for entities with samples, and by
// a server for those without. [Record.Begin] does so once for an entity, when its samples are
// attached.
package record

import (
	"math/bits"
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

// Kind says how the writes of a step reach the screen.
type Kind uint8

// The kinds of writes. A record without pending writes says Moved.
const (
	Moved      Kind = iota // interpolated over the step
	Arrives                // interpolated until its own arrival time
	Corrected              // a mended prediction; the difference fades
	Teleported             // not interpolated; also every value that was never settled
)

// Synchronizer is the resource of a world whose engine has an interpolator of values of type T.
type Synchronizer[T any] struct{ _ byte }

// Record is the value and its bookkeeping. The zero value is a fresh record of a zero value.
type Record[T any] struct {
	value    T      // as last written
	revision uint32 // 0: fresh
	// kind (2 bits), longDuration (1 bit), then 29 bits: the owner's tag, or the duration of a
	// pending SetOver
	state uint32
}

const (
	kindMask = 0b011
	// the duration is a mantissa times a power of two, else a number of nanoseconds
	longDuration = 0b100
	payloadShift = 3
	payloadMax   = 1<<29 - 1
	mantissaBits = 23
	mantissaMask = 1<<mantissaBits - 1
	// maxDuration, 146 years, can be added to any time of a clock that has run for less.
	maxDuration = time.Duration(1 << 62)
	// anyOwner stands for the owner's tag where a pending SetOver had overwritten it.
	anyOwner = payloadMax
	// inMotion is the state of a fresh record that begins with a movement: a fresh one is never
	// Corrected otherwise, and a settled one has a tag. If a SetOver is pending, inMotionOver is
	// set and the payload is its duration. Only Arrives has the flag longDuration otherwise, so
	// here inMotionLong says that the duration is a mantissa times a power of two.
	inMotion     = uint32(Corrected)
	inMotionOver = inMotion | longDuration
	inMotionLong = 0b001
	// farWrites is more writes to one value than a step makes. A revision that is farther on, under
	// a tag that a SetOver has taken away, belongs to another entity's value.
	farWrites = 1 << 12
)

// New returns a fresh record.
func New[T any](v T) Record[T] { return Record[T]{value: v} }

// NewInMotion returns a fresh record whose first capture is a movement to the value, from one that
// is kept elsewhere. Without samples it appears where it is.
func NewInMotion[T any](v T) Record[T] { return Record[T]{value: v, state: inMotion} }

// InMotion reports whether the record is fresh and begins with a movement.
func (r *Record[T]) InMotion() bool {
	return r.state == inMotion || r.state&inMotionOver == inMotionOver
}

// Value returns the value in place, as it was last written.
func (r *Record[T]) Value() *T { return &r.value }

// Revision returns a counter that differs after every write; 0: never written and never settled.
func (r *Record[T]) Revision() uint32 { return r.revision }

// RevisionCell returns where the revision lies, for scans of whole columns.
func (r *Record[T]) RevisionCell() *uint32 { return &r.revision }

// Rebase replaces the value by the same one in other coordinates. It is no write.
func (r *Record[T]) Rebase(v T) { r.value = v }

// Write replaces the value. The duration is that of Arrives, and 0 for the other kinds.
func (r *Record[T]) Write(v T, kind Kind, over time.Duration) {
	r.value = v
	r.revision = next(r.revision)
	switch pending := Kind(r.state & kindMask); {
	case kind == Teleported:
		r.state = r.state&^(kindMask|longDuration) | uint32(Teleported)
	case pending >= Corrected && r.InMotion():
		r.state = inMotion
		if packed := packDuration(over); kind == Arrives {
			r.state = inMotionOver | packed | packed&longDuration/longDuration*inMotionLong
		}
	case r.state>>payloadShift == 0 && pending != Arrives:
		// Never settled: every write appears where it is.
	case pending == Teleported:
		// A write after a jump in the same step belongs to the jump.
	case kind == Arrives && pending != Corrected:
		r.state = uint32(Arrives) | packDuration(over)
	case kind == Arrives:
		// A correction keeps its offset; the arrival becomes the end of the step.
	case kind == Moved && pending == Corrected:
	case pending == Arrives:
		r.state = uint32(kind) | anyOwner<<payloadShift
	default:
		r.state = r.state&^kindMask | uint32(kind)
	}
}

// Owner is the trace of an entity in its settled record: a tag and the first revision. Both are
// spread by a hash, so a record assigned from another entity carries, all but certainly, a foreign
// tag and a foreign revision.
//
// The entity itself would be exact, but makes a pose's record 64 bytes long instead of 48, and the
// scan for written rows slower by more than a tenth; ARCHITECTURE.md has the figures.
type Owner struct{ tag, first uint32 }

// OwnerOf returns the owner that stands for an entity.
func OwnerOf(e arche.Entity) Owner { return ownerOf(e.ID(), e.Generation()) }

func ownerOf(id, generation uint32) Owner {
	x := uint64(id)<<32 | uint64(generation)
	x += 0x9e3779b97f4a7c15 // splitmix64 (Steele, Lea, Flood 2014)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	tag := uint32(x) & payloadMax
	if tag == 0 || tag == anyOwner {
		tag = 1
	}
	return Owner{tag, max(uint32(x>>32), 1)}
}

// Plain reports whether nothing but ordinary movements are pending, given that the record has not
// been exchanged for another since it was settled. It is the cheap half of [Record.Pending], for a
// capture's inner loop.
func (r *Record[T]) Plain() bool { return r.state&(kindMask|longDuration) == 0 && r.state != 0 }

// SettledBy reports whether nothing is pending but ordinary movements of the owner's own record.
func (r *Record[T]) SettledBy(owner Owner) bool {
	return r.Plain() && r.state>>payloadShift == owner.tag
}

// Pending returns the kind of the writes since the revision that the owner has seen last, and for
// Arrives the duration. A record that was exchanged for another entity's, for a fresh one or for an
// older copy of itself says Teleported. A reader without a revision passes 0.
func (r *Record[T]) Pending(owner Owner, seen uint32) (Kind, time.Duration) {
	kind, payload := Kind(r.state&kindMask), r.state>>payloadShift
	if r.InMotion() {
		return Teleported, 0
	}
	owned := kind != Arrives && payload == owner.tag
	if writes := r.revision - seen; writes > farWrites && seen != 0 && (int32(writes) < 0 || !owned) {
		return Teleported, 0
	}
	switch {
	case kind == Arrives:
		return Arrives, unpackDuration(r.state)
	case payload != anyOwner && !owned:
		return Teleported, 0
	}
	return kind, 0
}

// Settle ends the pending writes: later ones are interpolated. It returns the result of
// [Record.Pending] before that. After Teleported the record may be a foreign one, so it continues
// the owner's own count of revisions, and the next exchange is noticed again.
func (r *Record[T]) Settle(owner Owner, seen uint32) (Kind, time.Duration) {
	kind, over := r.Pending(owner, seen)
	if kind == Teleported {
		r.revision = owner.first
		if seen != 0 {
			r.revision = next(seen)
		}
	}
	r.state = owner.tag << payloadShift
	return kind, over
}

// Begin settles a record as the owner's first. It returns the revision that counts as captured, and
// whether the record begins with a movement, which is then pending.
func (r *Record[T]) Begin(owner Owner) (seen uint32, moves bool) {
	fresh := r.state
	moves = r.InMotion()
	r.revision, r.state = owner.first, owner.tag<<payloadShift
	switch {
	case fresh&inMotionLong != 0 && moves:
		r.Write(r.value, Arrives, unpackDuration(fresh))
	case fresh != inMotion && moves:
		r.Write(r.value, Arrives, unpackDuration(fresh&^longDuration))
	case moves:
		r.Write(r.value, Moved, 0)
	}
	return owner.first, moves
}

// next returns the revision after another one. Zero is left out: it means fresh.
func next(revision uint32) uint32 { return max(revision+1, 1) }

// packDuration fits d into the 29 bits and the flag: up to 536 ms to the nanosecond, beyond that to
// 23 binary digits, which is as exact as a position in float32.
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
