package conformance

import (
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// A motion's velocity is the derivative of its position, except at kinks.
func TestMotionsAreConsistent(t *testing.T) {
	for _, m := range append(slices.Clone(motions), *MotionNamed("M8").Child) {
		const h = 1e-6
		kinks := 0
		for i := range 20000 {
			at := 0.5 + float64(i)*0.00137
			a, b, c := m.At(at-h), m.At(at), m.At(at+h)
			if a.Discontinuity != c.Discontinuity {
				continue
			}
			v := c.Position.Sub(a.Position).Mul(1 / (2 * h))
			if v.Sub(b.Velocity).Len() > 1e-3 {
				kinks++ // a flip or a bounce lies between
			}
			spin := 2 * math.Asin(min(1, a.Rotation.Conjugate().Mul(c.Rotation).V.Len())) / (2 * h)
			if math.Abs(spin-b.Angular.Len()) > 1e-3 {
				t.Fatalf("%s at %v turns at %v rad/s and says %v", m.ID, at, spin, b.Angular.Len())
			}
			if b.AtRest != (b.Velocity == mgl64.Vec3{}) && m.ID == "M5" {
				t.Fatalf("%s at %v: at rest %v with velocity %v", m.ID, at, b.AtRest, b.Velocity)
			}
		}
		if kinks > 3 {
			t.Errorf("%s: the velocity is not the derivative of the position at %d of 20000 instants", m.ID, kinks)
		}
	}
}
