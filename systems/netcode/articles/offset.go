package articles

import (
	"cmp"
	"math"
	"time"
)

// defaultHalfLife is the half-life of an [ErrorOffset] whose HalfLife is 0. After 0.7 s 9 % of an
// offset are left.
const defaultHalfLife = 200 * time.Millisecond

// Space computes differences of values. This package has [Scalar], [Vec3] and [Rotation]. Implement
// it for a type of your own.
type Space[T any] interface {
	// Offset returns the offset with which Apply turns from into to.
	Offset(from, to T) T
	// Apply returns a value with an offset.
	Apply(v, offset T) T
	// Scale returns an offset shortened to the fraction k, 0 to 1.
	Scale(offset T, k float64) T
	// Size returns the length of an offset, at least 0, in the unit of the space.
	Size(offset T) float64
}

// ErrorOffset hides corrections by applying them over time, as in Multiplayer Platformer Log #3.
// The difference made by a correction becomes an offset of the picture. It decays exponentially in
// time, so the picture glides to the simulated value. The decay depends only on the time that
// passes, not on the number of frames (unlike the well-known 0.9 per frame). The offset is not part
// of the simulation. Never feed the result of Apply back into it.
//
// The zero value is ready and has no offset. S is the space of T: ErrorOffset[mgl32.Vec3, Vec3].
//
// Source: G. Fiedler, "State Synchronization", 2015. The product fades its corrections in package
// interpolation.
type ErrorOffset[T any, S Space[T]] struct {
	// HalfLife is the time in which an offset halves. 0 means 200 ms. With a negative half-life
	// offsets vanish at once.
	HalfLife time.Duration
	// Snap is the size beyond which an offset is dropped instead of hidden, as after a teleport. 0
	// means never.
	Snap float64
	// Rest is the size below which an offset ends. 0 means 0.0001.
	Rest float64

	space  S
	offset T
	active bool
}

// Correct takes the simulated values before and after a correction. The picture does not move,
// unless the offset exceeds Snap or the values have no distance (NaN). Then the offset is dropped
// and Correct returns false.
func (e *ErrorOffset[T, S]) Correct(before, after T) bool {
	e.offset = e.space.Offset(after, e.Apply(before))
	size := e.space.Size(e.offset)
	e.active = size > e.rest()
	if math.IsNaN(size) || math.IsInf(size, 0) || e.Snap > 0 && size > e.Snap {
		e.active = false
		return false
	}
	return true
}

// Advance decays the offset over a time. Negative times count as 0.
func (e *ErrorOffset[T, S]) Advance(dt time.Duration) {
	if !e.active || dt <= 0 {
		return
	}
	half := e.HalfLife
	half = cmp.Or(half, defaultHalfLife)
	if half < 0 {
		e.active = false
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

// Apply returns the value to draw for a simulated one. Without an offset the result is the value
// itself, bit for bit.
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
