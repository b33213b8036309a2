package components_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	. "github.com/tandem-ecs/tandem/components"
)

func drawQuat(t *rapid.T, label string) mgl32.Quat {
	f := rapid.Float64Range(-1, 1)
	q := mgl64.Quat{W: f.Draw(t, label+".w"), V: mgl64.Vec3{f.Draw(t, label+".x"), f.Draw(t, label+".y"), f.Draw(t, label+".z")}}
	if q.Len() < 1e-3 {
		return mgl32.QuatIdent()
	}
	q = q.Normalize()
	return NormalizeQuat(mgl32.Quat{W: float32(q.W), V: mgl32.Vec3{float32(q.V[0]), float32(q.V[1]), float32(q.V[2])}})
}

func drawPose(t *rapid.T, label string) Pose3D {
	f := rapid.Float32Range(-100, 100)
	scale := rapid.Float32Range(0.25, 4).Draw(t, label+".scale")
	p := Pose3D{
		Position: mgl32.Vec3{f.Draw(t, label+".px"), f.Draw(t, label+".py"), f.Draw(t, label+".pz")},
		Rotation: drawQuat(t, label),
	}
	for i := range p.Scale {
		p.Scale[i] = scale
		if rapid.Bool().Draw(t, label+".mirror") {
			p.Scale[i] = -scale
		}
	}
	return p
}

func nearMat4(a, b mgl32.Mat4, tol float32) bool {
	for i := range a {
		if d := a[i] - b[i]; d > tol || d < -tol || d != d {
			return false
		}
	}
	return true
}

func TestPose3DAgreesWithItsMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawPose(t, "a"), drawPose(t, "b")
		if got, want := a.Mul(b).Mat4(), a.Mat4().Mul4(b.Mat4()); !nearMat4(got, want, 2e-3) {
			t.Errorf("(%v * %v).Mat4() =\n%v, want\n%v", a, b, got, want)
		}
		if got := a.Inverse().Mul(a).Mat4(); !nearMat4(got, mgl32.Ident4(), 1e-3) {
			t.Errorf("%v inverted times itself =\n%v", a, got)
		}
		point := mgl32.Vec3{1, -2, 3}
		if got, want := a.Apply(point), mgl32.TransformCoordinate(point, a.Mat4()); !got.ApproxEqualThreshold(want, 1e-3) {
			t.Errorf("%v.Apply(%v) = %v, want %v", a, point, got, want)
		}
	})
}

func TestPose2DAgreesWithItsMatrix(t *testing.T) {
	draw := func(t *rapid.T, label string) Pose2D {
		f := rapid.Float32Range(-100, 100)
		s := rapid.Float32Range(0.25, 4).Draw(t, label+".scale")
		p := Pose2D{Position: mgl32.Vec2{f.Draw(t, label+".x"), f.Draw(t, label+".y")}, Rotation: rapid.Float32Range(-7, 7).Draw(t, label+".a"), Scale: mgl32.Vec2{s, s}}
		if rapid.Bool().Draw(t, label+".mirror") {
			p.Scale[0] = -s
		}
		return p
	}
	near := func(a, b mgl32.Mat3) bool {
		for i := range a {
			if d := a[i] - b[i]; d > 2e-3 || d < -2e-3 || d != d {
				return false
			}
		}
		return true
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		if got, want := a.Mul(b).Mat3(), a.Mat3().Mul3(b.Mat3()); !near(got, want) {
			t.Errorf("(%v * %v).Mat3() =\n%v, want\n%v", a, b, got, want)
		}
		if got := a.Inverse().Mul(a).Mat3(); !near(got, mgl32.Ident3()) {
			t.Errorf("%v inverted times itself =\n%v", a, got)
		}
	})
}

func TestZeroScaleStaysFinite(t *testing.T) {
	p := At3D(1, 2, 3)
	p.Scale = mgl32.Vec3{0, 1, 1}
	for _, m := range []mgl32.Mat4{p.Mat4(), p.Inverse().Mat4(), p.Mul(p).Mat4()} {
		for _, v := range m {
			if v != v || math.IsInf(float64(v), 0) {
				t.Fatalf("a scale of zero gave %v", m)
			}
		}
	}
}

