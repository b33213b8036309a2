package articles

import (
	"cmp"
	"math"
	"time"
)

// DefaultHalfLife is the half-life of an [ErrorOffset] that says 0: after 0.7 s 9 % are left.
const DefaultHalfLife = 200 * time.Millisecond

// Space is how values of a kind differ. [Scalar], [Angle], [Vec2], [Vec3] and [Rotation] are there;
// write one for a type of your own.
type Space[T any] interface {
	// Offset returns the offset with which Apply makes to out of from.
	Offset(from, to T) T
	// Apply returns a value with an offset.
	Apply(v, offset T) T
	// Scale returns an offset shortened to the fraction k, 0 to 1.
	Scale(offset T, k float64) T
	// Size returns the length of an offset, at least 0, in the unit of the space.
	Size(offset T) float64
}

// ErrorOffset hides corrections: what a correction moved becomes an offset to what is drawn, and
// decays exponentially in time, so that the picture glides to where the simulation already is. It
// depends on the time that passes only, not on how many frames that is (the well-known 0.9 per
// frame does), and it is no part of the simulation: never feed what Apply returns back into it.
//
// The zero value is ready and without an offset. S is the space of T: ErrorOffset[mgl32.Vec3,
// Vec3].
//
// An offset between what is drawn and what is simulated: G. Fiedler, "State Synchronization", 2015.
type ErrorOffset[T any, S Space[T]] struct {
	// HalfLife is the time in which an offset halves; 0 means DefaultHalfLife, a negative one no
	// time at all.
	HalfLife time.Duration
	// Snap is the size beyond which an offset is not worth hiding and is dropped, as after a
	// teleport; 0 means never.
	Snap float64
	// Rest is the size below which an offset ends; 0 means 0.0001.
	Rest float64

	space  S
	offset T
	active bool
}

// Correct takes a correction: where the simulation was before it, and where it is after. What is
// drawn does not move by it, unless the offset exceeds Snap; then, or for values without a distance
// (NaN), it returns false, and the offset is gone.
func (e *ErrorOffset[T, S]) Correct(before, after T) bool {
	e.offset = e.space.Offset(after, e.Apply(before))
	size := e.space.Size(e.offset)
	e.active = size > e.rest()
	if math.IsNaN(size) || math.IsInf(size, 0) || e.Snap > 0 && size > e.Snap {
		e.Clear()
		return false
	}
	return true
}

// Clear drops the offset.
func (e *ErrorOffset[T, S]) Clear() { e.active = false }

// Advance lets time pass. Negative times count as none.
func (e *ErrorOffset[T, S]) Advance(dt time.Duration) {
	if !e.active || dt <= 0 {
		return
	}
	half := e.HalfLife
	half = cmp.Or(half, DefaultHalfLife)
	if half < 0 {
		e.Clear()
		return
	}
	e.offset = e.space.Scale(e.offset, math.Exp2(-float64(dt)/float64(half)))
	e.active = e.space.Size(e.offset) > e.rest()
}

func (e *ErrorOffset[T, S]) rest() float64 {
	if e.Rest > 0 {
		return e.Rest
	}
	return 1e-4
}

// Apply returns what to draw for a simulated value. Without an offset that is the value itself, bit
// for bit.
func (e *ErrorOffset[T, S]) Apply(v T) T {
	if !e.active {
		return v
	}
	return e.space.Apply(v, e.offset)
}

// Size returns the length of the offset, 0 without one.
func (e *ErrorOffset[T, S]) Size() float64 {
	if !e.active {
		return 0
	}
	return e.space.Size(e.offset)
}
