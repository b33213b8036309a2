// space is a hierarchy in space, and a world that is larger than its numbers are exact: a ship with
// a gun flies away, and the origin follows it by a thousand units at a time, which is not visible.
//
//	go run ./examples/03-hierarchy/space
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

func main() {
	engine, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		log.Fatal(err)
	}
	poses, tree := interpolation.New3D(), hierarchy.New3D()
	engine.Install(poses, tree)

	bodies := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	parents := generic.NewMap1[components.Parent](engine.World())
	put := func(pose components.Pose3D, parent arche.Entity) arche.Entity {
		logical := components.NewLogical(pose)
		e := bodies.NewWith(&logical, &components.Visual3D{})
		parents.Assign(e, &components.Parent{Entity: parent}) // the zero entity is the world
		return e
	}
	ship := put(components.At3D(986, 0, 0), arche.Entity{})
	gun := put(components.At3D(0, 2, -1), ship)

	var origin float64 // of the coordinates, in the large world
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		logical, _ := bodies.Get(ship)
		pose := logical.Get()
		pose.Position[0] += 8 // 80 units a second
		logical.Set(pose)
		if pose.Position[0] >= 1000 {
			origin += 1000
			poses.Shift(func(p components.Pose3D) components.Pose3D {
				p.Position[0] -= 1000
				return p
			})
		}
	}))
	engine.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) {
		tree.EachVisualWorld(func(e arche.Entity, world *mgl32.Mat4) { // parents before children
			if e == gun {
				x := world.At(0, 3)
				fmt.Printf("%5v  the gun is drawn at x = %3.0f, %.0f in the large world\n", engine.Time().Normal, x, origin+float64(x))
			}
		})
	}))
	for range 8 {
		engine.Update(50 * time.Millisecond)
	}
}
