// Package arena is the simulation of the networked demo's game: a level, the step of a player by
// its input, crates, shots, and the protocol.
//
// Everything here is a pure function of its arguments. So a server and the predictions of its
// clients agree to the bit. Package rules runs the game on a server; package view shows it to a
// player.
//
// World space is right-handed with Y up, in metres; angles are in radians. Yaw 0 looks along -Z and
// grows counterclockwise seen from above.
package arena
