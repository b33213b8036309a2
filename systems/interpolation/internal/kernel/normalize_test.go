package kernel

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
)

// The test for rotations of unit length is that of package components: what passes it comes back
// as it is, and what does not pass it comes back at unit length.
func TestUnitRotationsAreThoseOfComponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := floats()
		q := mgl32.Quat{W: f.Draw(t, "w"), V: mgl32.Vec3{f.Draw(t, "x"), f.Draw(t, "y"), f.Draw(t, "z")}}
		if rapid.Bool().Draw(t, "nearly unit") {
			q = rotations().Draw(t, "rotation").Scale(1 + rapid.Float32Range(-1e-6, 1e-6).Draw(t, "off"))
		}
		unit := components.NormalizeQuat(q)
		if isUnit(q.W, q.V[0], q.V[1], q.V[2]) {
			if unit != q {
				t.Fatalf("%v became %v", q, unit)
			}
			return
		}
		if !isUnit(unit.W, unit.V[0], unit.V[1], unit.V[2]) {
			t.Fatalf("%v became %v, which is not of unit length", q, unit)
		}
	})
}
