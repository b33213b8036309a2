// Package arena is the rules of the networked demo's game: a level, what a player's input does to
// him in a tick, crates, shots, and how all of it travels.
//
// Everything here is a pure function of its arguments, so that a server and the predictions of its
// clients agree to the bit. Package rules runs the rules on a server, package view shows them to a
// player.
//
// World space is right-handed with Y up, in metres; angles are in radians, yaw 0 looks along -Z and
// grows counterclockwise seen from above.
package arena
