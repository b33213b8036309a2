package main

import (
	"fmt"
	"log"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

func main() {
	engine, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(interpolation.New3D())

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
		// draw it there
		fmt.Printf("%v: x = %.3f\n", engine.Time().Normal, visual.Get().Position[0])
	}))
	for range 10 { // a hundred frames a second; a game passes the time since its last frame
		engine.Update(10 * time.Millisecond)
	}
}

// The program above is the one in README.md, to the letter, with no host around it. At any frame
// rate x is 3 t.
func Example() {
	main()
	// Output:
	// 10ms: x = 0.030
	// 20ms: x = 0.060
	// 30ms: x = 0.090
	// 40ms: x = 0.120
	// 50ms: x = 0.150
	// 60ms: x = 0.180
	// 70ms: x = 0.210
	// 80ms: x = 0.240
	// 90ms: x = 0.270
	// 100ms: x = 0.300
}
