package coretest

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/components"
)

// turnY is a rotation about the y axis, in degrees.
func TurnY(degrees float64) mgl32.Quat { return Turn(degrees, 0, 1, 0) }

func Turn(degrees, x, y, z float64) mgl32.Quat {
	q := mgl64.QuatRotate(math.Remainder(degrees, 720)*math.Pi/180, mgl64.Vec3{x, y, z}.Normalize())
	return mgl32.Quat{W: float32(q.W), V: mgl32.Vec3{float32(q.V[0]), float32(q.V[1]), float32(q.V[2])}}
}

func Turned(p components.Pose3D, q mgl32.Quat) components.Pose3D {
	p.Rotation = q
	return p
}

// degreesApart is the angle between two rotations. The chord keeps its precision for small angles.
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

func Length(q mgl32.Quat) float64 {
	return math.Sqrt(float64(q.W)*float64(q.W) + float64(q.V[0])*float64(q.V[0]) + float64(q.V[1])*float64(q.V[1]) + float64(q.V[2])*float64(q.V[2]))
}
