package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

const (
	poseBytes  = 40
	valueBytes = 16 // of a mgl32.Vec4: a colour, say
)

type color struct{ r, g, b, a float32 }

func mixColors(from, to color, t float32) color {
	return color{from.r + (to.r-from.r)*t, from.g + (to.g-from.g)*t, from.b + (to.b-from.b)*t, from.a + (to.a-from.a)*t}
}

// The conversions cost nothing and keep compilers from fusing products with sums. The checks need
// the bits of interpolation.NewLinear.

func mixVectors(from, to mgl32.Vec4, t float32) (v mgl32.Vec4) {
	for k := range v {
		v[k] = from[k] + float32((to[k]-from[k])*t)
	}
	return v
}

func mixBatchOfVectors(dst, from, to []mgl32.Vec4, t float32) {
	for i := range dst {
		a, b := &from[i], &to[i]
		for k := range b {
			dst[i][k] = a[k] + float32((b[k]-a[k])*t)
		}
	}
}

// ownValues returns the workloads of a user's own values: a struct of numbers, and an array in the
// three ways.
func ownValues(t *testing.T, n int) []*workload {
	ownColor := func(x, y float32) color { return color{x, y, 1, 2} }
	vec4 := func(x, y float32) mgl32.Vec4 { return mgl32.Vec4{x, y, 1, 2} }
	return []*workload{
		values(t, "color", n, interpolation.New(mixColors), mixColors, ownColor),
		values(t, "linear", n, interpolation.NewLinear[mgl32.Vec4](), mixVectors, vec4),
		values(t, "batch", n, interpolation.NewBatch(mixBatchOfVectors), mixVectors, vec4),
		values(t, "vec4", n, interpolation.New(mixVectors), mixVectors, vec4),
	}
}

// values measures frames of a user's value, with all of them in motion. The first function says how
// the value is drawn. The second one makes a value of two numbers, the second of which counts
// steps.
func values[T comparable](t *testing.T, name string, n int, interpolation *interpolation.Interpolator[T], mix func(from, to T, t float32) T, value func(x, y float32) T) *workload {
	e := newEngine(t, ecs.Config{MaxDelta: time.Hour})
	e.Install(interpolation)
	w := e.World()
	builder := generic.NewMap2[components.Logical[T], components.Visual[T]](w)
	query := builder.NewBatchQ(n)
	for i := 0; query.Next(); i++ {
		logical, _ := query.Get()
		*logical = components.NewLogical(value(float32(i%100), 0))
	}
	filter := generic.NewFilter2[components.Logical[T], components.Visual[T]]()
	steps := float32(0)
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		steps++
		query := filter.Query(w)
		for i := 0; query.Next(); i++ {
			logical, _ := query.Get()
			logical.Set(value(float32(i%100), steps))
		}
	}))
	stepOn(e)
	return &workload{
		name: "tandem.frame." + name,
		round: func() float64 {
			stepOn(e)
			return timeFrames(t, e, n)
		},
		check: func() error {
			stepOn(e)
			e.Update(e.Time().FixedDelta / 2)
			now := e.Time()
			t := float32(float64(now.Normal-now.StepStart) / float64(now.FixedDelta))
			query := filter.Query(w)
			var wrong error
			for i := 0; query.Next(); i++ {
				_, visual := query.Get()
				if got, want := visual.Get(), mix(value(float32(i%100), steps-1), value(float32(i%100), steps), t); got != want {
					wrong = fmt.Errorf("value %d is drawn as %v, want %v", i, got, want)
				}
			}
			return wrong
		},
		close: e.Close,
	}
}
