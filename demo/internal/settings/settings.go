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
	Speed       float64 // of normal time
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
	Timeline      bool        // draw why bodies moved so in the last seconds
}

// Overlay is the amount of text in the picture.
type Overlay uint8

// The amounts of text, in the order of the key.
const (
	OverlayAll      Overlay = iota
	OverlayCaptions         // titles, names and announcements, but no figures, graphs and hints
	OverlayNone
)

// Arena is the scene name of a match of the arena.
const Arena = "arena"

// Default returns the settings of a demo that was started without flags. The caller sets the cap,
// because a window and a picture need different ones.
func Default() Settings {
	return Settings{Scene: "orbits", Speed: 1, Interpolate: true, VSync: true, Graphs: true, Seed: 1, Link: DefaultLink(), Predict: true, Reconcile: true}
}

// Limits of the flags. Keys stay within them.
const (
	MaxSpeed       = 100
	MaxFrameJitter = 0.9
	MaxCap         = 1000
	MaxStepCost    = time.Second
	MaxEntities    = 1_000_000
)

// The highest values that keys reach.
const (
	MaxKeyRate  = 120 // Hz
	MaxKeySpeed = 2
)

// MaxKeyLoad is the largest product of fixed rate and speed that keys can reach, in steps per
// second of real time.
const MaxKeyLoad = MaxKeyRate * MaxKeySpeed

// MaxSteps returns the cap on steps per frame for an engine with the given rate and speed and at
// most maxDelta of real time per frame.
//
// Only maxDelta drops time, never the cap: frames per second >= rate * speed / MaxSteps holds for
// every frame up to maxDelta, at every rate and speed that keys can reach. With the engine's 250 ms
// that is 240 steps/s * 0.25 s = 60 steps, and one more for rounding.
func MaxSteps(rate int, speed float64, maxDelta time.Duration) int {
	load := max(float64(rate)*speed, float64(rate)*MaxKeySpeed, MaxKeyRate*speed, MaxKeyLoad)
	return int(load*maxDelta.Seconds()) + 2
}
