package components

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Blend3D returns the pose at fraction t, 0 to 1, of the way: positions and scales linearly,
// rotations along the shortest arc at constant angular speed.
//
// Both rotations must have unit length ([Pose3D.Normalize]). At t = 0 the result is from, bit for
// bit up to the sign of the rotation's zeros; at t = 1 it is to within a rounding error, its
// rotation possibly with the opposite sign. For rotations half a turn apart the arc is any one of
// the shortest.
//
// The rotation is a slerp without trigonometry: its weights are polynomials in t and in the cosine
// of the half angle, fitted for arcs of rotation of 0 to 180 degrees, and off by at most 0.0042
// degrees.
func Blend3D(from, to Pose3D, t float32) Pose3D {
	return Pose3D{
		Position: lerp3(from.Position, to.Position, t),
		Rotation: Slerp(from.Rotation, to.Rotation, t),
		Scale:    lerp3(from.Scale, to.Scale, t),
	}
}

// Slerp returns the unit quaternion at fraction t of the shortest arc between two unit quaternions;
// see [Blend3D].
func Slerp(from, to mgl32.Quat, t float32) mgl32.Quat {
	s := float64(t) - 0.5
	z := s * s
	k := s * (z - 0.25)
	c1 := float32(k * (0.68374997 + z*(-0.06132597+z*0.75047732)))
	c2 := float32(k * (0.06664478 + z*(0.66724177-z*2.91494655)))
	c3 := float32(k * (0.10921768 + z*(0.19937133+z*3.38322934)))

	d := from.W*to.W + from.V[0]*to.V[0] + from.V[1]*to.V[1] + from.V[2]*to.V[2]
	sign := float32(1)
	if d < 0 {
		d, sign = -d, -1
	}
	x := 1 - d
	wb := t + x*(c1+x*(c2+x*c3))
	wa := 1 - wb
	// The length of the weighted sum of two unit vectors, from their angle alone.
	r := 1 / float32(math.Sqrt(float64(1-2*wa*wb*x)))
	wa *= r
	wb *= r * sign
	return mgl32.Quat{
		W: wa*from.W + wb*to.W,
		V: mgl32.Vec3{wa*from.V[0] + wb*to.V[0], wa*from.V[1] + wb*to.V[1], wa*from.V[2] + wb*to.V[2]},
	}
}

// Blend2D returns the pose at fraction t, 0 to 1, of the way: positions and scales linearly, the
// angle by the shorter way round.
func Blend2D(from, to Pose2D, t float32) Pose2D {
	return Pose2D{
		Position: mgl32.Vec2{lerp(from.Position[0], to.Position[0], t), lerp(from.Position[1], to.Position[1], t)},
		Rotation: from.Rotation + t*AngleBetween(from.Rotation, to.Rotation),
		Scale:    mgl32.Vec2{lerp(from.Scale[0], to.Scale[0], t), lerp(from.Scale[1], to.Scale[1], t)},
	}
}

// AngleBetween returns the shortest turn from one angle to another, in radians, within [-Pi, Pi].
func AngleBetween(from, to float32) float32 {
	d := to - from
	if d >= -math.Pi && d <= math.Pi {
		return d
	}
	return float32(math.Remainder(float64(to)-float64(from), 2*math.Pi))
}

// lerp is written so that it is exact at t = 0, never overshoots, and keeps its precision far from
// the origin.
func lerp(a, b, t float32) float32 { return a + (b-a)*t }

func lerp3(a, b mgl32.Vec3, t float32) mgl32.Vec3 {
	return mgl32.Vec3{lerp(a[0], b[0], t), lerp(a[1], b[1], t), lerp(a[2], b[2], t)}
}
