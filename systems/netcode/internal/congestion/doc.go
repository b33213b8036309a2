// Package congestion finds how many bytes a second a flow of datagrams may send without filling the
// queue of the path. A [Controller] takes the packets that were sent, those that arrived with the
// times of arrival, and those that were lost.
//
// # The rate
//
// The wait in queues is the transit of a packet, by the clocks of both ends, less the least transit
// of the last minute (LEDBAT, RFC 6817, keeps minima in this way). The rate grows until that wait
// passes a limit of 24 to 100 ms. Then the rate falls below the rate at which bytes arrive, until
// the queue is empty. The rate of arrival is what the line carries while there is a queue (the
// delivery rate of BBR, the acknowledged-rate cap of Google's congestion control). The wait of a
// packet that is sent now follows from the bytes in flight, so the control does not lag behind its
// own effect by a round trip (a Smith predictor). Losses count only while there is a queue, which
// may be as short as CoDel keeps it, or if less is lost at a lower rate.
//
// # Other flows
//
// A controller that yields to any delay starves beside a flow that fills the queue (Reno, CUBIC).
// Therefore each fall of the rate is also a test. While a flow is alone on its line, the wait
// changes by s/c - 1 in each second, where s is the rate that it sends and c the rate that the line
// carries. If the queue stays, twice in a row, although it should have drained, it is that of
// another flow. The rate then follows Reno's rules until the queue is gone or a later test finds
// that the queue follows the rate. Copa (NSDI 2018) and Nimbus (SIGCOMM 2022) change their modes
// for the same reason. If a long queue drains much sooner than it should have, it was not the
// flow's either, and the rate returns.
//
// Flows of this kind share a line fairly, since a flow of a greater rate has lower limits of the
// wait and of losses, and grows more slowly.
//
// This package reads no clock and no socket. Times are arguments.
package congestion
