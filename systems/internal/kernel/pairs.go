package kernel

import (
	"fmt"

	"github.com/tandem-ecs/tandem/components"
)

// Pair is both samples of a row side by side. Where few rows of a large table move, to read them so takes half the time of reading them from two columns.
type Pair[T any] struct{ Prev, Cur T }

// BlendPairs3D is [BlendList3D] of samples that stand side by side: dst[rows[k]] = blend(pairs[k].Prev, pairs[k].Cur, t).
func BlendPairs3D(rows []uint32, dst []components.Pose3D, pairs []Pair[components.Pose3D], t float32) {
	Fastest.BlendPairs3D(rows, dst, pairs, t)
}

// BlendPairs3D is [BlendPairs3D] by the path.
func (p Path) BlendPairs3D(rows []uint32, dst []components.Pose3D, pairs []Pair[components.Pose3D], t float32) {
	if len(rows) != len(pairs) {
		panic(fmt.Sprintf("kernel: %d rows and %d pairs of samples; pass one for each", len(rows), len(pairs)))
	}
	checkRows(rows, len(dst), p)
	c, i := curveAt(t), 0
	if p.avx2() {
		far := isFar(len(rows), len(dst))
		for len(rows)-i >= perTurn {
			n := min(len(rows)-i, perListCall)
			if p.avx512() {
				blendPairsAVX512(&rows[i], n, &dst[0], &pairs[i], &c, far)
			} else {
				blendPairsAVX2(&rows[i], n, &dst[0], &pairs[i], &c, far)
			}
			i += n
		}
	}
	for ; i < len(rows); i++ {
		dst[rows[i]] = blendOne(&pairs[i].Prev, &pairs[i].Cur, c)
	}
}
