package systems_test

import (
	"fmt"
	"log"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

// The program in README.md, to the letter, with a host around it that draws a hundred frames a second for a second.
func Example_readme() {
	frames, x := 0, float32(0)
	running := func() bool { return frames < 100 }
	sinceLastFrame := func() time.Duration { frames++; return 10 * time.Millisecond }
	draw := func(pose components.Pose3D) { x = pose.Position[0] }

	engine, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(systems.Interpolation3D())

	movers := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	start := components.NewLogical(components.Identity3D())
	mover := movers.NewWith(&start, &components.Visual3D{})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { // twenty times a second
		logical, _ := movers.Get(mover)
		pose := logical.Get()
		pose.Position[0] += 3 * float32(engine.Time().FixedDelta.Seconds())
		logical.Set(pose) // or Teleport: then nothing is drawn in between
	}))
	engine.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) { // in every frame
		_, visual := movers.Get(mover)
		draw(visual.Get()) // at x = 3 t exactly, whatever the frame rate
	}))
	for running() {
		engine.Update(sinceLastFrame())
	}

	fmt.Printf("after %v it is drawn at x = %.3f\n", engine.Time().Normal, x)
	// Output: after 1s it is drawn at x = 3.000
}
