package ecs_test

import (
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

// A game's loop: devices are read once per frame, and fixed steps run not at all or several times
// between two readings. So a step sees what is held down as it was read last, and the first step
// after a press uses it up: no press is lost at high frame rates, none counts twice at low ones.
func Example_gameLoop() {
	engine, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	var held, pressed bool
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if pressed {
			fmt.Println("jump in step", engine.Time().Tick)
			pressed = false
		}
	}))

	// what a keyboard would say, by frames
	key := []bool{false, true, true, false, false, true, false, false}
	for _, down := range key {
		pressed = pressed || down && !held
		held = down
		// in a game: the time since the last frame, such as time.Since(last)
		engine.Update(40 * time.Millisecond)
	}
	// Output:
	// jump in step 1
	// jump in step 3
}

// An error names all that is wrong with a configuration.
func ExampleNew() {
	_, err := ecs.New(ecs.Config{FixedRate: 5000, Scale: -1})
	fmt.Println(err)

	engine, err := ecs.New(ecs.Config{})
	fmt.Println(engine.Time().Rate, engine.Time().Scale, err)
	// Output:
	// ecs: a fixed rate of 5000 Hz is outside 1 to 1000 Hz
	// ecs: a time scale of -1 is outside 0 to 1000
	// 60 1 <nil>
}

// After a stall the world continues at its last state, and the lost time is counted.
func ExampleConfig() {
	engine, err := ecs.New(ecs.Config{FixedRate: 50, MaxSteps: 4, MaxDelta: 200 * time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	engine.Update(10 * time.Millisecond)
	// a second without a frame: 200 ms are taken in, of which four steps are simulated
	engine.Update(time.Second)
	now := engine.Time()
	fmt.Println(now.Steps, "steps, normal time", now.Normal, "dropped", now.Dropped, "real time", now.Real)
	// Output:
	// 4 steps, normal time 99.999999ms dropped 910.000001ms real time 1.01s
}

// In slow motion there are fewer steps a second, each as long as before; another rate makes the
// next step longer or shorter. Neither makes a jump.
func ExampleEngine_SetScale() {
	engine, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	second := func() {
		before := engine.Time()
		for range 100 {
			engine.Update(10 * time.Millisecond)
		}
		now := engine.Time()
		fmt.Printf("%v of normal time, %d steps of %v\n", now.Normal-before.Normal, now.Tick-before.Tick, now.FixedDelta)
	}
	second()
	fmt.Println(engine.SetScale(0.5))
	second()
	fmt.Println(engine.SetRate(50))
	second()
	fmt.Println(engine.SetScale(-1))
	// Output:
	// 1s of normal time, 11 steps of 100ms
	// <nil>
	// 500ms of normal time, 5 steps of 100ms
	// <nil>
	// 500ms of normal time, 21 steps of 20ms
	// ecs: a time scale of -1 is outside 0 to 1000
}

// walker is a system of a pointer type, so that it can be compared with others.
type walker struct{ steps int }

func (w *walker) Initialize(*arche.World) { fmt.Println("get up") }
func (w *walker) Update(*arche.World)     { w.steps++ }
func (w *walker) Finalize(*arche.World)   { fmt.Println("lie down after", w.steps) }

// A system can rest, go on, and be taken out.
func ExampleSystem() {
	engine, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := &walker{}
	engine.Add(ecs.FixedUpdate, w)
	run := func() {
		for range 10 {
			engine.Update(100 * time.Millisecond)
		}
		fmt.Println(w.steps)
	}
	run()
	engine.SetEnabled(w, false)
	run()
	fmt.Println(engine.Remove(w), engine.Remove(w))
	// Output:
	// get up
	// 11
	// 11
	// lie down after 11
	// true false
}

// A system's panic says where it was, and ends the engine.
func ExampleSystemPanic() {
	engine, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { panic("no ground below") }))
	defer func() {
		if p, ok := recover().(*ecs.SystemPanic); ok {
			fmt.Println(p.Stage, p.Method, p.Value)
			engine.Close()
		}
	}()
	engine.Update(50 * time.Millisecond)
	// Output:
	// FixedUpdate Update no ground below
}

// Where steps cost more time than they simulate, an engine with AdaptiveRates takes fewer and
// longer ones instead of falling behind, and more again when they are cheap.
func ExampleConfig_adaptiveRates() {
	// in a game StepClock is begin := time.Now(); func() time.Duration { return time.Since(begin) }
	var worked time.Duration
	cost := 5 * time.Millisecond
	engine, err := ecs.New(ecs.Config{AdaptiveRates: []int{60, 30, 15}, StepClock: func() time.Duration { return worked }})
	if err != nil {
		fmt.Println(err)
		return
	}
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { worked += cost }))
	rate := 0
	for frame := range 600 {
		switch frame {
		case 100:
			cost = 25 * time.Millisecond // an explosion
		case 200:
			cost = 5 * time.Millisecond // the dust settles
		}
		engine.Update(time.Second / 60)
		if now := engine.Time().Rate; now != rate {
			fmt.Printf("%.1f s: %d Hz\n", engine.Time().Real.Seconds(), now)
			rate = now
		}
	}
	// Output:
	// 0.0 s: 60 Hz
	// 1.7 s: 30 Hz
	// 4.7 s: 60 Hz
}
