package plain_test

import (
	"testing"
	"unsafe"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/internal/plain"
)

type inner struct {
	A float32
	M map[int]int
}

func TestPointer(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"a number", plain.Pointer[float64](), ""},
		{"a pose", plain.Pointer[components.Pose3D](), ""},
		{"numbers in rows", plain.Pointer[[3][2]struct{ A, B int8 }](), ""},
		{"an address as a number", plain.Pointer[struct{ A uintptr }](), ""},
		{"no pointers in a row", plain.Pointer[struct {
			A [0]*int
			B int
		}](), ""},
		{"a string", plain.Pointer[string](), "string"},
		{"a pointer", plain.Pointer[*int](), "*int"},
		{"one that Go does not know of", plain.Pointer[struct{ P unsafe.Pointer }](), "P unsafe.Pointer"},
		{"an interface", plain.Pointer[struct{ E error }](), "E error"},
		{"a function", plain.Pointer[func()](), "func()"},
		{"a channel", plain.Pointer[chan int](), "chan int"},
		{"a field", plain.Pointer[struct {
			HP   int
			Name string
		}](), "Name string"},
		{"far inside", plain.Pointer[struct {
			A int
			B [2]inner
		}](), "B.M map[int]int"},
		{"embedded", plain.Pointer[struct{ inner }](), "inner.M map[int]int"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
