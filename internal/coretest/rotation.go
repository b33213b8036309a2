package coretest

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
)

// TurnY returns the rotation by an angle in degrees about the y axis.
func TurnY(degrees float64) mgl32.Quat { return Turn(degrees, 0, 1, 0) }

// Turn returns the rotation by an angle in degrees about an axis, which need not be of unit length.
func Turn(degrees, x, y, z float64) mgl32.Quat {
	q := mgl64.QuatRotate(math.Remainder(degrees, 720)*math.Pi/180, mgl64.Vec3{x, y, z}.Normalize())
	return mgl32.Quat{W: float32(q.W), V: mgl32.Vec3{float32(q.V[0]), float32(q.V[1]), float32(q.V[2])}}
}

// Turned returns the pose with another rotation.
func Turned(p components.Pose3D, q mgl32.Quat) components.Pose3D {
	p.Rotation = q
	return p
}

// DegreesApart returns the angle between two rotations. It is measured by the chord, which keeps
// its precision for small angles.
func DegreesApart(a, b mgl32.Quat) float64 {
	sum, diff := 0.0, 0.0
	av := [4]float64{float64(a.W), float64(a.V[0]), float64(a.V[1]), float64(a.V[2])}
	bv := [4]float64{float64(b.W), float64(b.V[0]), float64(b.V[1]), float64(b.V[2])}
	for i := range av {
		sum += (av[i] + bv[i]) * (av[i] + bv[i])
		diff += (av[i] - bv[i]) * (av[i] - bv[i])
	}
	if sum+diff == 0 || sum != sum {
		return math.NaN()
	}
	return 4 * math.Asin(math.Min(1, math.Sqrt(math.Min(sum, diff))/2)) * 180 / math.Pi
}

// Quat64 returns a quaternion in double precision.
func Quat64(q mgl32.Quat) mgl64.Quat {
	return mgl64.Quat{W: float64(q.W), V: mgl64.Vec3{float64(q.V[0]), float64(q.V[1]), float64(q.V[2])}}
}

// AngleBetween returns the angle between two rotations in degrees, in double precision.
func AngleBetween(a, b mgl64.Quat) float64 {
	d := a.Conjugate().Mul(b)
	return 2 * math.Atan2(d.V.Len(), math.Abs(d.W)) * 180 / math.Pi
}

// AnyAxis draws a vector of unit length.
func AnyAxis(t *rapid.T) mgl32.Vec3 {
	for {
		v := mgl32.Vec3{rapid.Float32Range(-1, 1).Draw(t, "x"), rapid.Float32Range(-1, 1).Draw(t, "y"), rapid.Float32Range(-1, 1).Draw(t, "z")}
		if v.Len() > 0.1 {
			return v.Normalize()
		}
	}
}

// AnyRotation draws a rotation. Its quaternion has unit length and may have any sign.
func AnyRotation(t *rapid.T) mgl32.Quat {
	return mgl32.QuatRotate(rapid.Float32Range(-7, 7).Draw(t, "angle"), AnyAxis(t)).Normalize()
}
