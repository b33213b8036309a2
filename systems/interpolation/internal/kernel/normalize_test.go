package kernel

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
)

func TestNormalize(t *testing.T) {
	p := components.At3D(1, 2, 3)
	p.Rotation = mgl32.Quat{W: 3, V: mgl32.Vec3{0, 4, 0}}
	Normalize3D(&p)
	if want := (mgl32.Quat{W: 0.6, V: mgl32.Vec3{0, 0.8, 0}}); p.Rotation != want || p.Position != (mgl32.Vec3{1, 2, 3}) {
		t.Errorf("got %v, want a rotation of %v", p, want)
	}
	unit := mgl32.Quat{W: math.Nextafter32(1, 0)}
	p.Rotation = unit
	if Normalize3D(&p); p.Rotation != unit {
		t.Errorf("a unit rotation was changed to %v", p.Rotation)
	}
	// The public function may draw the line elsewhere by a rounding of the squared length, where
	// its sums are fused.
	rapid.Check(t, func(t *rapid.T) {
		f := floats()
		p := pose{Rotation: mgl32.Quat{W: f.Draw(t, "w"), V: mgl32.Vec3{f.Draw(t, "x"), f.Draw(t, "y"), f.Draw(t, "z")}}}
		if rapid.Bool().Draw(t, "nearly unit") {
			p.Rotation = rotations().Draw(t, "rotation").Scale(1 + rapid.Float32Range(-1e-6, 1e-6).Draw(t, "off"))
		}
		want := pose{Rotation: components.NormalizeQuat(p.Rotation)}
		before := p.Rotation
		Normalize3D(&p)
		x, y := words(&p), words(&want)
		for k := range x {
			if math.Abs(float64(x[k]-y[k])) > 4e-7 {
				t.Fatalf("%v became %v, want %v", before, p.Rotation, want.Rotation)
			}
		}
	})
}
