package offscreen_test

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/offscreen"
	"github.com/tandem-ecs/tandem/render/record"
)

// This draws a picture on a machine without a display.
func Example() {
	surface, err := offscreen.New(offscreen.Config{Width: 640, Height: 360})
	if err != nil {
		fmt.Println(err) // says what to install
		return
	}
	defer surface.Close()

	frame := render.NewFrame(render.Dusk())
	cube := render.NewBatch(render.Cube, render.Solid, frame.Theme.Accent(0))
	cube.Append(components.At3D(0, 0.5, 0))
	frame.Begin(surface.Size())
	frame.View(render.LookAt(mgl32.Vec3{3, 2, 4}, mgl32.Vec3{0, 0.5, 0})).Add(cube)
	if err := surface.Draw(frame); err != nil {
		fmt.Println(err)
		return
	}
	picture, err := surface.Capture(nil)
	if err == nil {
		err = record.SavePNG("cube.png", picture)
	}
	fmt.Println(err)
}
