package kernel

import (
	"math"
	"unsafe"

	"github.com/tandem-ecs/tandem/components"
)

const (
	signBit = 1 << 31

	// perPass is how many rows the Go code weighs before it blends them.
	perPass = 64
)

// firstRows are the rows of a block in their order. It is a constant.
var firstRows = func() (rows [perPass]uint32) {
	for r := range rows {
		rows[r] = uint32(r)
	}
	return rows
}()

// blendScalar blends a column, block by block.
func blendScalar(dst, prev, cur []components.Pose3D, c curve) {
	var w weights
	for i := 0; i < len(dst); i += perPass {
		end := min(i+perPass, len(dst))
		blendBlock(firstRows[:end-i], dst[i:end], prev[i:end], cur[i:end], &c, w[:])
	}
}

// blendListScalar blends the rows listed, which the caller has checked.
func blendListScalar(rows []uint32, dst, prev, cur []components.Pose3D, c curve) {
	var w weights
	for len(rows) > 0 {
		n := min(perPass, len(rows))
		blendBlock(rows[:n], dst, prev, cur, &c, w[:])
		rows = rows[n:]
	}
}

// weights are those of prev and cur in the rotations of a block.
type weights [perPass]struct{ prev, cur float32 }

// blendBlock is the reference: the assembly gives its bits, operation for operation. Every product is converted before it is added to, which by the
// language's rules keeps it from being fused into a multiply-add, and the sums are bracketed as the vectors are reduced.
//
// It goes over the rows twice, because from the dot product to the weights leads a chain of dependent operations, of which a processor overlaps more the shorter
// the body of the loop is: a tenth faster than in one pass.
func blendBlock(rows []uint32, dst, prev, cur []components.Pose3D, c *curve, w []struct{ prev, cur float32 }) {
	prev, cur, w = prev[:len(dst)], cur[:len(dst)], w[:len(rows)]
	t, c1, c2, c3 := c.t, c.c1, c.c2, c.c3
	for k, row := range rows {
		a, b := &prev[row].Rotation, &cur[row].Rotation
		dot := (float32(a.W*b.W) + float32(a.V[1]*b.V[1])) + (float32(a.V[0]*b.V[0]) + float32(a.V[2]*b.V[2]))
		bits := math.Float32bits(dot)
		x := 1 - math.Float32frombits(bits&^signBit)
		wb := t + float32(x*(c1+float32(x*(c2+float32(x*c3)))))
		wa := 1 - wb
		// For unit a and b the sum's squared length is 1 - 2 wa wb x: no need to form the sum first.
		r := 1 / float32(math.Sqrt(float64(1-float32(float32((x+x)*wa)*wb))))
		w[k].prev = wa * r
		// Of b and -b, which are the same rotation, take the one on a's side: the shorter arc.
		w[k].cur = math.Float32frombits(math.Float32bits(wb*r) ^ bits&signBit)
	}
	for k, row := range rows {
		a, b, o := &prev[row], &cur[row], &dst[row]
		wa, wb := w[k].prev, w[k].cur
		px, py, pz := a.Position[0], a.Position[1], a.Position[2]
		sx, sy, sz := a.Scale[0], a.Scale[1], a.Scale[2]
		px += float32((b.Position[0] - px) * t)
		py += float32((b.Position[1] - py) * t)
		pz += float32((b.Position[2] - pz) * t)
		sx += float32((b.Scale[0] - sx) * t)
		sy += float32((b.Scale[1] - sy) * t)
		sz += float32((b.Scale[2] - sz) * t)
		qw := float32(wa*a.Rotation.W) + float32(wb*b.Rotation.W)
		qx := float32(wa*a.Rotation.V[0]) + float32(wb*b.Rotation.V[0])
		qy := float32(wa*a.Rotation.V[1]) + float32(wb*b.Rotation.V[1])
		qz := float32(wa*a.Rotation.V[2]) + float32(wb*b.Rotation.V[2])

		o.Position[0], o.Position[1], o.Position[2] = px, py, pz
		o.Rotation.W, o.Rotation.V[0], o.Rotation.V[1], o.Rotation.V[2] = qw, qx, qy, qz
		o.Scale[0], o.Scale[1], o.Scale[2] = sx, sy, sz
	}
}

// blendOne blends a single pose.
func blendOne(prev, cur *components.Pose3D, c curve) (out components.Pose3D) {
	var w [1]struct{ prev, cur float32 }
	blendBlock(firstRows[:1], one(&out), one(prev), one(cur), &c, w[:])
	return out
}

// one views a single pose as a column.
func one(p *components.Pose3D) []components.Pose3D { return unsafe.Slice(p, 1) }
