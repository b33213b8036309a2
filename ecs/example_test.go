package ecs_test

import (
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/ecs"
)

// A pause, and single steps in it.
func ExampleEngine_RequestStep() {
	engine, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	engine.Update(30 * time.Millisecond)
	fmt.Println(engine.SetScale(0))
	engine.Update(time.Second)
	fmt.Println(engine.Time().Normal, engine.Time().Tick)
	fmt.Println(engine.RequestStep())
	engine.Update(time.Second)
	fmt.Println(engine.Time().Normal, engine.Time().Tick)
	// Output:
	// <nil>
	// 30ms 1
	// <nil>
	// 199.999999ms 2
}

// A plugin whose world shares its time with others, such as a network client, holds the clock.
func ExampleEngine_HoldClock() {
	engine, err := ecs.New(ecs.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	release, err := engine.HoldClock("the network client")
	fmt.Println(err)
	fmt.Println(engine.SetScale(0.5))
	fmt.Println(engine.SetRate(30))
	release()
	fmt.Println(engine.SetScale(0.5))
	// Output:
	// <nil>
	// ecs: cannot set the time scale: the clock is held by the network client
	// ecs: cannot set the fixed rate: the clock is held by the network client
	// <nil>
}

type fuse struct{ seconds float64 }

// While a query is open the world's structure is locked. Edits of it wait until the system has
// returned.
func ExampleCommands() {
	engine, err := ecs.New(ecs.Config{FixedRate: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fuses := generic.NewMap1[fuse](engine.World())
	bomb := fuses.NewWith(&fuse{1.5})
	filter := generic.NewFilter1[fuse]()
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		commands := arche.GetResource[ecs.Commands](w)
		query := filter.Query(w)
		for query.Next() {
			f := query.Get()
			if f.seconds -= engine.Time().FixedDelta.Seconds(); f.seconds < 0 {
				commands.Despawn(query.Entity())
				commands.Defer(func(w *arche.World) { fmt.Println("bang at", engine.Time().StepEnd) })
			}
		}
	}))
	for range 4 {
		engine.Update(250 * time.Millisecond)
		engine.Update(250 * time.Millisecond)
		fmt.Println(engine.Time().Normal, engine.World().Alive(bomb))
	}
	// Output:
	// 500ms true
	// bang at 2s
	// 1s false
	// 1.5s false
	// 2s false
}

// A plugin adds systems, possibly to several stages.
type frameCounter struct{ frames, steps int }

func (c *frameCounter) Install(e *ecs.Engine) {
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { c.steps++ }))
	e.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) { c.frames++ }))
}

func ExamplePlugin() {
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		fmt.Println(err)
		return
	}
	counter := &frameCounter{}
	engine.Install(counter)
	for range 25 {
		engine.Update(40 * time.Millisecond)
	}
	fmt.Println(counter.frames, counter.steps)
	// Output: 25 61
}
