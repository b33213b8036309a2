package pointerfree_test

import (
	"testing"
	"unsafe"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/pointerfree"
)

type inner struct {
	A float32
	M map[int]int
}

func TestPointer(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"a number", pointerfree.Pointer[float64](), ""},
		{"a pose", pointerfree.Pointer[components.Pose3D](), ""},
		{"numbers in rows", pointerfree.Pointer[[3][2]struct{ A, B int8 }](), ""},
		{"an address as a number", pointerfree.Pointer[struct{ A uintptr }](), ""},
		{"no pointers in a row", pointerfree.Pointer[struct {
			A [0]*int
			B int
		}](), ""},
		{"a string", pointerfree.Pointer[string](), "string"},
		{"a pointer", pointerfree.Pointer[*int](), "*int"},
		{"one that Go does not know of", pointerfree.Pointer[struct{ P unsafe.Pointer }](), "P unsafe.Pointer"},
		{"an interface", pointerfree.Pointer[struct{ E error }](), "E error"},
		{"a function", pointerfree.Pointer[func()](), "func()"},
		{"a channel", pointerfree.Pointer[chan int](), "chan int"},
		{"a field", pointerfree.Pointer[struct {
			HP   int
			Name string
		}](), "Name string"},
		{"far inside", pointerfree.Pointer[struct {
			A int
			B [2]inner
		}](), "B.M map[int]int"},
		{"embedded", pointerfree.Pointer[struct{ inner }](), "inner.M map[int]int"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
