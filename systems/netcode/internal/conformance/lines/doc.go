// Package lines measures the whole product on lines whose state changes: queues that fill beside
// somebody's download or upload, capacity that drops, outages after which all that waited comes at
// once, two players behind one bottleneck.
//
// The game, the server and the clients are those of package rates; the lines are conditions of
// package linksim. [Cases] names what is played and the bounds that it is held to, [Measure] plays
// it, and [Add] puts all of it into the report of package conformance. Time is virtual, every
// random draw is seeded, and figures are rounded.
package lines
