// Package match plays a match of the whole product in virtual time: a server and two clients on
// engines of their own, over simulated paths, with bodies whose paths are known in closed form.
//
// It includes all costs of a game: sockets are read once per frame, packets also carry the own
// player's state and the feedback on its inputs, and inputs are sent again until they are
// acknowledged. [New] makes the [Match] of a [Setting], and each [Watcher] measures a client.
package match
