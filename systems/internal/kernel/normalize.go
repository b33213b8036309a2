package kernel

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// Normalize3D brings the rotation of p to unit length, in place, as [components.NormalizeQuat] does: one that is of unit length to within a rounding stays as
// it is, bit for bit, and one without a direction becomes the identity. Unlike there, no compiler may fuse the test's sums, so that the assembly of the
// capture and every platform draw the line at the same place.
func Normalize3D(p *components.Pose3D) {
	if q := &p.Rotation; !isUnit(q.W, q.V[0], q.V[1], q.V[2]) {
		p.Rotation = normalize(p.Rotation)
	}
}

// unitTolerance is how far a squared length may be from 1.
const unitTolerance = 3e-7

func isUnit(w, x, y, z float32) bool {
	off := float32(w*w) + float32(x*x) + float32(y*y) + float32(z*z) - 1
	return off < unitTolerance && off > -unitTolerance
}

// normalize works in double precision, where no square of a float32 over- or underflows or is rounded (so that it is all the same whether the sums are fused).
func normalize(q mgl32.Quat) mgl32.Quat {
	w, x, y, z := float64(q.W), float64(q.V[0]), float64(q.V[1]), float64(q.V[2])
	length := math.Sqrt(w*w + x*x + y*y + z*z)
	if !(length > 0 && length < math.Inf(1)) {
		return mgl32.QuatIdent()
	}
	return mgl32.Quat{W: float32(w / length), V: mgl32.Vec3{float32(x / length), float32(y / length), float32(z / length)}}
}
