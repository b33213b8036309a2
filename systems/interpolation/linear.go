package interpolation

import (
	"math"
	"reflect"

	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/kernel"
)

// Linear are the types whose components can be interpolated each by itself: numbers and arrays of
// two to four, such as those of mgl32 and mgl64, and types that a user defines from them.
type Linear interface {
	~float32 | ~[2]float32 | ~[3]float32 | ~[4]float32 | ~float64 | ~[2]float64 | ~[3]float64 | ~[4]float64
}

// NewLinear returns the interpolator of values whose components each go straight from one sample to
// the other: a colour, an offset, a field of view, a health bar. For arrays such as mgl32.Vec4 it
// is several times as fast as [New].
//
// The drawn value is the older sample at t = 0, bit for bit, and from + (to-from)t after it, with
// the same bits on every platform. If a component is infinite or not a number at either end, the
// result need not be a number. Angles do not take the shorter way round, and directions lose their
// length in between. Blend those with a function of your own.
//
// It has an [Offset], so corrected predictions fade. The length of an offset is its Euclidean
// length.
func NewLinear[T Linear]() *Interpolator[T] {
	t := reflect.TypeFor[T]()
	components := 1
	if t.Kind() == reflect.Array {
		components, t = t.Len(), t.Elem()
	}
	if t.Kind() == reflect.Float64 {
		return newLinear[T, float64](components)
	}
	return newLinear[T, float32](components)
}

// newLinear returns the interpolator for a T that consists of a number of F.
func newLinear[T any, F kernel.Float](components int) *Interpolator[T] {
	i := newInterpolator("NewLinear",
		func(dst, prev, cur []T, t float32) {
			kernel.BlendLinear(column.Flat[F](dst), column.Flat[F](prev), column.Flat[F](cur), F(t))
		},
		func(rows []uint32, dst, prev, cur []T, t float32) {
			kernel.BlendListLinear(rows, column.Flat[F](dst), column.Flat[F](prev), column.Flat[F](cur), components, F(t))
		})
	i.Offset = Offset[T]{
		Sub: func(to, from T) T {
			a, b := column.Numbers[F](&from), column.Numbers[F](&to)
			for k := range b {
				b[k] -= a[k]
			}
			return to
		},
		Add: func(base, offset T) T {
			a, b := column.Numbers[F](&base), column.Numbers[F](&offset)
			for k := range a {
				a[k] += b[k]
			}
			return base
		},
		Scale: func(offset T, factor float32) T {
			a := column.Numbers[F](&offset)
			for k := range a {
				a[k] *= F(factor)
			}
			return offset
		},
		Len: func(offset T) float32 {
			sum := 0.0
			for _, v := range column.Numbers[F](&offset) {
				sum += float64(float64(v) * float64(v))
			}
			return float32(math.Sqrt(sum))
		},
	}
	return i
}
