// Package conformance has the common parts of the tests that measure the netcode: units and columns
// of figures, the worst of several seeds, and motions in closed form.
//
// The figures are golden files, written by `make conformance`:
//
//   - The tests of package report write docs/conformance.md and docs/conformance.html. They draw
//     one body in all kinds of interpolation from the same packets, under every network condition,
//     and play the whole product on lines whose state changes.
//   - The tests of package rates write the tables of docs/tuning.md: what every choice of rates
//     costs.
//
// Package match plays a match of the whole product for both. Time is virtual, every random draw is
// seeded, and figures are rounded, so the pages are the same on every machine. The same tests fail
// when a committed page no longer matches the code.
package conformance
