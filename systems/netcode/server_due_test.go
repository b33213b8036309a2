package netcode

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

// Neighbouring bits of the curve are those of x, y and z in turn, and all positions have a place.
func TestCurve(t *testing.T) {
	g := Grid{Min: mgl32.Vec3{-1, 0, 5}, Max: mgl32.Vec3{1, 65535, 5}}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		at   mgl32.Vec3
		want uint64
	}{
		{mgl32.Vec3{-1, 0, 5}, 0},
		{mgl32.Vec3{-1, 1, 5}, 0b010},
		{mgl32.Vec3{-1, 2, 5}, 0b010_000},
		{mgl32.Vec3{-1, 65535, 5}, 0b010_010_010_010_010_010_010_010_010_010_010_010_010_010_010_010},
		{mgl32.Vec3{1, 0, 5}, 0b001_001_001_001_001_001_001_001_001_001_001_001_001_001_001_001},
		{mgl32.Vec3{inf, inf, inf}, 0b011_011_011_011_011_011_011_011_011_011_011_011_011_011_011_011},
		{mgl32.Vec3{nan, nan, nan}, 0},
		{mgl32.Vec3{-inf, -9, 9}, 0},
	} {
		if got := curve(c.at, &g); got != c.want {
			t.Errorf("%v is at %b, want %b", c.at, got, c.want)
		}
	}
}
