package kernel

import (
	"fmt"
	"unsafe"
)

// Float is the type of the components of linear values.
type Float interface{ float32 | float64 }

// Values whose components are blended each by itself are viewed as columns of plain numbers. So one
// loop serves all of them, and no array is passed by value, which takes Go several times as long as
// the blend.

// mix is exactly a at t = 0, but for the sign of a zero, and where b - a is finite. The conversion
// keeps compilers from fusing the product with the sum.
func mix[F Float](a, b, t F) F { return a + F((b-a)*t) }

// BlendLinear writes dst[i] = prev[i] + (cur[i]-prev[i])t for every i, and prev itself at t = 0,
// whatever it is. The slices have equal length; dst may be prev or cur.
func BlendLinear[F Float](dst, prev, cur []F, t F) {
	checkColumns(len(dst), len(prev), len(cur))
	if t == 0 {
		copy(dst, prev)
		return
	}
	// Four at a time, a quarter faster than one by one.
	dst4, prev4, cur4 := arrays[[4]F](dst), arrays[[4]F](prev), arrays[[4]F](cur)
	for i := range dst4 {
		o, a, b := &dst4[i], &prev4[i], &cur4[i]
		o[0], o[1], o[2], o[3] = mix(a[0], b[0], t), mix(a[1], b[1], t), mix(a[2], b[2], t), mix(a[3], b[3], t)
	}
	for i := 4 * len(dst4); i < len(dst); i++ {
		dst[i] = mix(prev[i], cur[i], t)
	}
}

// BlendListLinear does so for the listed rows only, of a column of values of one to four components
// each.
func BlendListLinear[F Float](rows []uint32, dst, prev, cur []F, components int, t F) {
	checkColumns(len(dst), len(prev), len(cur))
	if components < 1 || components > 4 {
		panic(fmt.Sprintf("kernel: values of %d components; blend a list of more than four in runs", components))
	}
	checkRows(rows, len(dst)/components, Fastest)
	if t == 0 {
		for _, r := range rows {
			from, to := int(r)*components, (int(r)+1)*components
			copy(dst[from:to], prev[from:to])
		}
		return
	}
	switch components {
	case 1:
		for _, r := range rows {
			dst[r] = mix(prev[r], cur[r], t)
		}
	case 2:
		dst, prev, cur := arrays[[2]F](dst), arrays[[2]F](prev), arrays[[2]F](cur)
		for _, r := range rows {
			o, a, b := &dst[r], &prev[r], &cur[r]
			o[0], o[1] = mix(a[0], b[0], t), mix(a[1], b[1], t)
		}
	case 3:
		dst, prev, cur := arrays[[3]F](dst), arrays[[3]F](prev), arrays[[3]F](cur)
		for _, r := range rows {
			o, a, b := &dst[r], &prev[r], &cur[r]
			o[0], o[1], o[2] = mix(a[0], b[0], t), mix(a[1], b[1], t), mix(a[2], b[2], t)
		}
	case 4:
		dst, prev, cur := arrays[[4]F](dst), arrays[[4]F](prev), arrays[[4]F](cur)
		for _, r := range rows {
			o, a, b := &dst[r], &prev[r], &cur[r]
			o[0], o[1], o[2], o[3] = mix(a[0], b[0], t), mix(a[1], b[1], t), mix(a[2], b[2], t), mix(a[3], b[3], t)
		}
	}
}

// arrays views a column of numbers as one of arrays of them, without the rest that fills no array.
func arrays[A, F any](column []F) []A {
	n := len(column) / int(unsafe.Sizeof(*new(A))/unsafe.Sizeof(*new(F)))
	if n == 0 {
		return nil // even to point to an array, there must be one
	}
	return unsafe.Slice((*A)(unsafe.Pointer(unsafe.SliceData(column))), n)
}
