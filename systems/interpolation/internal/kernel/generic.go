package kernel

import "slices"

// Blend writes dst[i] = blend(prev[i], cur[i], t) for every i: the dense pass for values that the
// assembly does not know. The slices have equal length; dst may be prev or cur.
//
// It is slow for arrays and for structs that hold some: Go passes them in memory. The function
// stores the result number by number, and the loop reads it as a whole and so waits until the
// stores have reached the cache.
func Blend[T any](dst, prev, cur []T, t float32, blend func(from, to T, t float32) T) {
	checkColumns(len(dst), len(prev), len(cur))
	prev, cur = prev[:len(dst)], cur[:len(dst)]
	for i := range dst {
		dst[i] = blend(prev[i], cur[i], t)
	}
}

// BlendList does so for the listed rows only.
func BlendList[T any](rows []uint32, dst, prev, cur []T, t float32, blend func(from, to T, t float32) T) {
	checkColumns(len(dst), len(prev), len(cur))
	checkRows(rows, len(dst), Fastest)
	for _, r := range rows {
		dst[r] = blend(prev[r], cur[r], t)
	}
}

// BlendBatch has a function blend a whole column at once.
func BlendBatch[T any](dst, prev, cur []T, t float32, blend func(dst, prev, cur []T, t float32)) {
	checkColumns(len(dst), len(prev), len(cur))
	if len(dst) > 0 {
		// the function must not append to the rows behind them
		blend(slices.Clip(dst), slices.Clip(prev), slices.Clip(cur), t)
	}
}

// BlendListBatch has it blend the listed rows, runs of neighbouring rows at once. Nothing is
// copied, and no memory is allocated.
func BlendListBatch[T any](rows []uint32, dst, prev, cur []T, t float32, blend func(dst, prev, cur []T, t float32)) {
	checkColumns(len(dst), len(prev), len(cur))
	checkRows(rows, len(dst), Fastest)
	for len(rows) > 0 {
		from, n := int(rows[0]), 1
		for n < len(rows) && int(rows[n]) == from+n {
			n++
		}
		blend(dst[from:from+n:from+n], prev[from:from+n:from+n], cur[from:from+n:from+n], t)
		rows = rows[n:]
	}
}
