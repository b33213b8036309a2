// Package netcode is the ECS face of Tandem's netcode: a [Server] and a [Client], plugins of an
// engine each. A replicated entity and a local one differ in nothing on their way to the screen:
// both are written as Logical values in FixedUpdate, and the synchronizer does the rest.
//
// # The parts
//
// A [Protocol] is what both ends must agree on: how entities travel, the player's step function,
// and user components ([ReplicateComponent]).
//
// The server is authoritative and runs the fixed pipeline without visuals. It runs each player's
// input on its tick, replicates entities that carry [Replicated], and remembers where everything
// was for lag compensation.
//
// The client follows the server's clock by stretching its own by at most 5 %, predicts its own
// player with the same step function, and samples every other entity's buffer once in every fixed
// step, so that a 10 Hz stream moves as smoothly as a 60 Hz one.
//
// Underneath lie small pure packages, each usable by itself: clocksync, remote, prediction,
// snapshot, packet, and the transports.
//
// # What a client sends
//
// Only inputs, messages, and what it has seen: never where it is, and no time of its own that the
// server would believe.
//
// # Goroutines
//
// Everything runs on the engine's goroutine. Nothing that a peer sends can panic, block, or grow
// memory without bound.
package netcode
