// 01-move is a first motion. A ball rolls at ten units a second. It is simulated in ten steps a
// second and drawn in forty frames a second. Then it jumps back, and rolls on in slow motion.
//
//	go run ./examples/01-move
package main

import (
	"bytes"
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
	// An engine has one clock and one world of entities.
	engine, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(interpolation.New3D()) // carries poses from the simulation to the picture

	// The ball has a pose in the simulation and a pose in the picture.
	balls := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	start := components.NewLogical(components.At3D(0, 0, 0))
	ball := balls.NewWith(&start, &components.Visual3D{})

	// The simulation: this runs once per fixed step.
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		logical, _ := balls.Get(ball)
		pose := logical.Get()
		if engine.Time().Tick == 3 {
			logical.Teleport(components.At3D(0, 0, 0)) // a jump: nothing is drawn in between
			return
		}
		pose.Position[0] += 10 * float32(engine.Time().FixedDelta.Seconds())
		logical.Set(pose) // a movement: the picture travels there during the step
	}))

	// The picture: this runs once per frame.
	engine.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) {
		logical, visual := balls.Get(ball)
		draw(engine.Time().Real, logical.Get().Position[0], visual.Get().Position[0])
	}))

	// The loop. A game passes the time since its last frame.
	const frame = 25 * time.Millisecond
	for range 16 {
		engine.Update(frame)
	}
	if err := engine.SetScale(0.5); err != nil { // time passes at half its speed
		log.Fatal(err)
	}
	for range 8 {
		engine.Update(frame)
	}
}

// draw prints a track of four units with the ball as it is simulated (#) and as it is drawn (o).
func draw(now time.Duration, simulated, drawn float32) {
	track := bytes.Repeat([]byte{' '}, 33)
	track[int(8*simulated)] = '#'
	track[int(8*drawn)] = 'o'
	fmt.Printf("%5v  simulated %.2f  drawn %.2f  |%s|\n", now, simulated, drawn, track)
}
