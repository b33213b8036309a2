// Package lines measures the whole product on lines whose state changes: queues that fill during a
// download or an upload, capacity that drops, outages that end in a burst of all waiting data, two
// players behind one bottleneck.
//
// The game, the server and the clients are those of package rates. The lines are conditions of
// package linksim. [Cases] returns the matches and their bounds, [Measure] plays one, and [Add]
// puts all of them into the report of package conformance. Time is virtual, every random draw is
// seeded, and figures are rounded.
package lines
