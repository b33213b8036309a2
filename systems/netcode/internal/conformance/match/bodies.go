package match

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// These are the bodies that are compared with the truth. The others run in circles beside them.
const (
	Straight = iota // constant speed of StraightSpeed, so that its position gives the time
	Circle          // 20 m at 20 m/s
	Flips           // 6 m/s, turning round every 0.507 s
	compared
)

// The body Straight is at StartX at the zero time and moves along x, in metres and metres per
// second.
const (
	StraightSpeed = 6.0
	StartX        = -500.0
)

// motions are the motions of the compared bodies.
var motions = [compared]string{Straight: "M1", Circle: "M2", Flips: "M3"}

// pose returns the pose of a body at a number of seconds.
func pose(i int, t float64) components.Pose3D {
	if i >= compared {
		sin, cos := math.Sincos(t*(0.5+0.1*float64(i%5)) + float64(i))
		return placed(mgl64.Vec3{float64(6*(i%20)) + 4*cos, 0, 40 + float64(10*(i/20)) + 4*sin})
	}
	truth := conformance.MotionNamed(motions[i]).At(t)
	p := placed(truth.Position)
	p.Rotation = mgl32.Quat{W: float32(truth.Rotation.W)}
	for k := range 3 {
		p.Rotation.V[k] = float32(truth.Rotation.V[k])
	}
	if i == Straight {
		p.Position[0] += StartX
	}
	return p
}

func placed(p mgl64.Vec3) components.Pose3D {
	return components.At3D(float32(p[0]), float32(p[1]), float32(p[2]))
}
