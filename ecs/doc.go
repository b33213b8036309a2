// Package ecs is Tandem's engine: one clock, five stages, and systems that run in them.
//
// The simulation runs in fixed steps, the picture at any frame rate. Fixed steps produce time and
// the frame consumes it: after every [Engine.Update] the simulation stands ahead of the picture by
// at most one step, so that the picture can always be interpolated and is never a step late.
//
//	engine, err := ecs.New(ecs.Config{FixedRate: 20})
//	engine.Install(interpolation.New3D())
//	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) { ... write Logical values ... }))
//	engine.Add(ecs.Render, ecs.SystemFunc(func(w *arche.World) { ... draw Visual values ... }))
//	for running {
//		engine.Update(time since the last call)
//	}
//
// # The stages of a frame
//
//	FixedUpdate   gameplay, physics, net: writes Logical values      once per fixed step
//	FixedEnd      after it, at the end of the same step              once per fixed step
//	VisualSync    visual values at the normal time, world poses      once per frame
//	NormalUpdate  cameras, particles, sound: reads Visual values     once per frame
//	Render        draws                                              once per frame
//
// # The clock
//
// All time is in integer nanoseconds and comes in through [Engine.Update]; this package never reads
// a wall clock. Step edges are rational, so that 60 Hz is still 60 Hz after ten hours, and scaled
// time carries its remainder. [Time] lists the readings, and [Config] has the policy against the
// spiral of death.
//
// # Goroutines
//
// An engine and its world belong to one goroutine at a time.
package ecs
