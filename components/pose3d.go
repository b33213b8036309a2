package components

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Pose3D is a position, an orientation and a scale: forty bytes, ten floats, applied in the order
// scale, rotation, translation.
//
// The zero value has a zero rotation and a zero scale, which maps everything to one point.
// [NewLogical] takes both for left out; elsewhere start from [Identity3D].
type Pose3D struct {
	Position mgl32.Vec3 // in the parent's frame
	// unit length; the capture normalises others and takes zero for the identity
	Rotation mgl32.Quat
	Scale    mgl32.Vec3 // per axis of the object's own frame; negative mirrors
}

// Identity3D returns the pose at the origin, unrotated, at scale one.
func Identity3D() Pose3D {
	return Pose3D{Rotation: mgl32.QuatIdent(), Scale: mgl32.Vec3{1, 1, 1}}
}

// At3D returns an unrotated pose at scale one at the given position.
func At3D(x, y, z float32) Pose3D {
	p := Identity3D()
	p.Position = mgl32.Vec3{x, y, z}
	return p
}

// WithDefaults returns p with what was left out: a zero Rotation becomes the identity, a zero Scale
// becomes 1 on all axes. A scale of which only some axes are zero stays as it is.
func (p Pose3D) WithDefaults() Pose3D {
	if p.Rotation == (mgl32.Quat{}) {
		p.Rotation = mgl32.QuatIdent()
	}
	if p.Scale == (mgl32.Vec3{}) {
		p.Scale = mgl32.Vec3{1, 1, 1}
	}
	return p
}

// Apply takes a point from the pose's own frame to its parent's.
func (p Pose3D) Apply(point mgl32.Vec3) mgl32.Vec3 {
	return p.Position.Add(p.Rotation.Rotate(mul3(p.Scale, point)))
}

// Mul composes: the result takes a point first through child, then through p.
//
// The result is exact where p scales all axes by the same amount, mirrored or not. A rotated child
// under another scale would be sheared, which a Pose3D cannot hold; the result then keeps the
// rotation and the product of the scales, as Unity's and Unreal's transforms do. Where shear
// matters use matrices ([Pose3D.Mat4]).
func (p Pose3D) Mul(child Pose3D) Pose3D {
	return Pose3D{
		Position: p.Apply(child.Position),
		Rotation: p.Rotation.Mul(mirrored(child.Rotation, p.Scale)),
		Scale:    mul3(p.Scale, child.Scale),
	}
}

// Inverse returns the pose that undoes p: p.Inverse().Mul(p) is the identity where p scales all
// axes by the same amount other than zero, mirrored or not. A scale of zero on an axis has no
// inverse and gives zero on that axis. Under a rotation and another scale the inverse would be
// sheared; use [Pose3D.Mat4] and invert that.
func (p Pose3D) Inverse() Pose3D {
	back := p.Rotation.Conjugate()
	inv := Pose3D{Rotation: mirrored(back, p.Scale)}
	for i, s := range p.Scale {
		if s != 0 {
			inv.Scale[i] = 1 / s
		}
	}
	inv.Position = mul3(inv.Scale, back.Rotate(p.Position)).Mul(-1)
	return inv
}

// mirrored returns the rotation r as it looks from outside a frame whose axes the scale mirrors:
// the axis of r is a pseudovector, so it turns with the mirror's determinant.
func mirrored(r mgl32.Quat, scale mgl32.Vec3) mgl32.Quat {
	if scale[0] >= 0 && scale[1] >= 0 && scale[2] >= 0 {
		return r
	}
	sign := mgl32.Vec3{1, 1, 1}
	for i, s := range scale {
		if s < 0 {
			sign[i] = -1
		}
	}
	r.V = mul3(r.V, sign).Mul(sign[0] * sign[1] * sign[2])
	return r
}

// Mat4 returns the pose as a column-major matrix, translation in the last column.
func (p Pose3D) Mat4() mgl32.Mat4 {
	x, y, z, w := p.Rotation.V[0], p.Rotation.V[1], p.Rotation.V[2], p.Rotation.W
	sx, sy, sz := p.Scale[0], p.Scale[1], p.Scale[2]
	return mgl32.Mat4{
		(1 - 2*(y*y+z*z)) * sx, 2 * (x*y + w*z) * sx, 2 * (x*z - w*y) * sx, 0,
		2 * (x*y - w*z) * sy, (1 - 2*(x*x+z*z)) * sy, 2 * (y*z + w*x) * sy, 0,
		2 * (x*z + w*y) * sz, 2 * (y*z - w*x) * sz, (1 - 2*(x*x+y*y)) * sz, 0,
		p.Position[0], p.Position[1], p.Position[2], 1,
	}
}

// Normalize returns p with a rotation of unit length. A rotation of length zero, or one that is not
// finite, becomes the identity. (A capture refuses the whole pose then.)
func (p Pose3D) Normalize() Pose3D {
	p.Rotation = NormalizeQuat(p.Rotation)
	return p
}

// NormalizeQuat returns q at unit length, and the identity for a q without a direction (zero,
// infinite or not a number).
//
// A quaternion that is a unit one to within a rounding error comes back bit for bit, so that a
// resting pose stays as it is.
func NormalizeQuat(q mgl32.Quat) mgl32.Quat {
	// The conversions keep compilers from fusing products with sums, so that the test has the same
	// result on all platforms.
	n := float32(q.W*q.W) + float32(q.V[0]*q.V[0]) + float32(q.V[1]*q.V[1]) + float32(q.V[2]*q.V[2])
	if d := n - 1; d < 3e-7 && d > -3e-7 {
		return q
	}
	return normalizeFar(q)
}

// normalizeFar works in float64, so that neither tiny nor huge components under- or overflow when
// squared.
func normalizeFar(q mgl32.Quat) mgl32.Quat {
	w, x, y, z := float64(q.W), float64(q.V[0]), float64(q.V[1]), float64(q.V[2])
	n := math.Sqrt(w*w + x*x + y*y + z*z)
	if !(n > 0) || math.IsInf(n, 0) {
		return mgl32.QuatIdent()
	}
	return mgl32.Quat{W: float32(w / n), V: mgl32.Vec3{float32(x / n), float32(y / n), float32(z / n)}}
}

func mul3(a, b mgl32.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{a[0] * b[0], a[1] * b[1], a[2] * b[2]}
}
