package kernel

// Blend writes dst[i] = blend(prev[i], cur[i], t) for every i: the dense pass for values that the assembly does not know. The slices have equal length; dst
// may be prev or cur.
func Blend[T any](dst, prev, cur []T, t float32, blend func(from, to T, t float32) T) {
	checkColumns(len(dst), len(prev), len(cur))
	prev, cur = prev[:len(dst)], cur[:len(dst)]
	for i := range dst {
		dst[i] = blend(prev[i], cur[i], t)
	}
}

// BlendList does so for the rows listed only.
func BlendList[T any](rows []uint32, dst, prev, cur []T, t float32, blend func(from, to T, t float32) T) {
	checkColumns(len(dst), len(prev), len(cur))
	checkRows(rows, len(dst), Fastest)
	for _, r := range rows {
		dst[r] = blend(prev[r], cur[r], t)
	}
}
