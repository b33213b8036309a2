// Package packet turns datagrams that get lost, doubled and reordered into what a game needs of
// them: which packets arrived, messages that arrive once and in order, and bits.
//
// # The parts
//
//   - [Writer] and [Reader] pack bits into a caller's bytes and take them out again.
//   - [Endpoint] is one end of a connection. Every packet carries a 16-bit sequence number, the
//     newest number received and a mask of the 32 before it (G. Fiedler, "Reliability and
//     Congestion Avoidance over UDP"), so that each end learns of every packet whether it arrived:
//     [Handler].
//   - Messages of any kind ride in front of a packet's payload: reliable ones in order and exactly
//     once, resent until acknowledged; unreliable ones at most once and in no order. What is larger
//     than a packet travels in pieces.
//
// Nothing here reads a clock or a socket, starts a goroutine, or grows without bound; times and
// bytes are arguments. An Endpoint outlives its transport: a player who comes back from another
// address goes on with the same one.
//
// # The way of a packet
//
// To send: [Endpoint.Begin] writes the header and waiting messages into a buffer and returns a
// Writer for the payload, [Endpoint.End] returns the datagram. To receive: [Endpoint.Open] checks a
// datagram and returns a Reader of its payload, and changes nothing; when the payload has been
// understood, [Endpoint.Accept] applies the rest. A packet that was not accepted was, for both
// ends, never received. Thus an acknowledgement means that the payload was decoded and applied,
// which is what delta compression must be able to rely on.
//
// # Bits
//
// Bits fill each byte from its least significant bit up, and the first bit of a number is its least
// significant one: a stream of 8-bit or 64-bit fields alone is the little-endian byte order. Unused
// bits of the last byte are zero, and readers insist on it: a value has one encoding only.
//
// # Safety
//
// Whatever Open is given, it does not panic, allocates nothing, and takes time proportional to the
// datagram. Sequence numbers protect from duplicates and from replays of the last nine minutes at
// 60 packets a second, but not from forgers: that is the work of an encrypted transport.
package packet
