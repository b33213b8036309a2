package rotation

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/internal/coretest"
)

func TestSlerpIsTheShortestArc(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := coretest.AnyRotation(t), coretest.AnyRotation(t)
		f := rapid.Float32Range(0, 1).Draw(t, "t")
		arc := coretest.AngleBetween(coretest.Quat64(a), coretest.Quat64(b))
		if arc > 179 {
			t.Skip("opposite: any arc is as short")
		}
		q := Slerp(a, b, f)
		if l := coretest.Quat64(q).Len(); math.Abs(l-1) > 1e-6 {
			t.Fatalf("length %v", l)
		}
		if d := coretest.AngleBetween(coretest.Quat64(a), coretest.Quat64(q)) - float64(f)*arc; math.Abs(d) > 0.01 {
			t.Fatalf("off by %v degrees along an arc of %v", d, arc)
		}
		if d := coretest.AngleBetween(coretest.Quat64(q), coretest.Quat64(b)) - float64(1-f)*arc; math.Abs(d) > 0.01 {
			t.Fatalf("%v degrees from where it should be on the other side", d)
		}
		if minus := Slerp(a, mgl32.Quat{W: -b.W, V: b.V.Mul(-1)}, f); coretest.AngleBetween(coretest.Quat64(minus), coretest.Quat64(q)) > 0.01 {
			t.Fatal("the sign of a quaternion must not matter")
		}
	})
}

func TestSlerpClamps(t *testing.T) {
	a, b := mgl32.QuatIdent(), mgl32.QuatRotate(1, mgl32.Vec3{0, 1, 0})
	for _, tt := range []struct {
		t    float32
		want mgl32.Quat
	}{{-1, a}, {0, a}, {1, b}, {5, b}, {float32(math.NaN()), a}} {
		if got := Slerp(a, b, tt.t); got != tt.want {
			t.Errorf("Slerp at %v is %v, want %v exactly", tt.t, got, tt.want)
		}
	}
}

func TestRotationVectorRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := coretest.AnyRotation(t)
		v := Vector(q)
		if v.Len() > math.Pi+1e-5 {
			t.Fatalf("%v radians are the longer way round", v.Len())
		}
		if d := coretest.AngleBetween(coretest.Quat64(Of(v)), coretest.Quat64(q)); d > 0.01 {
			t.Fatalf("comes back %v degrees off", d)
		}
	})
	if v := Vector(mgl32.QuatIdent()); v != (mgl32.Vec3{}) {
		t.Errorf("no rotation has the vector %v", v)
	}
}

func TestSpin(t *testing.T) {
	q := Spin(mgl32.QuatIdent(), mgl32.Vec3{0, math.Pi, 0}, 0.5)
	want := mgl32.QuatRotate(math.Pi/2, mgl32.Vec3{0, 1, 0})
	if d := coretest.AngleBetween(coretest.Quat64(q), coretest.Quat64(want)); d > 0.01 {
		t.Errorf("half a second at half a turn a second is %v degrees off a quarter turn", d)
	}
	odd := mgl32.Quat{W: 0.6, V: mgl32.Vec3{0.8, 0, 0}}
	if Spin(odd, mgl32.Vec3{}, 1) != odd || Spin(odd, mgl32.Vec3{1, 0, 0}, 0) != odd {
		t.Error("what does not turn must stay bit for bit")
	}
}
