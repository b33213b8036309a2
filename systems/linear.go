package systems

import (
	"math"
	"reflect"
	"unsafe"

	"github.com/tandem-ecs/tandem/systems/internal/kernel"
)

// Linear are the types whose components can be interpolated each by itself: numbers and arrays of two to four, as those of mgl32 and mgl64, and a user's own names of
// them.
type Linear interface {
	~float32 | ~[2]float32 | ~[3]float32 | ~[4]float32 | ~float64 | ~[2]float64 | ~[3]float64 | ~[4]float64
}

// InterpolationLinear returns the interpolator of values of which every component goes straight from one sample to the other: a colour, an offset, a field of
// view, a health bar. For arrays such as mgl32.Vec4 it is several times as fast as [Interpolation].
//
// What is drawn is the older sample at t = 0, bit for bit, and from + (to-from)t after it, with the same bits on every platform. Where a component is infinite or not a number
// at either end, that need not be a number. Angles do not take the shorter way round, and directions lose their length in between: blend those with a function
// of your own.
//
// It knows how to subtract, so corrected predictions fade (Correct); CorrectGently takes a value's Euclidean length for its size.
func InterpolationLinear[T Linear]() *Interpolator[T] {
	t := reflect.TypeFor[T]()
	components := 1
	if t.Kind() == reflect.Array {
		components, t = t.Len(), t.Elem()
	}
	if t.Kind() == reflect.Float64 {
		return interpolationLinear[T, float64](components)
	}
	return interpolationLinear[T, float32](components)
}

// interpolationLinear does so for a T that consists of so many F.
func interpolationLinear[T any, F kernel.Float](components int) *Interpolator[T] {
	i := newInterpolator("InterpolationLinear",
		func(dst, prev, cur *T, t float32) {
			kernel.BlendLinear(numbers[F](dst), numbers[F](prev), numbers[F](cur), F(t))
		},
		func(dst, prev, cur []T, t float32) {
			kernel.BlendLinear(flat[F](dst), flat[F](prev), flat[F](cur), F(t))
		},
		func(rows []uint32, dst, prev, cur []T, t float32) {
			kernel.BlendListLinear(rows, flat[F](dst), flat[F](prev), flat[F](cur), components, F(t))
		})
	return i.WithDifference(Difference[T]{
		Between: func(from, to T) T {
			a, b := numbers[F](&from), numbers[F](&to)
			for k := range b {
				b[k] -= a[k]
			}
			return to
		},
		Apply: func(base, offset T) T {
			a, b := numbers[F](&base), numbers[F](&offset)
			for k := range a {
				a[k] += b[k]
			}
			return base
		},
		Scale: func(offset T, factor float32) T {
			a := numbers[F](&offset)
			for k := range a {
				a[k] *= F(factor)
			}
			return offset
		},
		Size: func(offset T) float32 {
			sum := 0.0
			for _, v := range numbers[F](&offset) {
				sum += float64(float64(v) * float64(v))
			}
			return float32(math.Sqrt(sum))
		},
	})
}

// numbers views a value as the numbers of which it consists.
func numbers[F kernel.Float, T any](v *T) []F { return flat[F](unsafe.Slice(v, 1)) }

// flat views a column of values as one of the numbers of which they consist.
func flat[F kernel.Float, T any](column []T) []F {
	each := int(unsafe.Sizeof(*new(T)) / unsafe.Sizeof(*new(F)))
	return unsafe.Slice((*F)(unsafe.Pointer(unsafe.SliceData(column))), len(column)*each)
}
