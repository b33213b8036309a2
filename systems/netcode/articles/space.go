package articles

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Scalar is the [Space] of plain numbers: a health bar, a field of view.
type Scalar struct{}

// Offset implements [Space].
func (Scalar) Offset(from, to float64) float64 { return to - from }

// Apply implements [Space].
func (Scalar) Apply(v, offset float64) float64 { return v + offset }

// Scale implements [Space].
func (Scalar) Scale(offset, k float64) float64 { return offset * k }

// Size implements [Space].
func (Scalar) Size(offset float64) float64 { return math.Abs(offset) }

// Vec3 is the [Space] of positions in space.
type Vec3 struct{}

// Offset implements [Space].
func (Vec3) Offset(from, to mgl32.Vec3) mgl32.Vec3 { return to.Sub(from) }

// Apply implements [Space].
func (Vec3) Apply(v, offset mgl32.Vec3) mgl32.Vec3 { return v.Add(offset) }

// Scale implements [Space].
func (Vec3) Scale(offset mgl32.Vec3, k float64) mgl32.Vec3 { return offset.Mul(float32(k)) }

// Size implements [Space].
func (Vec3) Size(offset mgl32.Vec3) float64 {
	return math.Hypot(math.Hypot(float64(offset[0]), float64(offset[1])), float64(offset[2]))
}

// Rotation is the [Space] of unit quaternions. Offsets are rotations in the parent's frame by the
// shortest arc, and Scale keeps a part of the arc. Their size is the angle in radians, at most pi.
type Rotation struct{}

// Offset implements [Space].
func (Rotation) Offset(from, to mgl32.Quat) mgl32.Quat { return to.Mul(from.Conjugate()) }

// Apply implements [Space].
func (Rotation) Apply(v, offset mgl32.Quat) mgl32.Quat { return offset.Mul(v).Normalize() }

// Scale implements [Space].
func (r Rotation) Scale(offset mgl32.Quat, k float64) mgl32.Quat {
	half := r.Size(offset) / 2
	length := math.Sqrt(float64(offset.V.Dot(offset.V)))
	if !(length > 0) {
		return mgl32.QuatIdent()
	}
	sin, cos := math.Sincos(half * k)
	sin /= length
	if offset.W < 0 { // the negated quaternion is the same rotation
		sin = -sin
	}
	return mgl32.Quat{W: float32(cos), V: offset.V.Mul(float32(sin))}
}

// Size implements [Space].
func (Rotation) Size(offset mgl32.Quat) float64 {
	return 2 * math.Atan2(math.Sqrt(float64(offset.V.Dot(offset.V))), math.Abs(float64(offset.W)))
}
