package render_test

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
)

// A frame is data and can be inspected without a renderer.
func ExampleFrame() {
	frame := render.NewFrame(render.Daylight())
	cubes := render.NewBatch(render.Cube, render.Solid, frame.Theme.Accent(0))

	frame.Begin(render.Size{Width: 1280, Height: 720, Scale: 2})
	cubes.Append(components.At3D(0, 0.5, 0))
	view := frame.View(render.LookAt(mgl32.Vec3{0, 0.5, 10}, mgl32.Vec3{0, 0.5, 0}))
	view.Add(cubes)
	x, y, _ := view.Project(cubes.Poses[0].Position)
	frame.Overlay.Label(x, y, frame.Theme.Text, "mover")

	fmt.Println(len(frame.Views()), "view,", len(view.Items()), "batch, label at", x, y)
	// Output: 1 view, 1 batch, label at 320 180
}

func ExampleOrbit() {
	orbit := render.Orbit{Target: mgl32.Vec3{0, 1, 0}, Distance: 10, MinDistance: 2, MaxDistance: 50}
	orbit.Rotate(math.Pi/2, 0)
	orbit.Zoom(0.5)
	p := orbit.Camera().Position
	fmt.Printf("%.1f units to the right, %.1f up\n", p[0], p[1])
	// Output: 5.0 units to the right, 1.0 up
}

func ExampleFollow() {
	orbit := render.Orbit{Distance: 10}
	follow := render.Follow{HalfLife: 100 * time.Millisecond}
	for range 10 {
		// 200 ms in all: two half-lives
		follow.Update(&orbit, mgl32.Vec3{16, 0, 0}, 20*time.Millisecond)
	}
	fmt.Printf("%.1f\n", orbit.Target[0])
	// Output: 12.0
}

func ExampleMotionBatch() {
	batch := render.NewMotionBatch(render.Cube, render.Solid, render.Hex(0x2e86c1))
	row := batch.Add(render.Still(components.At3D(0, 0, 0)))

	// A fixed step of 100 ms moves it. Frames only set the time.
	batch.Set(row, render.Motion{
		From: components.At3D(0, 0, 0), To: components.At3D(8, 0, 0),
		Start: 0, End: 100 * time.Millisecond,
	})
	for _, now := range []time.Duration{0, 25 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond} {
		batch.SetTime(now)
		fmt.Printf("%.1f ", batch.Pose(row).Position[0])
	}
	// Output: 0.0 2.0 4.0 8.0
}

// In a world of fixed steps each step gives only the pose at its end.
func ExampleMotionBatch_Step() {
	batch := render.NewMotionBatch(render.Cube, render.Solid, render.Hex(0x2e86c1))
	row := batch.Add(render.Still(components.At3D(0, 0, 0)))
	const step, frame = 100 * time.Millisecond, 50 * time.Millisecond
	for now := time.Duration(0); now < 4*step; now += frame {
		if k := now / step; now%step == 0 {
			batch.Step(now, now+step)
			if k < 3 { // in the fourth step it rests
				batch.Move(row, []components.Pose3D{components.At3D(float32(k+1)*8, 0, 0)})
			}
		}
		batch.SetTime(now)
		fmt.Printf("%.0f ", batch.Pose(row).Position[0])
	}
	// Output: 0 4 8 12 16 20 24 24
}

func ExampleGraph() {
	g := render.NewGraph("steps per frame", "", 0, 120, render.Series{Color: render.Hex(0x3aa687)})
	g.Bars = true
	for i := 0; i < 300; i++ {
		g.Push(float32(i % 3))
	}
	lo, hi := g.Range()
	fmt.Println(g.Len(), "values between", lo, "and", hi, "newest", g.Newest(0))
	// Output: 120 values between 0 and 2 newest 2
}

func ExamplePacer() {
	var p render.Pacer
	now := time.Duration(0)
	p.Wait(now, 50) // the first frame sets the beat
	for range 3 {
		now += 5 * time.Millisecond // drawing
		d := p.Wait(now, 50)
		fmt.Print(d, " ")
		now += d + time.Millisecond // sleeping longer than asked for
	}
	// Output: 15ms 14ms 14ms
}
