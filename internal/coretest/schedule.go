package coretest

import (
	"math/rand/v2"
	"time"
)

// Schedule returns the real time of frame i.
type Schedule func(i int) time.Duration

// FPS returns the schedule of a display that shows n frames per den seconds, without drift.
func FPS(n, den int64) Schedule {
	at := func(i int64) time.Duration { return time.Duration(i * den * int64(time.Second) / n) }
	return func(i int) time.Duration { return at(int64(i)+1) - at(int64(i)) }
}

// Between returns random frame times.
func Between(lo, hi time.Duration, seed uint64) Schedule {
	r := rand.New(rand.NewPCG(seed, 2))
	return func(int) time.Duration { return lo + time.Duration(r.Int64N(int64(hi-lo)+1)) }
}

// Constant gives every frame the same time.
func Constant(d time.Duration) Schedule { return func(int) time.Duration { return d } }