// slerp64 is the textbook one, in float64, by the shortest arc.
func slerp64(a, b mgl32.Quat, t float64) mgl64.Quat {
	q := func(q mgl32.Quat) mgl64.Quat {
		return mgl64.Quat{W: float64(q.W), V: mgl64.Vec3{float64(q.V[0]), float64(q.V[1]), float64(q.V[2])}}.Normalize()
	}
	x, y := q(a), q(b)
	d := x.Dot(y)
	if d < 0 {
		y, d = y.Scale(-1), -d
	}
	angle := math.Acos(min(d, 1))
	if angle < 1e-9 {
		return x
	}
	return x.Scale(math.Sin((1-t)*angle) / math.Sin(angle)).Add(y.Scale(math.Sin(t*angle) / math.Sin(angle))).Normalize()
}

// degreesApart is the angle of the rotation from a to b; the chord keeps its precision for small
// angles.
func degreesApart(a mgl32.Quat, b mgl64.Quat) float64 {
	sum, diff := 0.0, 0.0
	av := [4]float64{float64(a.W), float64(a.V[0]), float64(a.V[1]), float64(a.V[2])}
	bv := [4]float64{b.W, b.V[0], b.V[1], b.V[2]}
	for i := range av {
		sum += (av[i] + bv[i]) * (av[i] + bv[i])
		diff += (av[i] - bv[i]) * (av[i] - bv[i])
	}
	return 4 * math.Asin(math.Min(1, math.Sqrt(math.Min(sum, diff))/2)) * 180 / math.Pi
}

func TestSlerpAgainstFloat64(t *testing.T) {
	for degrees := 0.0; degrees <= 180; degrees += 0.5 {
		for _, sign := range []float32{1, -1} {
			a := NormalizeQuat(mgl32.QuatRotate(1.1, mgl32.Vec3{1, 2, 3}.Normalize()))
			b := NormalizeQuat(mgl32.QuatRotate(float32(degrees*math.Pi/180), mgl32.Vec3{-2, 1, 0.5}.Normalize()).Mul(a)).Scale(sign)
			for f := float32(0); f <= 1; f += 1.0 / 64 {
				got := Slerp(a, b, f)
				if d := degreesApart(got, slerp64(a, b, float64(f))); !(d <= 0.01) {
					t.Fatalf("Slerp over %v degrees (sign %v) at %v is off by %v degrees", degrees, sign, f, d)
				}
				if n := got.Len(); !(math.Abs(float64(n)-1) < 1e-6) {
					t.Fatalf("Slerp over %v degrees at %v has length %v", degrees, f, n)
				}
			}
		}
	}
}

// Case 27 and 29: the long way round, equal, opposite, half a turn, unnormalised and zero.
func TestSlerpDegenerate(t *testing.T) {
	turn := func(degrees float32) mgl32.Quat {
		return mgl32.QuatRotate(degrees*math.Pi/180, mgl32.Vec3{0, 1, 0})
	}
	if d := degreesApart(Slerp(turn(170), turn(-170), 0.5), slerp64(turn(180), turn(180), 0)); d > 0.01 {
		t.Errorf("170 to -170 degrees halfway is %v degrees away from 180", d)
	}
	q := NormalizeQuat(turn(33))
	if d := degreesApart(Slerp(q, q.Scale(-1), 0.3), slerp64(q, q, 0)); d > 1e-4 {
		t.Errorf("q to -q moved by %v degrees", d)
	}
	if got := Slerp(q, q, 0.7); degreesApart(got, slerp64(q, q, 0)) > 1e-4 {
		t.Errorf("q to q gave %v, want %v", got, q)
	}
	// half a turn away: the dot product is zero
	opposite := mgl32.Quat{W: -q.V[1], V: mgl32.Vec3{0, q.W, 0}}
	for _, f := range []float32{0, 0.25, 0.5, 0.75, 1} {
		if n := Slerp(q, opposite, f).Len(); !(math.Abs(float64(n)-1) < 1e-6) {
			t.Errorf("half a turn at %v has length %v", f, n)
		}
	}
	if got := Slerp(q, opposite, 0); got != q {
		t.Errorf("Slerp at 0 = %v, want %v", got, q)
	}
}

