package rates

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// These are the bodies that are measured. The others run in circles beside them.
const (
	Straight = iota // constant speed of 6 m/s, so that its position gives the time
	Circle          // 20 m at 20 m/s
	Flips           // 6 m/s, turning round every 0.507 s
	measured
)

const (
	straightSpeed = 6.0
	startX        = -500.0
)

// paths are the paths of the measured bodies, in closed form.
type paths [measured]conformance.Motion

func newPaths() (p paths) {
	for _, m := range conformance.Motions() {
		switch m.ID {
		case "M1":
			p[Straight] = m
		case "M2":
			p[Circle] = m
		case "M3":
			p[Flips] = m
		}
	}
	return p
}

// at returns the pose of a body at a number of seconds.
func (p *paths) at(i int, t float64) components.Pose3D {
	if i >= measured {
		sin, cos := math.Sincos(t*(0.5+0.1*float64(i%5)) + float64(i))
		return placed(mgl64.Vec3{float64(6*(i%20)) + 4*cos, 0, 40 + float64(10*(i/20)) + 4*sin})
	}
	truth := p[i].At(t)
	pose := placed(truth.Position)
	pose.Rotation = mgl32.Quat{W: float32(truth.Rotation.W)}
	for k := range 3 {
		pose.Rotation.V[k] = float32(truth.Rotation.V[k])
	}
	if i == Straight {
		pose.Position[0] += startX
	}
	return pose
}

func placed(p mgl64.Vec3) components.Pose3D {
	return components.At3D(float32(p[0]), float32(p[1]), float32(p[2]))
}
