package components_test

import (
	"math"
	"testing"
	"unsafe"

	. "github.com/tandem-ecs/tandem/components"
)

// A pose is finite if each of its numbers is, whatever their signs and sizes.
func TestIsFinite(t *testing.T) {
	numbers := func(p unsafe.Pointer, n int) []float32 { return unsafe.Slice((*float32)(p), n) }
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	space, plane := At3D(1, -2, 3), At2D(-4, 5)
	for _, pose := range []struct {
		numbers []float32
		finite  func() bool
	}{
		{numbers(unsafe.Pointer(&space), 10), func() bool { return space.IsFinite() }},
		{numbers(unsafe.Pointer(&plane), 5), func() bool { return plane.IsFinite() }},
	} {
		for k := range pose.numbers {
			was := pose.numbers[k]
			for _, v := range []float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32} {
				if pose.numbers[k] = v; !pose.finite() {
					t.Errorf("number %d: %v does not count as finite", k, v)
				}
			}
			for _, v := range []float32{inf, -inf, nan, -nan} {
				if pose.numbers[k] = v; pose.finite() {
					t.Errorf("number %d: %v counts as finite", k, v)
				}
			}
			pose.numbers[k] = was
		}
	}
}
