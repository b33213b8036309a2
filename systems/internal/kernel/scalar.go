package kernel

import (
	"math"
	"unsafe"

	"github.com/tandem-ecs/tandem/components"
)

const signBit = 1 << 31

// blendScalar is the reference: the assembly gives its bits, operation for operation. Every product is converted before it is added to, which by the
// language's rules keeps it from being fused into a multiply-add, and the sums are bracketed as the vectors are reduced.
//
// The body stands in the loop because a call costs a tenth of it and Go does not inline a function of this size.
func blendScalar(dst, prev, cur []components.Pose3D, c curve) {
	prev, cur = prev[:len(dst)], cur[:len(dst)]
	t := c.t
	for i := range dst {
		a, b, o := &prev[i], &cur[i], &dst[i]

		aw, ax, ay, az := a.Rotation.W, a.Rotation.V[0], a.Rotation.V[1], a.Rotation.V[2]
		bw, bx, by, bz := b.Rotation.W, b.Rotation.V[0], b.Rotation.V[1], b.Rotation.V[2]
		dot := (float32(aw*bw) + float32(ay*by)) + (float32(ax*bx) + float32(az*bz))
		bits := math.Float32bits(dot)
		x := 1 - math.Float32frombits(bits&^signBit)
		wb := t + float32(x*(c.c1+float32(x*(c.c2+float32(x*c.c3)))))
		wa := 1 - wb
		// For unit a and b the sum's squared length is 1 - 2 wa wb x: no need to form the sum first.
		r := 1 / float32(math.Sqrt(float64(1-float32(float32((x+x)*wa)*wb))))
		wa *= r
		wb *= r
		// Of b and -b, which are the same rotation, take the one on a's side: the shorter arc.
		wb = math.Float32frombits(math.Float32bits(wb) ^ bits&signBit)

		px, py, pz := a.Position[0], a.Position[1], a.Position[2]
		sx, sy, sz := a.Scale[0], a.Scale[1], a.Scale[2]
		px += float32((b.Position[0] - px) * t)
		py += float32((b.Position[1] - py) * t)
		pz += float32((b.Position[2] - pz) * t)
		sx += float32((b.Scale[0] - sx) * t)
		sy += float32((b.Scale[1] - sy) * t)
		sz += float32((b.Scale[2] - sz) * t)

		o.Position[0], o.Position[1], o.Position[2] = px, py, pz
		o.Rotation.W = float32(wa*aw) + float32(wb*bw)
		o.Rotation.V[0] = float32(wa*ax) + float32(wb*bx)
		o.Rotation.V[1] = float32(wa*ay) + float32(wb*by)
		o.Rotation.V[2] = float32(wa*az) + float32(wb*bz)
		o.Scale[0], o.Scale[1], o.Scale[2] = sx, sy, sz
	}
}

// blendListScalar blends the rows listed, which the caller has checked.
func blendListScalar(rows []uint32, dst, prev, cur []components.Pose3D, c curve) {
	for _, r := range rows {
		blendScalar(dst[r:r+1], prev[r:r+1], cur[r:r+1], c)
	}
}

// one views a single pose as a column.
func one(p *components.Pose3D) []components.Pose3D { return unsafe.Slice(p, 1) }
