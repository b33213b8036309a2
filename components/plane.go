package components

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// In3D returns the pose in space that lies in the plane of x and y: the same position at z = 0, the
// rotation about the z axis, and the same scale, with 1 on the z axis. So games in the plane use
// what takes poses in space, such as the netcode: Game.Pose ends in .In3D(), and the renderer draws
// visual.Get().Flat().
//
// [Pose3D.Flat] returns the same pose, bit for bit, if the rotation is less than a turn either way,
// and 0 or more than 1e-37 in size. Further rotations come back without whole double turns: a
// quaternion does not count them.
func (p Pose2D) In3D() Pose3D {
	// One of both components is rounded first. The other one is made for their ratio, which gives
	// the angle: with two components that are each rounded, every third angle would come back as
	// one of its neighbours.
	sin, cos := math.Sincos(float64(p.Rotation) / 2)
	w, z := float32(cos), float32(sin)
	if math.Abs(sin) < math.Abs(cos) {
		z = float32(float64(w) * (sin / cos))
	} else {
		w = float32(float64(z) * (cos / sin))
	}
	return Pose3D{
		Position: p.Position.Vec3(0),
		Rotation: mgl32.Quat{W: w, V: mgl32.Vec3{0, 0, z}},
		Scale:    p.Scale.Vec3(1),
	}
}

// Flat returns the pose in the plane of x and y: the position and the scale without z, and the
// angle by which the rotation turns about the z axis, within a turn of zero. It is exact for what
// [Pose2D.In3D] returns. Of other rotations it is the part about the z axis.
func (p Pose3D) Flat() Pose2D {
	return Pose2D{
		Position: p.Position.Vec2(),
		Rotation: float32(2 * math.Atan2(float64(p.Rotation.V[2]), float64(p.Rotation.W))),
		Scale:    p.Scale.Vec2(),
	}
}
