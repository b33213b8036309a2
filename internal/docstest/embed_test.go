package docstest

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

// A loop of one's own, as docs/02-embed.md shows it: each press of a key counts in one step, and
// the world's time is the time that has passed.
func TestOwnLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jumps []uint64
		jump := func(tick uint64) { jumps = append(jumps, tick) }
		frames := 0
		running := func() bool { frames++; return frames <= 50 }
		keyIsDown := func() bool { return frames >= 2 && frames <= 30 || frames == 36 }
		present := func() { time.Sleep(10 * time.Millisecond) }

		engine, err := ecs.New(ecs.Config{FixedRate: 20})
		if err != nil {
			t.Fatal(err)
		}
		var held, pressed bool
		engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if pressed {
				jump(engine.Time().Tick)
				pressed = false // the first step after a press uses it up
			}
		}))
		last := time.Now()
		for running() {
			down := keyIsDown()
			pressed = pressed || down && !held
			held = down

			now := time.Now()
			engine.Update(now.Sub(last)) // the time since the last frame
			last = now
			present() // draw, and wait for the display
		}
		if real := engine.Time().Real; real != 490*time.Millisecond {
			t.Errorf("after 49 frames of 10 ms the world's time is %v", real)
		}
		if !slices.Equal(jumps, []uint64{1, 7}) {
			t.Errorf("jumps in the steps %v; want 1 and 7: one for each press", jumps)
		}
	})
}
