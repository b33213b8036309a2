// Package report measures the netcode's pictures under bad networks, and checks numbered cases
// against bounds. Its tests compare the figures with docs/conformance.md and docs/conformance.html.
// With the flag -write they measure everything, in some minutes, and write both pages:
//
//	go test ./systems/netcode/internal/conformance/report -run TestReport -write
//
// The files that begin with lane stream one body, whose motion is known in closed form, from a
// server to a client: real packets (packages packet and snapshot) over a simulated path (package
// linksim). They draw the body in all lanes at once: every interpolation of package interp,
// Mirror's algorithm, and the seed articles' own code as negative controls. They compare every
// frame with the truth. The files that begin with case have measures of their own.
//
// The files that begin with line play the whole product (package match) on lines whose state
// changes: queues that fill during a download or an upload, capacity that drops, outages that end
// in a burst of all waiting data, two players behind one bottleneck.
package report
