// Package congestion finds how many bytes a second a flow of datagrams may send without filling the
// queue of the path: a [Controller] takes what was sent, what arrived and when, and what was lost.
//
// # The rate
//
// The wait in queues is the transit of a packet, by the clocks of both ends, less the least transit
// of the last minute (LEDBAT, RFC 6817, keeps minima in this way). The rate grows until that wait
// passes a limit of 25 to 120 ms. Then the rate falls below the rate at which bytes arrive, which
// is what the line carries while a queue stands (the delivery rate of BBR, the acknowledged-rate
// cap of Google's congestion control), until the queue is empty. The wait of a packet that is sent
// now follows from the bytes on their way, so the control does not lag behind its own effect by a
// round trip (a Smith predictor). Losses count where a queue stands, or where less is lost at a
// lower rate.
//
// # Other flows
//
// A controller that yields to any delay starves beside a flow that fills the queue (Reno, CUBIC).
// Therefore each fall of the rate is also a test: while a flow is alone on its line, the wait
// changes by s/c - 1 in each second, where s is the rate that it sends and c the rate that the
// line carries. If the queue stays while it should have drained, twice in a row, it is somebody
// else's, and the rate follows Reno's rules until the queue is gone or a later test finds that the
// queue follows. Copa (NSDI 2018) and Nimbus (SIGCOMM 2022) change their modes for the same
// reason. If the queue goes much sooner than it should have, it was not the flow's either, and the
// rate returns.
//
// Flows of this kind share a line fairly, since a flow of a greater rate has a lower limit.
//
// Nothing here reads a clock or a socket. Times are arguments.
package congestion
