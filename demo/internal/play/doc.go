// Package play is the demo's networked half: a server, clients with and without a window, a host that is both, many bots in one process, and a duel of two clients side by
// side in virtual time. Each is a function of the command line's arguments that returns when it is over.
package play
