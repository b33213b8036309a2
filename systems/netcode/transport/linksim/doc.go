// Package linksim simulates bad network paths, repeatably.
//
// A [Condition] describes the effects of one direction on datagrams: delay, uniform jitter,
// independent and bursty (Gilbert-Elliott) loss, duplication, reordering, a bottleneck with a queue
// in front of it, an ordered-reliable mode in which loss becomes a stall as over TCP, and scripted
// route changes, stalls and cuts. It has a seed, and each effect draws from a stream of its own:
// switching one on does not change the draws of the others. One line of text holds all of it, so
// that a failing case can print the line that reproduces it:
//
//	delay=100ms jitter=10ms loss=15% seed=7
//
// A bottleneck passes a constant or scheduled number of bytes per second, or as many as a recorded
// trace of a radio link. Its queue drops packets that do not fit (drop-tail), and with CoDel also
// packets that have waited too long. A download may share it: a Reno flow from one time to another.
// For example, a line of 2 Mbit/s with a queue of 1000 packets, and a download from 60 to 90 s, is
//
//	delay=20ms rate=250000 queue=1000p header=66 reno=1m0s:30s
//
// and one on which nothing passes for 2 s, after which all waiting packets arrive in a burst:
//
//	delay=20ms rate=500000 queue=64p rate=20s:0 rate=22s:500000
//
// Both directions of a [Path] have conditions of their own, so that an upload fills one and not the
// other. [Lines] returns such lines by name.
//
// A [Link] is one direction as a pure scheduler on virtual time: Push takes a datagram, Pop returns
// one that has arrived. [Wrap] puts two of them around any [transport.Conn] (including sockets, to
// play over a bad network on one machine), [WrapListener] around those that a listener accepts.
// Conditions can be changed at any time.
//
// The bottleneck is first, then loss, then delay, as on a path whose bottleneck is the sender's
// access link.
package linksim
