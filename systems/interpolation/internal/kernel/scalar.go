package kernel

import (
	"math"
	"unsafe"

	"github.com/tandem-ecs/tandem/components"
)

const (
	signBit = 1 << 31

	// perScalarCall is the number of rows of a column that the Go code blends at once: the length
	// of firstRows.
	perScalarCall = 1024

	// perTouch is the number of rows that it brings into the cache at once. Their lines, some
	// thirty kilobytes at most, must still be there for the blend.
	perTouch = 64

	poseBytes = unsafe.Sizeof(components.Pose3D{})
)

// firstRows are the rows of a column in their order. It is a constant.
var firstRows = func() (rows [perScalarCall]uint32) {
	for r := range rows {
		rows[r] = uint32(r)
	}
	return rows
}()

// blendScalar blends a column as a list. The reading of the row numbers costs no measurable time.
func blendScalar(dst, prev, cur []components.Pose3D, c curve) {
	for len(dst) > 0 {
		n := min(perScalarCall, len(dst))
		blendScalarRows(firstRows[:n], dst, prev, cur, &c, poseBytes)
		dst, prev, cur = dst[n:], prev[n:], cur[n:]
	}
}

// blendListScalar blends the rows listed, which the caller has checked. With far they are expected
// to be in no cache.
func blendListScalar(rows []uint32, dst, prev, cur []components.Pose3D, c curve, far bool) {
	for len(rows) > 0 {
		n := len(rows)
		if far {
			n = min(n, perTouch)
			touch(rows[:n], dst, prev, cur)
		}
		blendScalarRows(rows[:n], dst, prev, cur, &c, poseBytes)
		rows = rows[n:]
	}
}

// touch brings rows into the cache by loading them, since Go has no instruction for it. A loop of
// loads alone waits for many rows at a time, the blend for three or four. A hundred thousand of a
// million rows take half of the time with it. The result is not used. It keeps the compiler from
// leaving out the loads.
//
//go:noinline
func touch(rows []uint32, dst, prev, cur []components.Pose3D) (sum float32) {
	prev, cur = prev[:len(dst)], cur[:len(dst)]
	for _, r := range rows {
		a, b, o := &prev[r], &cur[r], &dst[r]
		sum += a.Position[0] + b.Position[0] + o.Position[0]
		sum += a.Scale[2] + b.Scale[2] + o.Scale[2] // a pose may lie in two lines
	}
	return sum
}

