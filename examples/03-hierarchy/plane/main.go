// plane is a hierarchy in the plane: a carousel turns in five steps a second, and a horse rides on
// it. The horse keeps its distance from the middle in every frame. Then it jumps off.
//
//	go run ./examples/03-hierarchy/plane
package main

import (
	"fmt"
	"log"
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

func main() {
	engine, err := ecs.New(ecs.Config{FixedRate: 5})
	if err != nil {
		log.Fatal(err)
	}
	tree := hierarchy.New2D()
	engine.Install(interpolation.New2D(), tree)

	// A pose is local to the entity in Parent. The horse stands two units beside the middle.
	bodies := generic.NewMap2[components.Transform2D, components.Visual2D](engine.World())
	parents := generic.NewMap1[components.Parent](engine.World())
	middle, seat := components.NewLogical(components.At2D(0, 0)), components.NewLogical(components.At2D(2, 0))
	carousel := bodies.NewWith(&middle, &components.Visual2D{})
	horse := bodies.NewWith(&seat, &components.Visual2D{})
	parents.Assign(horse, &components.Parent{Entity: carousel})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if engine.Time().Tick == 2 {
			// The horse stays where it is. From now on its pose is local to the world.
			if err := tree.Reparent(horse, arche.Entity{}); err != nil {
				log.Fatal(err)
			}
		}
		logical, _ := bodies.Get(carousel)
		pose := logical.Get()
		pose.Rotation += math.Pi * 2 / 9 // forty degrees per step
		logical.Set(pose)
	}))

	// The picture: world poses are composed from the interpolated local ones.
	engine.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) {
		place := tree.VisualWorld(horse).Col(2).Vec2() // the last column of the matrix
		_, visual := bodies.Get(horse)
		local := visual.Get().Position
		fmt.Printf("%5v  world (%.2f, %.2f), %.2f from the middle  local (%.2f, %.2f)\n", engine.Time().Normal,
			place[0], place[1], place.Len(), local[0], local[1])
	}))
	for range 12 {
		engine.Update(50 * time.Millisecond)
	}
}
