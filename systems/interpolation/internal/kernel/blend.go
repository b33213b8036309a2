package kernel

import (
	"fmt"

	"github.com/tandem-ecs/tandem/components"
)

// Path selects an implementation. All paths give the same bits; tests and benchmarks compare them.
type Path uint8

// The paths. Fastest is the best assembly that the processor can execute, else Scalar. AVX2 is the
// same, but without AVX-512.
const (
	Fastest Path = iota
	Scalar
	AVX2
)

func (p Path) avx2() bool { return hasAVX2 && p != Scalar }

// avx512 reports whether whole columns of poses are blended by AVX-512. The other loops have no
// such kernel: it is one file, blend512_amd64.s, behind Blend3D.
func (p Path) avx512() bool { return hasAVX512 && p == Fastest }

const (
	perTurn     = 8  // poses that the kernels blend at once
	perWideTurn = 16 // by vectors of 512 bits

	// perCall is the number of poses that one call of assembly may take. Code in assembly cannot be
	// preempted, so a garbage collection would wait for a longer call. In shorter calls the
	// pipeline would be filled too often.
	perCall = 1024

	// perFarCall is the same for columns of farColumn poses or more, which only memory holds. There
	// shorter calls are 10 to 20 percent faster. That is measured, not explained.
	perFarCall    = 64
	farColumn     = 1 << 17
	farWideColumn = 1 << 18 // by vectors of 512 bits

	// perListCall is the same for lists, whose kernel looks further ahead and should be stopped
	// less often.
	perListCall = 2048

	// farRows is the size of a column from which three of them (8 MB) exceed the second-level cache
	// by far. farListed is the number of listed rows from which the lines that they touch (1 MB)
	// exceed it. Fewer rows are still there from the frame before. To fetch those for nothing takes
	// a third of the time.
	farRows   = 1 << 16
	farListed = 1 << 12

	// sparse is the least ratio of rows to listed rows at which each is fetched by itself. A denser
	// list is as good as a stream.
	sparse = 4
)

// Blend3D writes dst[i] = blend(prev[i], cur[i], t) for every i. The slices have equal length;
// rotations have unit length; t is in [0, 1).
//
// dst may be prev or cur itself. It must not overlap them in any other way.
func (p Path) Blend3D(dst, prev, cur []components.Pose3D, t float32) {
	checkColumns(len(dst), len(prev), len(cur))
	c, i := curveAt(t), 0
	if p.avx512() {
		call := perCallOf(len(dst), farWideColumn)
		for whole := len(dst) &^ (perWideTurn - 1); i < whole; {
			n := min(whole-i, call)
			blendDenseAVX512(&dst[i], &prev[i], &cur[i], n/perWideTurn, &c, &spread)
			i += n
		}
	}
	if p.avx2() { // the rest, or all
		call := perCallOf(len(dst), farColumn)
		for whole := len(dst) &^ (perTurn - 1); i < whole; {
			n := min(whole-i, call)
			blendDenseAVX2(&dst[i], &prev[i], &cur[i], n/perTurn, &c)
			i += n
		}
	}
	if i < len(dst) {
		blendScalar(dst[i:], prev[i:], cur[i:], c)
	}
}

func perCallOf(n, far int) int {
	if n >= far {
		return perFarCall
	}
	return perCall
}

// spread says of every lane of the five vectors of 512 bits that eight poses fill which pose's
// rotation it belongs to, or eight if to none. It is a constant.
var spread = func() (vectors [5][perWideTurn]uint32) {
	const floats = 10
	for k := range perTurn * floats {
		vectors[k/perWideTurn][k%perWideTurn] = perTurn
		if at := k % floats; 3 <= at && at < 7 {
			vectors[k/perWideTurn][k%perWideTurn] = uint32(k / floats)
		}
	}
	return vectors
}()

// BlendList3D does so for the listed rows only: dst[rows[k]] = blend(prev[rows[k]], cur[rows[k]],
// t). The order of the rows does not matter, and a row may stand in the list more than once, unless
// dst is prev or cur.
func (p Path) BlendList3D(rows []uint32, dst, prev, cur []components.Pose3D, t float32) {
	checkColumns(len(dst), len(prev), len(cur))
	checkRows(rows, len(dst), p)
	c, i := curveAt(t), 0
	far := isFar(len(rows), len(dst))
	if p.avx2() && len(rows) >= perTurn {
		whole := len(rows)
		if &dst[0] == &prev[0] || &dst[0] == &cur[0] {
			// a row that is blended twice would not be the same
			whole &^= perTurn - 1
		}
		for whole-i >= perTurn {
			n := min(whole-i, perListCall)
			blendListAVX2(&rows[i], n, &dst[0], &prev[0], &cur[0], &c, far)
			i += n
		}
	}
	if i < len(rows) {
		blendListScalar(rows[i:], dst, prev, cur, c, far)
	}
}

// isFar reports whether the rows of a list are to be fetched ahead.
func isFar(listed, n int) bool {
	return n >= farRows && listed >= farListed && listed <= n/sparse
}

func checkColumns(dst, prev, cur int) {
	if prev != dst || cur != dst {
		panic(fmt.Sprintf("kernel: columns of %d (dst), %d (prev) and %d (cur) poses; pass columns of one table, cut to its length", dst, prev, cur))
	}
}

// checkRows panics if a row lies outside a column of n poses. It protects foreign memory from a
// stale list, so it reads the whole list before any row is touched.
func checkRows(rows []uint32, n int, p Path) {
	if len(rows) == 0 {
		return
	}
	if highest := maxRow(rows, p); uint64(highest) >= uint64(n) {
		panic(fmt.Sprintf("kernel: row %d in a list for a column of %d rows; rebuild the list after every structural change", highest, n))
	}
}

func maxRow(rows []uint32, p Path) uint32 {
	const atOnce = 16
	var highest uint32
	if p.avx2() && len(rows) >= atOnce {
		whole := len(rows) &^ (atOnce - 1)
		highest = maxRowAVX2(&rows[0], whole/atOnce)
		rows = rows[whole:]
	}
	for _, r := range rows {
		highest = max(highest, r)
	}
	return highest
}
