// Package conformance measures the netcode's pictures under bad networks, and checks numbered cases
// against bounds.
//
// [Run] streams one body, whose motion is known in closed form, from a server to a client: real
// packets (packages packet and snapshot) over a simulated path (package linksim). It draws the body
// in any number of lanes at once ([Lanes]): every interpolation of package interp, Mirror's
// algorithm, and the seed articles' own code as negative controls. It compares every frame with the
// truth ([Measure]). Time is virtual, every random draw is seeded, and figures are rounded, so the
// report is the same on every machine.
//
// [RunAll] runs every case ([Rows] and those with measures of their own) over 20 seeds. The command
// in directory cmd writes docs/conformance.md and docs/conformance.html from it (make conformance).
// A test of this package fails when the committed page no longer matches the code.
package conformance
