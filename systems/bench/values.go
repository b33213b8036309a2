package main

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
	"github.com/tandem-ecs/tandem/systems/internal/kernel"
)

const (
	poseBytes  = 40
	valueBytes = 16 // of a mgl32.Vec4: a colour, say
)

type color struct{ r, g, b, a float32 }

func mixColors(from, to color, t float32) color {
	return color{from.r + (to.r-from.r)*t, from.g + (to.g-from.g)*t, from.b + (to.b-from.b)*t, from.a + (to.a-from.a)*t}
}

func mixVectors(from, to mgl32.Vec4, t float32) (v mgl32.Vec4) {
	for k := range v {
		v[k] = from[k] + (to[k]-from[k])*t
	}
	return v
}

// values measures frames of a user's value with a blend of his own in Go, all of them in motion. The function makes a value of two numbers, the second of which counts steps.
func values[T comparable](name string, n int, mix func(from, to T, t float32) T, value func(x, y float32) T) *workload {
	e, err := ecs.New(ecs.Config{MaxDelta: time.Hour})
	if err != nil {
		fail("%v", err)
	}
	e.Install(systems.Interpolation(mix))
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
		name: "tandem.frame." + name, n: n,
		round: func() float64 {
			stepOn(e)
			return timeFrames(e, n)
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

// scalarPoses measures the blend of poses in Go alone, as on processors for which there is no assembly.
func scalarPoses(n int) *workload {
	a, b := poses(n)
	dst := make([]components.Pose3D, n)
	const t = 0.37
	return &workload{
		name: "tandem.scalar.100pct", n: n,
		round: func() float64 {
			var spent time.Duration
			count := 0
			for spent < aMillisecond {
				start := time.Now()
				kernel.Scalar.Blend3D(dst, a, b, t)
				spent += time.Since(start)
				count++
			}
			return float64(spent.Nanoseconds()) / float64(count) / float64(n)
		},
		check: func() error {
			for i := range dst {
				if want := components.Blend3D(a[i], b[i], t); !near(dst[i], want) {
					return fmt.Errorf("pose %d is %v, want %v", i, dst[i], want)
				}
			}
			return nil
		},
	}
}
