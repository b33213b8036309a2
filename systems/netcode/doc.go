// Package netcode connects games of the engine: a [Server] and a [Client] are each a plugin of an
// engine. A replicated entity is drawn as a local one is: systems write its Logical values in
// FixedUpdate, and the interpolation draws it.
//
// # The parts
//
// A [Protocol] holds what both ends must have in common: how entities are sent, the player's step
// function, and the game's components ([ReplicateComponent]).
//
// The server is authoritative and runs the fixed pipeline without visuals. It runs each player's
// input on its tick, replicates entities that have [Replicated], and records their poses, for lag
// compensation.
//
// The client follows the server's clock by stretching its own by at most 5 %. It predicts its own
// player with the same step function. It samples every other entity's buffer once in each fixed
// step, so that a stream of 10 Hz is drawn as smoothly as one of 60 Hz.
//
// # A first game
//
// A first game imports this package and one transport. It needs [Game] (Step, Pose, Distance),
// [NewProtocol], [NewServer] with a Listener and Joined, [NewClient] with Dial and Input, and
// [Replicated] on each entity that clients are shown. The example of the smallest game has them
// all. Structs of numbers need no codecs. The types of inner packages that a game names, such as
// [Tick], [Writer] and [InputRules], are aliases here.
//
// # What a client sends
//
// A client sends inputs, messages ([NewMessage]), and the time of its view. It never sends its
// position, and the server trusts no time of the client's.
//
// # Goroutines
//
// Everything runs on the engine's goroutine. No datagram of a peer makes an end panic, block, or
// use memory without bound.
package netcode
