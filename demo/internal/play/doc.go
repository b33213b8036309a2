// Package play is the networked part of the demo: a server, a client, a host that is both, many
// bots in one process, and a duel of two clients side by side. Each command is a function of the
// command line's arguments that returns at its end. Package app shows matches in the same way as
// scenes.
package play