func TestNormalizeQuat(t *testing.T) {
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	for _, test := range []struct{ in, want mgl32.Quat }{
		{mgl32.Quat{}, mgl32.QuatIdent()},
		{mgl32.Quat{W: inf}, mgl32.QuatIdent()},
		{mgl32.Quat{W: nan}, mgl32.QuatIdent()},
		{mgl32.Quat{W: 1e-30}, mgl32.QuatIdent()},
		{mgl32.Quat{V: mgl32.Vec3{0, -3e30, 0}}, mgl32.Quat{V: mgl32.Vec3{0, -1, 0}}},
		{mgl32.Quat{W: 1.01}, mgl32.QuatIdent()},
	} {
		if got := NormalizeQuat(test.in); got != test.want {
			t.Errorf("NormalizeQuat(%v) = %v, want %v", test.in, got, test.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuat(t, "q")
		if NormalizeQuat(q) != q {
			t.Errorf("normalising the unit quaternion %v changed it", q)
		}
	})
}

// Case 28, and everything round the circle.
func TestBlend2DTakesTheShorterWay(t *testing.T) {
	deg := func(d float64) float32 { return float32(d * math.Pi / 180) }
	got := Blend2D(Pose2D{Rotation: deg(350)}, Pose2D{Rotation: deg(10)}, 0.5).Rotation
	if r := math.Remainder(float64(got), 2*math.Pi); math.Abs(r) > 1e-6 {
		t.Errorf("350 to 10 degrees halfway = %v rad, want a multiple of a full turn", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float32Range(-50, 50).Draw(t, "a"), rapid.Float32Range(-50, 50).Draw(t, "b")
		d := float64(AngleBetween(a, b))
		if math.Abs(d) > math.Pi+1e-6 {
			t.Errorf("AngleBetween(%v, %v) = %v, more than half a turn", a, b, d)
		}
		if off := math.Remainder(float64(a)+d-float64(b), 2*math.Pi); math.Abs(off) > 1e-5 {
			t.Errorf("AngleBetween(%v, %v) = %v misses by %v", a, b, d, off)
		}
	})
}

// Case 31: scales are blended straight, through zero and below.
func TestBlend3DScale(t *testing.T) {
	a, b := Identity3D(), Identity3D()
	b.Scale = mgl32.Vec3{3, -1, 0}
	if got, want := Blend3D(a, b, 0.5).Scale, (mgl32.Vec3{2, 0, 0.5}); got != want {
		t.Errorf("scale halfway = %v, want %v", got, want)
	}
}

// Case 51: far from the origin the blend is monotone and within one unit in the last place.
func TestBlendFarFromTheOrigin(t *testing.T) {
	a, b := At3D(1e5, 0, 0), At3D(1e5+10.0/60, 0, 0)
	last := a.Position[0]
	for i := 0; i <= 1000; i++ {
		f := float32(i) / 1000
		x := Blend3D(a, b, f).Position[0]
		want := float64(a.Position[0]) + float64(f)*float64(b.Position[0]-a.Position[0])
		if x < last || math.Abs(float64(x)-want) > 0.0079 {
			t.Fatalf("at %v x = %v after %v, want %v", f, x, last, want)
		}
		last = x
	}
}

func TestVisualHoldsTheSetValue(t *testing.T) {
	v := NewVisual(At3D(1, 2, 3))
	if got := v.Get(); got != At3D(1, 2, 3) {
		t.Errorf("Get = %v after New", got)
	}
	v.Set(At3D(4, 5, 6))
	if got := v.Get(); got != At3D(4, 5, 6) {
		t.Errorf("Get = %v after Set", got)
	}
}