// blendScalarRows is the reference: the assembly gives its bits, operation for operation. Every
// product is converted before it is added to, which by the language's rules keeps it from being
// fused into a multiply-add, and the sums are bracketed as the vectors are reduced. There must be
// at least one row, and all must lie in the columns; stride is poseBytes.
//
// The chain of dependent operations from the dot product to the weights is some ninety cycles long,
// and the operations that wait in it soon fill a processor's schedulers. So the chain is cut into
// three stages. A turn of the loop blends row k with the weights that the turn before began, begins
// those of row k+1 from the dot product of the turn before, and makes the dot product of row k+2.
// That takes a quarter less time than row by row, and two fifths less with another program on the
// core's other thread.
//
// Poses are found by their distance in bytes, multiplied once per row by a stride that the compiler
// does not know: from the row's number it would form the address of each of thirty floats anew.
func blendScalarRows(rows []uint32, dst, prev, cur []components.Pose3D, c *curve, stride uintptr) {
	dst0, prev0, cur0 := unsafe.Pointer(&dst[0]), unsafe.Pointer(&prev[0]), unsafe.Pointer(&cur[0])
	pose := func(column unsafe.Pointer, at uintptr) *components.Pose3D {
		return (*components.Pose3D)(unsafe.Add(column, at))
	}
	t, c1, c2, c3 := c.t, c.c1, c.c2, c.c3

	// of the next row but one; the variables follow in the order of the stages
	var dot float32
	// of cur in the sum of the next row's rotations, and that sum's squared length
	var weight, square float32
	var sign uint32               // of its dot product
	var now, next, second uintptr // offsets of the rows
	last := len(rows) - 1
	for k := -2; k <= last; k++ { // two turns to fill the stages
		r := 1 / float32(math.Sqrt(float64(square)))
		wa := float32((1 - weight) * r)
		// Of b and -b, which are the same rotation, take the one on a's side: the shorter arc.
		wb := math.Float32frombits(math.Float32bits(float32(weight*r)) ^ sign&signBit)

		sign = math.Float32bits(dot)
		x := 1 - math.Float32frombits(sign&^signBit)
		weight = t + float32(x*(c1+float32(x*(c2+float32(x*c3)))))
		// For unit a and b: no need to form the sum first.
		square = 1 - float32(float32((x+x)*(1-weight))*weight)

		now, next = next, second
		if k+2 <= last {
			second = uintptr(rows[k+2]) * stride
		}
		p, q := &pose(prev0, second).Rotation, &pose(cur0, second).Rotation
		dot = (float32(p.W*q.W) + float32(p.V[1]*q.V[1])) + (float32(p.V[0]*q.V[0]) + float32(p.V[2]*q.V[2]))
		if k < 0 {
			continue
		}

		a, b, o := pose(prev0, now), pose(cur0, now), pose(dst0, now)
		px, py, pz := a.Position[0], a.Position[1], a.Position[2]
		o.Position[0] = px + float32((b.Position[0]-px)*t)
		o.Position[1] = py + float32((b.Position[1]-py)*t)
		o.Position[2] = pz + float32((b.Position[2]-pz)*t)
		sx, sy, sz := a.Scale[0], a.Scale[1], a.Scale[2]
		o.Scale[0] = sx + float32((b.Scale[0]-sx)*t)
		o.Scale[1] = sy + float32((b.Scale[1]-sy)*t)
		o.Scale[2] = sz + float32((b.Scale[2]-sz)*t)
		o.Rotation.W = float32(wa*a.Rotation.W) + float32(wb*b.Rotation.W)
		o.Rotation.V[0] = float32(wa*a.Rotation.V[0]) + float32(wb*b.Rotation.V[0])
		o.Rotation.V[1] = float32(wa*a.Rotation.V[1]) + float32(wb*b.Rotation.V[1])
		o.Rotation.V[2] = float32(wa*a.Rotation.V[2]) + float32(wb*b.Rotation.V[2])
	}
}

// curve holds what the slerp of a whole batch shares: the fraction t and the three coefficients
// that bend the weight of a plain nlerp into that of a slerp. The assembly reads it by offset, so
// the order of the fields is fixed.
type curve struct {
	t, c1, c2, c3 float32
}

// curveAt returns the curve of fraction t.
//
// For unit quaternions a and b with d = |a·b| and x = 1-d, the weight of b in the normalised sum
// (1-w)a + wb is
//
//	w = t + x(c1 + x(c2 + x c3))
//
// where the c depend on t alone. A plain nlerp is w = t. The polynomials in (t-1/2)² were fitted
// over all arcs from 0 to 180 degrees of rotation; the largest error of the angle is 0.0042 degree.
// The factor k makes every coefficient exactly zero at t = 0 and t = 1, and its odd symmetry about
// 1/2 makes a blend and its reverse agree.
//
// The idea, a cubic correction of the nlerp's parameter, is Jonathan Blow's ("Hacking Quaternions",
// 2002) and Arseny Kapoulkine's ("Approximating slerp", 2015); the fit with a third power of x,
// which widens it from 90 to 180 degrees, is new.
//
// The conversions keep a compiler from fusing a product with a sum, so that every platform computes
// the same bits.
func curveAt(t float32) curve {
	s := float64(t) - 0.5
	z := float64(s * s)
	k := float64(s * (z - 0.25))
	return curve{
		t:  t,
		c1: float32(k * (0.68374997 + float64(z*(-0.06132597+float64(z*0.75047732))))),
		c2: float32(k * (0.06664478 + float64(z*(0.66724177-float64(z*2.91494655))))),
		c3: float32(k * (0.10921768 + float64(z*(0.19937133+float64(z*3.38322934))))),
	}
}

// unitTolerance is how far a squared length may be from 1.
const unitTolerance = 3e-7

// isUnit reports whether [components.NormalizeQuat] leaves a rotation as it is. It is the same
// test, to be inlined. The assembly of the capture draws the line at the same place.
func isUnit(w, x, y, z float32) bool {
	off := float32(w*w) + float32(x*x) + float32(y*y) + float32(z*z) - 1
	return off < unitTolerance && off > -unitTolerance
}
