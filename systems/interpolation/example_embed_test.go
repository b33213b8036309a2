package interpolation_test

import (
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// A whole program: a mover at three units per second, simulated in 20 steps and drawn in 60 frames
// per second.
func Example() {
	engine, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		panic(err)
	}
	engine.Install(interpolation.New3D())

	movers := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	start := components.NewLogical(components.Identity3D())
	mover := movers.NewWith(&start, &components.Visual3D{})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		logical, _ := movers.Get(mover)
		pose := logical.Get()
		pose.Position[0] += 3 * float32(engine.Time().FixedDelta.Seconds())
		logical.Set(pose)
	}))
	engine.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) {
		logical, visual := movers.Get(mover)
		fmt.Printf("%5v: logical x %.2f, visual x %.2f\n", engine.Time().Normal.Round(time.Millisecond),
			logical.Get().Position[0], visual.Get().Position[0])
	}))

	const frame = time.Second / 60
	for range 10 {
		engine.Update(frame) // in a game: the time since the last frame
	}
	// Output:
	//  17ms: logical x 0.15, visual x 0.05
	//  33ms: logical x 0.15, visual x 0.10
	//  50ms: logical x 0.15, visual x 0.15
	//  67ms: logical x 0.30, visual x 0.20
	//  83ms: logical x 0.30, visual x 0.25
	// 100ms: logical x 0.30, visual x 0.30
	// 117ms: logical x 0.45, visual x 0.35
	// 133ms: logical x 0.45, visual x 0.40
	// 150ms: logical x 0.45, visual x 0.45
	// 167ms: logical x 0.60, visual x 0.50
}
