package articles_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
)

func TestOffsetHidesTheCorrectionThenDecays(t *testing.T) {
	var e articles.ErrorOffset[float64, articles.Scalar]
	if e.Apply(5) != 5 || e.Size() != 0 {
		t.Error("the zero value has an offset")
	}
	e.Correct(10, 12)
	if got := e.Apply(12); got != 10 {
		t.Errorf("right after the correction %v is drawn, want 10: nothing moves", got)
	}
	for _, test := range []struct {
		after time.Duration
		want  float64
	}{{200 * ms, 11}, {200 * ms, 11.5}, {100 * ms, 12 - 0.5/math.Sqrt2}, {-time.Hour, 12 - 0.5/math.Sqrt2}, {0, 12 - 0.5/math.Sqrt2}} {
		e.Advance(test.after)
		if got := e.Apply(12); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v later %v is drawn, want %v", test.after, got, test.want)
		}
	}
	// A second correction starts from the drawn value.
	drawn := e.Apply(12)
	e.Correct(12, 11)
	if got := e.Apply(11); math.Abs(got-drawn) > 1e-12 {
		t.Errorf("a second correction moved the picture from %v to %v", drawn, got)
	}
	e.Advance(10 * time.Second)
	if got := e.Apply(11); got != 11 || e.Size() != 0 {
		t.Errorf("at last %v is drawn, want exactly 11", got)
	}
}

func TestOffsetSettings(t *testing.T) {
	e := articles.ErrorOffset[float64, articles.Scalar]{HalfLife: time.Second, Snap: 3, Rest: 0.1}
	if !e.Correct(0, 2.9) || e.Size() != 2.9 {
		t.Errorf("a correction below Snap left %v", e.Size())
	}
	e.Advance(time.Second)
	if math.Abs(e.Size()-1.45) > 1e-12 {
		t.Errorf("after one half-life %v are left, want 1.45", e.Size())
	}
	if e.Correct(0, 5) || e.Size() != 0 || e.Apply(5) != 5 {
		t.Errorf("a correction beyond Snap left %v", e.Size())
	}
	e.Correct(0, 0.09)
	if e.Size() != 0 {
		t.Errorf("a correction below Rest left %v", e.Size())
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		if e.Correct(bad, 1) || e.Apply(1) != 1 {
			t.Errorf("a correction from %v left %v", bad, e.Size())
		}
	}
	none := articles.ErrorOffset[float64, articles.Scalar]{HalfLife: -1}
	none.Correct(0, 1)
	none.Advance(1)
	if none.Size() != 0 {
		t.Errorf("without a half-life %v are left", none.Size())
	}
}

// drawQuat draws a unit quaternion.
func drawQuat(t *rapid.T, name string) mgl32.Quat {
	f := rapid.Float32Range(-1, 1)
	q := mgl32.Quat{W: f.Draw(t, name+" w"), V: mgl32.Vec3{f.Draw(t, name+" x"), f.Draw(t, name+" y"), f.Draw(t, name+" z")}}
	if q.Len() < 0.1 {
		return mgl32.QuatIdent()
	}
	return q.Normalize()
}

func drawVec3(t *rapid.T, name string) mgl32.Vec3 {
	f := rapid.Float32Range(-100, 100)
	return mgl32.Vec3{f.Draw(t, name+" x"), f.Draw(t, name+" y"), f.Draw(t, name+" z")}
}

// properties checks the properties that hold in every space. The offset turns one value into the
// other. It decays monotonically, at a rate that does not depend on the lengths of the frames.
func properties[T any, S articles.Space[T]](t *testing.T, draw func(*rapid.T, string) T, tolerance float64) {
	t.Helper()
	var space S
	rapid.Check(t, func(t *rapid.T) {
		from, to := draw(t, "from"), draw(t, "to")
		d := space.Offset(from, to)
		if far := space.Size(space.Offset(space.Apply(from, d), to)); far > tolerance {
			t.Fatalf("%v with offset %v is %v from %v", from, d, far, to)
		}
		k := rapid.Float64Range(0, 1).Draw(t, "k")
		if got, want := space.Size(space.Scale(d, k)), k*space.Size(d); math.Abs(got-want) > tolerance {
			t.Fatalf("scaled by %v the size is %v, want %v", k, got, want)
		}
		a := articles.ErrorOffset[T, S]{Rest: 1e-9}
		b := a
		a.Correct(from, to)
		b.Correct(from, to)
		total := time.Duration(0)
		for range rapid.IntRange(1, 20).Draw(t, "frames") {
			dt := time.Duration(rapid.IntRange(0, 50).Draw(t, "ms")) * ms
			before := a.Size()
			a.Advance(dt)
			if a.Size() > before*(1+1e-6) {
				t.Fatalf("the offset grew from %v to %v", before, a.Size())
			}
			total += dt
		}
		b.Advance(total)
		if far := space.Size(space.Offset(a.Apply(to), b.Apply(to))); far > tolerance {
			t.Fatalf("cut into frames the picture is %v away from that of one long frame", far)
		}
	})
}

func TestSpaces(t *testing.T) {
	t.Run("Scalar", func(t *testing.T) {
		properties[float64, articles.Scalar](t, func(t *rapid.T, name string) float64 { return rapid.Float64Range(-1000, 1000).Draw(t, name) }, 1e-9)
	})
	t.Run("Vec3", func(t *testing.T) { properties[mgl32.Vec3, articles.Vec3](t, drawVec3, 1e-3) })
	t.Run("Rotation", func(t *testing.T) { properties[mgl32.Quat, articles.Rotation](t, drawQuat, 2e-3) })
}

func TestRotationsTakeTheShorterWay(t *testing.T) {
	var rotation articles.Rotation
	about := func(degrees float32) mgl32.Quat {
		return mgl32.QuatRotate(mgl32.DegToRad(degrees), mgl32.Vec3{0, 1, 0})
	}
	for _, test := range []struct{ from, to, size float32 }{{10, 50, 40}, {170, -170, 20}, {0, 180, 180}, {0, 300, 60}, {20, 20, 0}} {
		for _, sign := range []float32{1, -1} { // q and -q are the same rotation
			d := rotation.Offset(about(test.from), about(test.to).Scale(sign))
			if got := mgl32.RadToDeg(float32(rotation.Size(d))); math.Abs(float64(got-test.size)) > 0.05 {
				t.Errorf("from %v to %v degrees is %v, want %v", test.from, test.to, got, test.size)
			}
			half := rotation.Apply(about(test.from), rotation.Scale(d, 0.5))
			toward := rotation.Size(rotation.Offset(half, about(test.to)))
			if got := mgl32.RadToDeg(float32(toward)); math.Abs(float64(got-test.size/2)) > 0.05 {
				t.Errorf("halfway from %v to %v, %v degrees are left, want %v", test.from, test.to, got, test.size/2)
			}
		}
	}
}

func TestOffsetsAllocateNothing(t *testing.T) {
	var position articles.ErrorOffset[mgl32.Vec3, articles.Vec3]
	var rotation articles.ErrorOffset[mgl32.Quat, articles.Rotation]
	q := mgl32.QuatRotate(1, mgl32.Vec3{0, 1, 0})
	if allocs := testing.AllocsPerRun(100, func() {
		position.Correct(mgl32.Vec3{}, mgl32.Vec3{1, 2, 3})
		position.Advance(ms)
		position.Apply(mgl32.Vec3{})
		rotation.Correct(mgl32.QuatIdent(), q)
		rotation.Advance(ms)
		rotation.Apply(q)
	}); allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}
