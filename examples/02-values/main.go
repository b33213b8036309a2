// 02-values carries three values of a lighthouse to the picture: its charge, a number; its colour,
// a struct; and the direction of its beam, an angle that takes the shorter way round.
//
//	go run ./examples/02-values
package main

import (
	"fmt"
	"log"
	"strings"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// A type of component holds one value of an entity, so each value has a type of its own.
type (
	charge float32                     // 0 to 1
	colour struct{ R, G, B float32 }   // 0 to 255
	beam   struct{ Direction float32 } // radians, counter-clockwise from the east
)

func blendColour(from, to colour, t float32) colour {
	mix := func(a, b float32) float32 { return a + (b-a)*t }
	return colour{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B)}
}

func blendBeam(from, to beam, t float32) beam {
	return beam{from.Direction + components.AngleBetween(from.Direction, to.Direction)*t}
}

func main() {
	engine, err := ecs.New(ecs.Config{FixedRate: 4})
	if err != nil {
		log.Fatal(err)
	}
	// one interpolator for each type
	engine.Install(
		interpolation.NewLinear[charge](),
		interpolation.New(blendColour),
		interpolation.New(blendBeam),
	)

	// The lighthouse has a logical value of each type, and a visual one.
	lights := generic.NewMap3[components.Logical[charge], components.Logical[colour], components.Logical[beam]](engine.World())
	drawn := generic.NewMap3[components.Visual[charge], components.Visual[colour], components.Visual[beam]](engine.World())
	full, white, east := components.NewLogical(charge(1)), components.NewLogical(colour{255, 255, 255}), components.NewLogical(beam{})
	light := lights.NewWith(&full, &white, &east)
	drawn.Assign(light, &components.Visual[charge]{}, &components.Visual[colour]{}, &components.Visual[beam]{})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		charges, colours, beams := lights.Get(light)
		switch engine.Time().Tick {
		case 0:
			charges.SetOver(0.5, time.Second) // arrives a second after the start of this step
			beams.Set(beam{6})                // back by 0.28, not on by 6
		case 1:
			colours.Set(colour{R: 255})
		case 3:
			colours.Teleport(colour{G: 255}) // switches at once
		}
	}))
	engine.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) {
		charges, colours, beams := drawn.Get(light)
		c, level := colours.Get(), charges.Get()
		fmt.Printf("%6v  charge %.2f %-8s  colour #%02x%02x%02x  beam %5.2f\n", engine.Time().Normal,
			level, strings.Repeat("=", int(8*level)), int(c.R), int(c.G), int(c.B), beams.Get().Direction)
	}))
	for range 10 {
		engine.Update(125 * time.Millisecond)
	}
}
