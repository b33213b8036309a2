package instancing_test

import (
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/instancing"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// The graphics processor blends one body, this processor the other. Both are drawn at the same
// place, and the first costs a frame nothing.
func Example() {
	engine, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	poses := interpolation.New3D()
	cubes := render.NewMotionBatch(render.Cube, render.Solid, render.Hex(0x2e86c1))
	batcher := instancing.New(poses, func(arche.Entity) *render.MotionBatch { return cubes })
	engine.Install(poses, batcher)

	world := engine.World()
	bodies := generic.NewMap2[components.Transform3D, components.Visual3D](world)
	put := func() arche.Entity {
		l := components.NewLogical(components.Identity3D())
		return bodies.NewWith(&l, &components.Visual3D{})
	}
	marked, plain := put(), put()
	marker := generic.NewMap1[components.InterpolateOnGPU](world)
	marker.Assign(marked, &components.InterpolateOnGPU{})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for _, e := range []arche.Entity{marked, plain} {
			l, _ := bodies.Get(e)
			l.Set(components.At3D(float32(engine.Time().Tick+1), 0, 0))
		}
	}))
	others := generic.NewFilter1[components.Visual3D]().Without(generic.T[instancing.Instance]())
	for range 3 {
		engine.Update(75 * time.Millisecond)
		batcher.Update()
		query := others.Query(world) // a renderer appends these to an ordinary batch
		for query.Next() {
			fmt.Printf("by this processor %.2f, ", query.Get().Get().Position[0])
		}
		// a renderer adds cubes to the view, and the shader does the rest
		fmt.Printf("%d by the other: %.2f\n", batcher.Len(), cubes.Pose(0).Position[0])
	}
	// Output:
	// by this processor 0.75, 1 by the other: 0.75
	// by this processor 1.50, 1 by the other: 1.50
	// by this processor 2.25, 1 by the other: 2.25
}
