// Package play is the demo's networked half: a server, clients, a host that is both, many bots in
// one process, and a duel of two clients side by side. Each is a function of the command line's
// arguments that returns at its end. Package app shows matches as it shows scenes.
package play
