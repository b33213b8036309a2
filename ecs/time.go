package ecs

import "time"

// Time holds the readings of the clock. The engine keeps one as a resource of its world
// (generic.NewResource[ecs.Time]). Systems read it and never write it.
//
// Normal time drives the picture, fixed time the simulation. Outside a fixed step Fixed > Normal
// holds strictly. A value at fixed time Fixed and one at the step's start bracket the normal time,
// which is what interpolation needs.
type Time struct {
	// the time that the picture shows: real time, scaled, without the dropped part
	Normal      time.Duration
	Fixed       time.Duration // inside a step its start, otherwise the end of the newest one
	Real        time.Duration // all real time passed to Update; never negative
	NormalDelta time.Duration // the advance of Normal in this Update
	// the real time passed to this Update, before any clamp; zero if it was negative
	RealDelta  time.Duration
	FixedDelta time.Duration // StepEnd - StepStart
	StepStart  time.Duration // the current step's start, or the newest one's
	StepEnd    time.Duration // the current step's end, or the newest one's
	// Dropped is the running total of real time that was cut: by MaxDelta, and by MaxSteps (there
	// divided by Scale*Stretch). With both factors at 1, Normal + Dropped = Real, to the
	// nanosecond, if the engine began at tick 0.
	Dropped time.Duration

	Scale   float64 // the user's factor; 0 is a pause
	Stretch float64 // the factor of a plugin that follows another clock
	Rate    int     // fixed steps per second of normal time

	// inside a step its index, otherwise that of the next one: the number of steps run, counted
	// from that of Engine.StartAt
	Tick  uint64
	Frame uint64 // the number of Updates before this one
	Steps int    // fixed steps run in this Update, up to now
}
