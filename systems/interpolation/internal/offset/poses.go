package offset

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// The offsets of poses. An offset is itself written as a pose: positions and scales are added,
// rotations are multiplied from the left, which turns in the parent's frame.

// Pose3D is the arithmetic of poses in space.
func Pose3D() Arithmetic[components.Pose3D] {
	return Arithmetic[components.Pose3D]{
		Sub: func(to, from components.Pose3D) components.Pose3D {
			return components.Pose3D{
				Position: to.Position.Sub(from.Position),
				Rotation: components.NormalizeQuat(to.Rotation.Mul(from.Rotation.Conjugate())),
				Scale:    to.Scale.Sub(from.Scale),
			}
		},
		Add: func(base, offset components.Pose3D) components.Pose3D {
			return components.Pose3D{
				Position: base.Position.Add(offset.Position),
				Rotation: components.NormalizeQuat(offset.Rotation.Mul(base.Rotation)),
				Scale:    base.Scale.Add(offset.Scale),
			}
		},
		Scale: func(offset components.Pose3D, factor float32) components.Pose3D {
			return components.Pose3D{
				Position: offset.Position.Mul(factor),
				Rotation: scaleRotation(offset.Rotation, factor),
				Scale:    offset.Scale.Mul(factor),
			}
		},
		Len: func(offset components.Pose3D) float32 { return offset.Position.Len() },
	}
}

// scaleRotation returns factor times a rotation, by the shorter arc. Slerp is made for factors of 0
// to 1. A prediction that is corrected right after the fixed rate fell needs more.
func scaleRotation(q mgl32.Quat, factor float32) mgl32.Quat {
	if factor >= 0 && factor <= 1 {
		return components.Slerp(mgl32.QuatIdent(), q, factor)
	}
	w, x, y, z := float64(q.W), float64(q.V[0]), float64(q.V[1]), float64(q.V[2])
	if w < 0 {
		w, x, y, z = -w, -x, -y, -z
	}
	sin := math.Sqrt(x*x + y*y + z*z)
	if sin == 0 {
		return mgl32.QuatIdent()
	}
	s, c := math.Sincos(math.Atan2(sin, w) * float64(factor))
	s /= sin
	return components.NormalizeQuat(mgl32.Quat{W: float32(c), V: mgl32.Vec3{float32(x * s), float32(y * s), float32(z * s)}})
}

// Pose2D is the arithmetic of poses in the plane.
func Pose2D() Arithmetic[components.Pose2D] {
	return Arithmetic[components.Pose2D]{
		Sub: func(to, from components.Pose2D) components.Pose2D {
			return components.Pose2D{
				Position: to.Position.Sub(from.Position),
				Rotation: components.AngleBetween(from.Rotation, to.Rotation),
				Scale:    to.Scale.Sub(from.Scale),
			}
		},
		Add: func(base, offset components.Pose2D) components.Pose2D {
			return components.Pose2D{
				Position: base.Position.Add(offset.Position),
				Rotation: base.Rotation + offset.Rotation,
				Scale:    base.Scale.Add(offset.Scale),
			}
		},
		Scale: func(offset components.Pose2D, factor float32) components.Pose2D {
			return components.Pose2D{
				Position: offset.Position.Mul(factor),
				Rotation: offset.Rotation * factor,
				Scale:    offset.Scale.Mul(factor),
			}
		},
		Len: func(offset components.Pose2D) float32 { return offset.Position.Len() },
	}
}
