package timeline

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// Kind says what an [Event] is about.
type Kind uint8

// The kinds, with the meaning of the other fields. Fields that a kind does not name are zero.
const (
	// Snapshot: a packet with a snapshot arrived. Server is the snapshot's moment and N the
	// packet's number. A is its lateness, beyond the fastest packets. B is how long it was under
	// way, zero while the server's clock is not known.
	Snapshot Kind = iota + 1
	// View: a step has advanced the view, in which others are drawn. Server is its moment. A is the
	// delay that it has, B the delay that it wants, both beyond the fastest packets. C is its
	// speed: 1 is real time, 0 waits.
	View
	// Connection: the state of the connection is now N, a netcode.Status.
	Connection
	// Sample: a state of the body arrived, in the snapshot of tick N. Server is the moment that it
	// is for. A is its lateness, and B how far it lies ahead of the picture, negative behind it.
	Sample
	// Hold: the client knows that the body has stood still up to the moment Server.
	Hold
	// Drawn: a step has moved the body to its drawn pose at its end. Server is the moment that it
	// shows. A is how far beyond the newest sample that is. B is the distance between picture and
	// path, which fades, in units of length. C is the drawn speed over the step before, in the
	// world, and -1 if that held a jump.
	Drawn
	// Spawned: the body has appeared. Ended: it is not shown any more.
	Spawned
	Ended
	// Parent: the body is drawn in the frame of N from now on, of the world if N is zero.
	Parent
	// Teleported: the picture has jumped.
	Teleported
	// Mispredicted: the prediction of a body was wrong by A units of length.
	Mispredicted
	// State: the server's state of the own player was compared with the prediction. Server is its
	// moment. A is the error, in the unit of Game.Distance, and N how many ticks were run again.
	State
	// Missed: the server had no input of the own player in the last N ticks.
	Missed
	// ClockJump: the own clock was set by N ticks, an int32.
	ClockJump
	// Frame: a frame of this machine, that ran steps or was long. A is its length and B the time
	// that the engine dropped. C is how far ahead of the server's present the own player is
	// simulated, and D the speed of the engine's time against real time. N is the number of steps
	// and M that of the packets that carry an input.
	Frame
)

// Flags are details of an event.
type Flags uint8

// The flags of Drawn and State.
const (
	Starved   Flags = 1 << iota // Drawn: the view had passed the newest sample of a moving body
	Held                        // Drawn: extrapolation had ended, so the body stood
	Predicted                   // Drawn: the body is drawn in the present, from a prediction
	Sampled                     // Drawn: from samples, and not at rest
	Corrected                   // State: the prediction was wrong, or behind
	Own                         // of the own player's body
)

// Event is one fact. It takes 48 bytes.
type Event struct {
	At         time.Duration // of the client's engine, real time; see the package
	Server     time.Duration // a moment of the server's clock; tick 0 begins at zero
	A, B, C, D float32
	N          uint32
	Body       snapshot.ID // netcode.EntityID; zero: of none
	Kind       Kind
	Flags      Flags
	M          uint16
}
