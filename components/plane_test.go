package components_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
)

// A pose in the plane comes back from space as it was, bit for bit, also when its rotation was
// normalised there.
func TestPlaneRoundTripIsExact(t *testing.T) {
	worst := 0.0
	check := func(angle float32) {
		p := components.Pose2D{Position: mgl32.Vec2{angle * 3, -7}, Rotation: angle, Scale: mgl32.Vec2{2, -angle}}
		space := p.In3D()
		if got := space.Flat(); got != p {
			t.Fatalf("%v rad comes back as %v", angle, got.Rotation)
		}
		if got := space.Normalize(); got != space {
			t.Fatalf("%v rad is no unit rotation: %v", angle, space.Rotation)
		}
		q := space.Rotation
		worst = max(worst, math.Abs(float64(q.W)-math.Cos(float64(angle)/2)), math.Abs(float64(q.V[2])-math.Sin(float64(angle)/2)))
		if q.V[0] != 0 || q.V[1] != 0 || space.Position[2] != 0 || space.Scale[2] != 1 {
			t.Fatalf("%v rad leaves the plane: %v", angle, space)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if angle := rapid.Float32Range(-6.283185, 6.283185).Draw(t, "angle"); angle == 0 || math.Abs(float64(angle)) > 1e-37 {
			check(angle)
		}
	})
	for bits := uint32(0x01000000); bits < math.Float32bits(2*math.Pi); bits += 9973 {
		// of all sizes
		angle := math.Float32frombits(bits)
		check(angle)
		check(-angle)
	}
	for k := -8; k <= 8; k++ { // beside the parts of a turn
		at := float32(k) * math.Pi / 4
		for range 50 {
			at = math.Nextafter32(at, -10)
		}
		for range 100 {
			if at = math.Nextafter32(at, 10); math.Abs(float64(at)) < 2*math.Pi && (at == 0 || math.Abs(float64(at)) > 1e-30) {
				check(at)
			}
		}
	}
	if worst > 1.2e-7 {
		t.Errorf("a component of a rotation is off by %v", worst)
	}
}

// The pose in space does with points of the plane what the pose in the plane does.
func TestPlanePosesInSpaceAreTheSamePoses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Float32Range(-10, 10)
		draw := func() components.Pose2D {
			size := rapid.Float32Range(0.1, 3).Draw(t, "scale")
			return components.Pose2D{
				Position: mgl32.Vec2{number.Draw(t, "x"), number.Draw(t, "y")}, Rotation: number.Draw(t, "angle"), Scale: mgl32.Vec2{size, size},
			}
		}
		a, b := draw(), draw()
		point := mgl32.Vec2{number.Draw(t, "px"), number.Draw(t, "py")}
		if got, want := a.In3D().Apply(point.Vec3(0)), a.Apply(point); got.Vec2().Sub(want).Len() > 1e-4 || got[2] != 0 {
			t.Fatalf("%v, want %v", got, want)
		}
		got, want := a.In3D().Mul(b.In3D()).Flat(), a.Mul(b)
		turns := math.Remainder(float64(got.Rotation-want.Rotation), 2*math.Pi)
		if got.Position.Sub(want.Position).Len() > 1e-4 || got.Scale.Sub(want.Scale).Len() > 1e-4 || math.Abs(turns) > 1e-5 {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// The part about another axis is left out.
func TestFlatTakesTheTurnAboutZ(t *testing.T) {
	p := components.At3D(1, 2, 3)
	p.Rotation = mgl32.QuatRotate(0.5, mgl32.Vec3{0, 0, 1}).Mul(mgl32.QuatRotate(0.7, mgl32.Vec3{1, 0, 0}))
	got := p.Flat()
	if math.Abs(float64(got.Rotation)-0.5) > 1e-6 || got.Position != (mgl32.Vec2{1, 2}) || got.Scale != (mgl32.Vec2{1, 1}) {
		t.Errorf("%v", got)
	}
	if got := (components.Pose3D{}).Flat(); got != (components.Pose2D{}) {
		t.Errorf("of the zero value: %v", got)
	}
}
