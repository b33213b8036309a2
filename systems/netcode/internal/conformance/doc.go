// Package conformance measures how the netcode looks under bad networks, and holds it to numbered
// cases with bounds.
//
// [Run] streams one body, whose motion is known in closed form, from a server to a client: real
// packets (packages packet and snapshot) over a simulated path (package linksim), drawn in any
// number of lanes at once ([Lanes]): every interpolation of package remote, Mirror's algorithm, and
// the seed articles' own code as negative controls. What is drawn is compared with the truth, frame
// by frame ([Measure]). Time is virtual, every random draw is seeded, and figures are rounded, so
// that the report is the same wherever it is made.
//
// [RunAll] runs every case ([Rows] and those with measures of their own) over 20 seeds. The command
// in directory cmd writes docs/conformance.md and docs/conformance.html from it (make conformance),
// and a test of this package fails when the committed page no longer says what the code does.
package conformance
