package kernel

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

// TestSameBitsOnEveryPlatform compares a checksum over poses with the one that was once computed: a
// compiler that fuses, a processor that rounds in its own way, or a change of the formula shows
// here.
func TestSameBitsOnEveryPlatform(t *testing.T) {
	const n = 997
	r := rand.New(rand.NewPCG(1, 2))
	// Only exact or correctly rounded operations, and no sum that a compiler could fuse: the
	// squares of float32 are exact in double precision.
	unit := func() mgl32.Quat {
		var q [4]float64
		length := 0.0
		for k := range q {
			q[k] = float64(r.Float32()) - 0.5
			length += q[k] * q[k]
		}
		length = math.Sqrt(length)
		return mgl32.Quat{W: float32(q[0] / length), V: mgl32.Vec3{float32(q[1] / length), float32(q[2] / length), float32(q[3] / length)}}
	}
	prev, cur, dst := make([]pose, n), make([]pose, n), make([]pose, n)
	for i := range prev {
		for _, p := range []*pose{&prev[i], &cur[i]} {
			for k := range 3 {
				p.Position[k], p.Scale[k] = float32(r.Float32()*1000)-500, r.Float32()
			}
			p.Rotation = unit()
		}
	}
	eachPath(t, func(t *testing.T, path Path) {
		sum := fnv.New64a()
		for step := range 10 {
			path.Blend3D(dst, prev, cur, float32(step)/10)
			for i := range dst {
				for _, f := range words(&dst[i]) {
					_ = binary.Write(sum, binary.LittleEndian, f) // a hash does not fail
				}
			}
		}
		const want = 0xd65eda67dd88384d
		if got := sum.Sum64(); got != want {
			t.Errorf("checksum %#x, want %#x", got, uint64(want))
		}
	})
}
