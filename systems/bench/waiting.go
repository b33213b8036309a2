package main

import (
	"runtime"
	"time"

	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// waiting is the processor time of a program whose frames come sixty times a second in real time.
type waiting struct {
	workers int
	what    string
	cpu     float64 // processor time by real time: 1 is a whole processor
}

// measureWaiting runs frames in real time, with 100 000 poses in motion or at rest, and measures
// the processor time. Workers that did not sleep would take a whole processor each. It returns
// nothing where processor time cannot be measured.
func measureWaiting() (list []waiting) {
	if _, ok := processorTime(); !ok {
		return nil
	}
	for _, workers := range []int{0, 1} {
		list = append(list, waitingOf(workers)...)
	}
	return list
}

func waitingOf(workers int) []waiting {
	const n, frames = 100_000, 90
	before := runtime.NumGoroutine()
	e, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		fail("%v", err)
	}
	interpolator := interpolation.New3D()
	interpolator.Workers = workers
	e.Install(interpolator)
	a, b := poses(n)
	moves := make([]bool, n)
	builder := generic.NewMap2[components.Transform3D, components.Visual3D](e.World())
	query := builder.NewBatchQ(n)
	for i := 0; query.Next(); i++ {
		transform, _ := query.Get()
		*transform = components.NewLogical(a[i])
	}
	addGameplay(e, a, b, moves)
	const frame = time.Second / 60
	run := func(what string) waiting {
		for range 30 {
			e.Update(frame)
		}
		start := time.Now()
		used, _ := processorTime()
		for k := range frames {
			e.Update(frame)
			time.Sleep(time.Until(start.Add(time.Duration(k+1) * frame)))
		}
		now, _ := processorTime()
		return waiting{workers, what, float64(now-used) / float64(time.Since(start))}
	}
	rests := run("at rest")
	for i := range moves {
		moves[i] = true
	}
	list := []waiting{rests, run("all in motion")}
	for i := range moves {
		moves[i] = false
	}
	e.Update(time.Second / 20)
	// The loop has stopped and no frames come. The engine is still there.
	time.Sleep(100 * time.Millisecond)
	start := time.Now()
	used, _ := processorTime()
	time.Sleep(500 * time.Millisecond)
	now, _ := processorTime()
	list = append(list, waiting{workers, "no frames", float64(now-used) / float64(time.Since(start))})
	e.Close()
	for deadline := time.Now().Add(time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		runtime.Gosched() // the runtime takes away those that have ended
	}
	if now := runtime.NumGoroutine(); now > before {
		fail("%d goroutines after Close, %d before the engine was made", now, before)
	}
	return list
}
