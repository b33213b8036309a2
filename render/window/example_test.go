package window_test

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/record"
	"github.com/tandem-ecs/tandem/render/window"
)

// This opens a window with a turning cube, a camera that the mouse moves, a frame-rate cap, and F12
// for a picture.
func Example() {
	win, err := window.Open(window.Config{Title: "cube"})
	if errors.Is(err, window.ErrNoDisplay) {
		fmt.Fprintln(os.Stderr, err) // draw off screen instead
		return
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer win.Close()

	frame := render.NewFrame(render.Daylight())
	cube := render.NewBatch(render.Cube, render.Solid, frame.Theme.Accent(0))
	orbit := render.Orbit{Target: mgl32.Vec3{0, 0.5, 0}, Pitch: 0.4, Distance: 6, MinDistance: 2, MaxDistance: 50}
	var mouse render.OrbitControl
	var pacer render.Pacer
	start := time.Now()
	for !win.ShouldClose() {
		for e, ok := win.Poll(); ok; e, ok = win.Poll() {
			mouse.Handle(&orbit, e, frame.Overlay.Bounds())
			if e.Kind == render.KeyPress && e.Key == render.KeyF12 {
				if img, err := win.Capture(nil); err == nil {
					err = record.SavePNG("cube.png", img)
					fmt.Println("cube.png:", err)
				}
			}
		}
		pose := components.At3D(0, 0.5, 0)
		pose.Rotation = mgl32.QuatRotate(float32(time.Since(start).Seconds()), mgl32.Vec3{0, 1, 0})
		cube.Reset()
		cube.Append(pose)

		frame.Begin(win.Size())
		frame.View(orbit.Camera()).Add(cube)
		frame.Overlay.Panel(render.Rect{X: 8, Y: 8, W: 130, H: 26})
		frame.Overlay.At(16, 13, render.TextMono, frame.Theme.Text).Str("yaw ").Float(float64(orbit.Yaw), 2)
		if err := win.Draw(frame); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		time.Sleep(pacer.Wait(time.Since(start), 144))
	}
}
