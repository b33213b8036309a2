package bench

import (
	"runtime"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// waiting is the processor time of a program whose frames come sixty times a second in real time,
// in per cent of one processor.
type waiting struct {
	Workers                   int
	AtRest, InMotion, Without float64 // without frames
}

// measureWaiting runs frames in real time, with 100 000 poses in motion or at rest, and measures
// the processor time. Workers that did not sleep would take a whole processor each. It returns
// nothing where processor time cannot be measured.
func measureWaiting(t *testing.T) []waiting {
	if _, ok := processorTime(); !ok {
		return nil
	}
	return []waiting{waitingOf(t, 0), waitingOf(t, 1)}
}

// usage returns the processor time that a function takes, in per cent of real time.
func usage(f func(start time.Time)) float64 {
	start := time.Now()
	before, _ := processorTime()
	f(start)
	after, _ := processorTime()
	return 100 * float64(after-before) / float64(time.Since(start))
}

func waitingOf(t *testing.T, workers int) waiting {
	const n, frames, frame = 100_000, 90, time.Second / 60
	before := runtime.NumGoroutine()
	e := newEngine(t, ecs.Config{FixedRate: 20})
	interpolator := interpolation.New3D()
	interpolator.Workers = workers
	e.Install(interpolator)
	a, b := poses(n)
	spawn(e, a)
	moves := make([]bool, n)
	addGameplay(e, a, b, moves)
	setMoving := func(on bool) {
		for i := range moves {
			moves[i] = on
		}
	}
	run := func() float64 {
		for range 30 {
			e.Update(frame)
		}
		return usage(func(start time.Time) {
			for k := range frames {
				e.Update(frame)
				time.Sleep(time.Until(start.Add(time.Duration(k+1) * frame)))
			}
		})
	}
	w := waiting{Workers: workers, AtRest: run()}
	setMoving(true)
	w.InMotion = run()
	setMoving(false)
	e.Update(time.Second / 20)
	// The loop has stopped and no frames come. The engine is still there.
	time.Sleep(100 * time.Millisecond)
	w.Without = usage(func(time.Time) { time.Sleep(500 * time.Millisecond) })
	e.Close()
	for deadline := time.Now().Add(time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		runtime.Gosched() // the runtime takes away those that have ended
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Fatalf("%d goroutines after Close, %d before the engine was made", now, before)
	}
	return w
}
