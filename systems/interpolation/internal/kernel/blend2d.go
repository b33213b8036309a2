package kernel

import (
	"math"

	"github.com/tandem-ecs/tandem/components"
)

// Poses in the plane need no slerp and half the bytes. Blend with components.Blend2D as its
// function would spend most of its time passing them: Go passes structs of arrays in memory, and a
// struct that was stored float by float and is loaded as a whole has to wait for the stores.

// Blend2D writes dst[i] = blend(prev[i], cur[i], t) for every i, with the bits that
// [components.Blend2D] has where no compiler fuses it. The slices have equal length; dst may be
// prev or cur.
func Blend2D(dst, prev, cur []components.Pose2D, t float32) {
	checkColumns(len(dst), len(prev), len(cur))
	blend2D(dst, prev, cur, t)
}

// BlendList2D does so for the listed rows only.
func BlendList2D(rows []uint32, dst, prev, cur []components.Pose2D, t float32) {
	checkColumns(len(dst), len(prev), len(cur))
	checkRows(rows, len(dst), Fastest)
	for _, r := range rows {
		blend2D(dst[r:r+1], prev[r:r+1], cur[r:r+1], t)
	}
}

func blend2D(dst, prev, cur []components.Pose2D, t float32) {
	prev, cur = prev[:len(dst)], cur[:len(dst)]
	for i := range dst {
		a, b, o := &prev[i], &cur[i], &dst[i]
		turn := b.Rotation - a.Rotation
		if !(turn >= -math.Pi && turn <= math.Pi) {
			turn = components.AngleBetween(a.Rotation, b.Rotation) // the shorter way round
		}
		x, y, angle := a.Position[0], a.Position[1], a.Rotation
		sx, sy := a.Scale[0], a.Scale[1]
		x += float32((b.Position[0] - x) * t)
		y += float32((b.Position[1] - y) * t)
		angle += float32(t * turn)
		sx += float32((b.Scale[0] - sx) * t)
		sy += float32((b.Scale[1] - sy) * t)
		o.Position[0], o.Position[1] = x, y
		o.Rotation = angle
		o.Scale[0], o.Scale[1] = sx, sy
	}
}
