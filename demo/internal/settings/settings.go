// Package settings holds the settings that can change while the demo runs. Flags set the first
// values, and keys change them.
package settings

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// Settings are the settings that flags and keys share.
type Settings struct {
	Scene       string
	Rate        int     // fixed steps per second; 0: the scene's own
	Speed       float64 // of normal time; see Speeds
	Paused      bool    // normal time stands still, at any Speed
	Interpolate bool    // draw between fixed steps
	Ghosts      bool    // draw logical poses as well
	// draw raw beside interpolated, in scenes that do not compare by themselves
	Split       bool
	Cap         int           // frames per second at most in a window, exactly off screen; 0: none
	FrameJitter float64       // share by which frame times vary, 0 to MaxFrameJitter
	StepCost    time.Duration // artificial time that each fixed step takes
	Adaptive    bool          // lower the fixed rate when steps cost too much
	GPU         bool          // let the graphics processor blend, where a scene can
	VSync       bool          // wait for the display
	Overlay     Overlay       // how much is written into the picture
	Graphs      bool          // graphs, when all of the overlay is shown
	Keys        bool          // the panel that explains the keys
	Entities    int           // bodies in scenes where it can be chosen; 0: the scene's own
	Seed        uint64        // of all randomness
	Link        Link          // of scenes with a simulated network, and of a player's connection

	// In a match of the arena.
	Predict       bool        // predict the own player
	Reconcile     bool        // correct predictions by the server's states
	Interpolation interp.Kind // how others are drawn between snapshots
	Still         bool        // the camera stands still instead of following the own player
}

// Overlay is the amount of text in the picture.
type Overlay uint8

// The amounts of text, in the order of the key.
const (
	OverlayAll      Overlay = iota
	OverlayCaptions         // titles, names and announcements, but no figures, graphs and hints
	OverlayNone
)

// NextOverlay steps to the next amount of text, or to the previous one.
func (s *Settings) NextOverlay(back bool) {
	s.Overlay = around([]Overlay{OverlayAll, OverlayCaptions, OverlayNone}, s.Overlay, back)
}

// Arena is the scene name of a match of the arena.
const Arena = "arena"

// Default returns the settings of a demo that was started without flags. The caller sets the cap,
// because a window and a picture need different ones.
func Default() Settings {
	return Settings{Scene: "lanes", Speed: 1, Interpolate: true, VSync: true, Graphs: true, Seed: 1, Link: DefaultLink(), Predict: true, Reconcile: true}
}

// Limits of the flags. Keys stay within the lists below.
const (
	MaxSpeed       = 100
	MaxFrameJitter = 0.9
	MaxCap         = 1000
	MaxStepCost    = time.Second
	MaxEntities    = 1_000_000
)

// The values that keys step through, in order.
var (
	rates     = []int{5, 10, 15, 20, 30, 60, 120}
	speeds    = []float64{0.1, 0.25, 0.5, 1, 2}
	caps      = []int{20, 30, 60, 144, 0}
	jitters   = []float64{0, 0.25, 0.5, 0.9}
	stepCosts = []time.Duration{0, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 40 * time.Millisecond}
)

// Faster and Slower step the speed up and down its list and stop at the ends.
func (s *Settings) Faster() { s.Speed = above(speeds, s.Speed) }
func (s *Settings) Slower() { s.Speed = below(speeds, s.Speed) }

// RaiseRate and LowerRate step the fixed rate up and down its list and stop at the ends. Rate must
// not be 0.
func (s *Settings) RaiseRate() { s.Rate = above(rates, s.Rate) }
func (s *Settings) LowerRate() { s.Rate = below(rates, s.Rate) }

// NextCap, NextFrameJitter and NextStepCost step to the next value of a ring, or to the previous
// one.
func (s *Settings) NextCap(back bool)         { s.Cap = around(caps, s.Cap, back) }
func (s *Settings) NextFrameJitter(back bool) { s.FrameJitter = around(jitters, s.FrameJitter, back) }
func (s *Settings) NextStepCost(back bool)    { s.StepCost = around(stepCosts, s.StepCost, back) }

type number interface {
	~int | ~int64 | ~float64 | ~uint8
}

// above returns the next rung of a ladder above a value, or the value itself when there is none.
// The value need not be on the ladder.
func above[T number](ladder []T, v T) T {
	for _, rung := range ladder {
		if rung > v {
			return rung
		}
	}
	return v
}

func below[T number](ladder []T, v T) T {
	for i := len(ladder) - 1; i >= 0; i-- {
		if ladder[i] < v {
			return ladder[i]
		}
	}
	return v
}

// around returns the next rung of a ladder that closes to a ring. A value between two rungs counts
// as just below the upper one.
func around[T number](ladder []T, v T, back bool) T {
	n := len(ladder)
	for i, rung := range ladder {
		if rung == v {
			if back {
				return ladder[(i+n-1)%n]
			}
			return ladder[(i+1)%n]
		}
	}
	for i, rung := range ladder {
		if rung > v {
			if back {
				return ladder[(i+n-1)%n]
			}
			return rung
		}
	}
	if back {
		return ladder[n-1]
	}
	return ladder[0]
}

// MaxKeyLoad is the largest product of fixed rate and speed that keys can reach, in steps per
// second of real time.
const MaxKeyLoad = 240

// MaxSteps returns the cap on steps per frame for an engine with the given rate and speed and at
// most maxDelta of real time per frame.
//
// Only maxDelta drops time, never the cap: frames per second >= rate * speed / MaxSteps holds for
// every frame up to maxDelta, at every rate and speed that keys can reach. With the engine's 250 ms
// that is 240 steps/s * 0.25 s = 60 steps, and one more for rounding.
func MaxSteps(rate int, speed float64, maxDelta time.Duration) int {
	load := max(float64(rate)*speed, float64(rate)*speeds[len(speeds)-1], float64(rates[len(rates)-1])*speed, MaxKeyLoad)
	return int(load*maxDelta.Seconds()) + 2
}
