package kernel

import (
	"testing"

	"github.com/tandem-ecs/tandem/components"
)

func TestGenericBlend(t *testing.T) {
	mix := func(from, to string, t float32) string {
		if t < 0.5 {
			return from
		}
		return to
	}
	prev, cur, dst := []string{"a", "b", "c"}, []string{"x", "y", "z"}, make([]string, 3)
	Blend(dst, prev, cur, 0.25, mix)
	if dst[0] != "a" || dst[1] != "b" || dst[2] != "c" {
		t.Errorf("got %v at 0.25", dst)
	}
	BlendList([]uint32{2, 0}, dst, prev, cur, 0.75, mix)
	if dst[0] != "x" || dst[1] != "b" || dst[2] != "z" {
		t.Errorf("got %v after a list at 0.75", dst)
	}
}

func TestGenericBlendAllocatesNothing(t *testing.T) {
	prev, cur := samples(50, 1)
	dst, rows := make([]pose, 50), []uint32{3, 1, 4}
	if n := testing.AllocsPerRun(10, func() {
		Blend(dst, prev, cur, 0.5, components.Blend3D)
		BlendList(rows, dst, prev, cur, 0.5, components.Blend3D)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
