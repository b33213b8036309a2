package interp_test

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// A body turns round between two snapshots of a 10 Hz stream. Both carry its velocity, so the turn
// is drawn at its true place.
func Example() {
	body := interp.New(interp.Default, interp.Config{Interval: 100 * time.Millisecond})
	push := func(at time.Duration, x, v float32) {
		body.Push(at, interp.Sample{
			Time: at, Position: mgl32.Vec3{x, 0, 0}, Rotation: mgl32.QuatIdent(),
			Velocity: mgl32.Vec3{v, 0, 0}, Has: interp.HasVelocity,
		})
	}
	push(0*time.Millisecond, 0, 6)
	push(100*time.Millisecond, 0.6, 6)
	push(200*time.Millisecond, 0.84, -6) // turned at 170 ms, at x = 1.02
	push(300*time.Millisecond, 0.24, -6)

	for view := 100 * time.Millisecond; view <= 200*time.Millisecond; view += 10 * time.Millisecond {
		state, _ := body.At(view, view)
		fmt.Printf("%v %.2f\n", view, state.Position.X())
	}
	// Output:
	// 100ms 0.60
	// 110ms 0.66
	// 120ms 0.72
	// 130ms 0.78
	// 140ms 0.84
	// 150ms 0.90
	// 160ms 0.96
	// 170ms 1.02
	// 180ms 0.96
	// 190ms 0.90
	// 200ms 0.84
}

// This is a client's loop. Snapshots are passed to the playback and the bodies. Once per fixed
// step, bodies are drawn at the view of the step's end.
func ExamplePlayback() {
	playback := interp.NewPlayback(interp.DelayConfig{Interval: 50 * time.Millisecond})
	body := interp.New(interp.Default, interp.Config{Interval: 50 * time.Millisecond})

	const tick = time.Second / 60
	var number uint16
	for now := time.Duration(0); now < 2*time.Second; now += tick {
		// The network: 20 snapshots a second that take 80 ms.
		for stamp := time.Duration(number) * 50 * time.Millisecond; stamp+80*time.Millisecond <= now; stamp += 50 * time.Millisecond {
			arrived := stamp + 80*time.Millisecond
			playback.Arrive(arrived, stamp, number)
			body.Push(arrived, interp.Sample{Time: stamp, Position: mgl32.Vec3{6 * float32(stamp.Seconds()), 0, 0}, Rotation: mgl32.QuatIdent()})
			number++
		}
		playback.Update(now)

		end := now + tick // of the fixed step that runs now
		view, ok := playback.View(end)
		if !ok {
			continue
		}
		state, info := body.At(end, view)
		switch {
		case info.Empty:
			// nothing to draw
		case info.Discontinuity:
			fmt.Printf("teleport to %.2f\n", state.Position.X())
		default:
			// write the logical pose
		}
	}
	fmt.Println("behind by", playback.Behind().Round(time.Millisecond))
	// Output:
	// teleport to 0.00
	// behind by 148ms
}

// A Delay alone measures how far behind its clock a view must be.
func ExampleDelay() {
	delay := interp.NewDelay(interp.DelayConfig{Interval: 50 * time.Millisecond})
	for number := range uint16(200) {
		stamp := time.Duration(number) * 50 * time.Millisecond
		arrived := stamp + 70*time.Millisecond + time.Duration(number%3)*10*time.Millisecond
		delay.Arrive(arrived, stamp, number)
		delay.Update(arrived)
	}
	fmt.Println("transit", delay.Transit())
	fmt.Println("waits  ", delay.Waits().Round(5*time.Millisecond)) // an interval, and the jitter
	fmt.Println("behind ", delay.Behind().Round(5*time.Millisecond))
	// Output:
	// transit 70ms
	// waits   70ms
	// behind  160ms
}

func ExampleParseKind() {
	kind, err := interp.ParseKind("offset")
	fmt.Println(kind.Display(), err)
	_, err = interp.ParseKind("magic")
	fmt.Println(err)
	// Output:
	// Offset decay <nil>
	// interp: no interpolation is called "magic"; choose one of default, naive, chase, linear, events, hermite, guarded, racer, spline, projective, offset
}

func ExampleKinds() {
	for _, k := range interp.Kinds() {
		if interp.New(k, interp.Config{}).Timing() == interp.Delayed {
			fmt.Println(k)
		}
	}
	// Output:
	// default
	// linear
	// events
	// hermite
	// guarded
}
