package interpolation_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Every component of a linear value goes straight from where it was to where it is, from the first
// step on.
func TestInterpolationLinear(t *testing.T) {
	testLinear(t, func(x [4]float64) float32 { return float32(x[0]) }, func(v float32) []float64 { return []float64{float64(v)} })
	testLinear(t, func(x [4]float64) knob { return knob(x[0]) }, func(v knob) []float64 { return []float64{float64(v)} })
	wide := func(v []float32) (x []float64) {
		for _, c := range v {
			x = append(x, float64(c))
		}
		return x
	}
	testLinear(t, func(x [4]float64) mgl32.Vec2 { return mgl32.Vec2{float32(x[0]), float32(x[1])} }, func(v mgl32.Vec2) []float64 { return wide(v[:]) })
	testLinear(t, func(x [4]float64) tint { return tint{float32(x[0]), float32(x[1]), float32(x[2])} }, func(v tint) []float64 { return wide(v[:]) })
	testLinear(t, func(x [4]float64) mgl32.Vec4 {
		return mgl32.Vec4{float32(x[0]), float32(x[1]), float32(x[2]), float32(x[3])}
	},
		func(v mgl32.Vec4) []float64 { return wide(v[:]) })
	testLinear(t, func(x [4]float64) mgl64.Vec2 { return mgl64.Vec2{x[0], x[1]} }, func(v mgl64.Vec2) []float64 { return v[:] })
	testLinear(t, func(x [4]float64) mgl64.Vec3 { return mgl64.Vec3{x[0], x[1], x[2]} }, func(v mgl64.Vec3) []float64 { return v[:] })
	testLinear(t, func(x [4]float64) [4]float64 { return x }, func(v [4]float64) []float64 { return v[:] })
}

func testLinear[T interpolation.Linear](t *testing.T, of func(x [4]float64) T, numbers func(v T) []float64) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		for _, every := range []int{1, 3} { // all in motion, or every third
			// Component c of value k moves at k+c+1 per second.
			at := func(k int, seconds float64) (x [4]float64) {
				for c := range x {
					x[c] = 100*float64(c) + float64(k+c+1)*seconds
				}
				return x
			}
			var start []T
			for k := range 7 {
				start = append(start, of(at(k, 0)))
			}
			s := newValueStage(t, 10, interpolation.NewLinear[T](), start)
			s.Fixed(func(now ecs.Time) {
				for k := 0; k < len(start); k += every {
					s.value(k).Set(of(at(k, Seconds(now.StepEnd))))
				}
			})
			s.Run(200, FPS(144, 1), func(now ecs.Time) {
				for k := range start {
					when := Seconds(now.Normal)
					if k%every != 0 {
						when = 0
					}
					want := at(k, when)
					for c, got := range numbers(s.drawn(k)) {
						s.Near(fmt.Sprintf("component %d of value %d", c, k), got, want[c], 1e-4)
					}
				}
			})
		}
	})
}

// An offset of a linear value fades, in every component.
func TestCorrectionOfALinearValue(t *testing.T) {
	s := newValueStage(t, 10, interpolation.NewLinear[mgl64.Vec3](), []mgl64.Vec3{{1, 2, 3}})
	s.values.HalfLife = 100 * time.Millisecond
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 2 {
			s.value(0).Correct(mgl64.Vec3{9, 2, -1})
		}
	})
	s.Run(2, Constant(100*time.Millisecond), func(ecs.Time) {
		// the second of them shows the offset for the first time, whole
		s.Near("the distance from where it was", s.drawn(0).Sub(mgl64.Vec3{1, 2, 3}).Len(), 0, 1e-6)
	})
	for frame := range 10 {
		left := math.Exp2(-float64(frame) - 1)
		s.Update(100 * time.Millisecond)
		want := mgl64.Vec3{9 - 8*left, 2, -1 + 4*left}
		s.Near(fmt.Sprintf("the distance from %v", want), s.drawn(0).Sub(want).Len(), 0, 1e-6)
	}
}

// A gentle one shortens at a steady speed, by its Euclidean length.
func TestGentleCorrectionOfALinearValue(t *testing.T) {
	const slow, halfLife = 2.0, 0.1
	s := newValueStage(t, 20, interpolation.NewLinear[mgl32.Vec2](), make([]mgl32.Vec2, 1))
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 8 {
			// an offset that is 1 long
			s.values.CorrectGently(s.entities[0], mgl32.Vec2{-0.6, -0.8}, mgl32.Vec2{-0.6, -0.8}, slow, slow)
		}
	})
	first := -1.0
	rest := slow * halfLife / math.Ln2
	s.Run(200, FPS(60, 1), func(now ecs.Time) {
		tm := Seconds(now.Normal)
		if now.Tick <= 8 {
			return
		}
		if first < 0 {
			first = tm
		}
		left, straight := 1-slow*(tm-first), (1-rest)/slow
		if tm-first > straight {
			left = rest * math.Exp2(-(tm-first-straight)/halfLife)
		}
		s.Near("x", float64(s.drawn(0)[0]), 0.6*(left-1), 1e-4)
		s.Near("y", float64(s.drawn(0)[1]), 0.8*(left-1), 1e-4)
	})
}
