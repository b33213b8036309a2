// Package linksim simulates bad network paths, repeatably.
//
// A [Condition] says what a direction does to datagrams: delay, uniform jitter, independent and bursty (Gilbert-Elliott) loss, duplication,
// reordering, a rate limit with a bounded queue, an ordered-reliable mode in which loss becomes a stall as over TCP, and scripted route changes,
// stalls and cuts. It has a seed, and each effect draws from a stream of its own: switching one on does not change what the others do. One line
// of text holds all of it, so that a failing case can print what reproduces it:
//
//	delay=100ms jitter=10ms loss=15% seed=7
//
// A [Link] is one direction as a pure scheduler on virtual time: Push a datagram, Pop what has arrived. [Wrap] puts two of them around any
// [transport.Conn] (sockets too, to play over a bad network on one machine), [WrapListener] around those that a listener accepts. Conditions can
// be changed at any time.
//
// The rate limit stands first, then loss, then delay, as on a path whose bottleneck is the sender's access link.
package linksim
