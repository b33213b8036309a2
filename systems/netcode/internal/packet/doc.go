// Package packet adds delivery reports, messages and the packing of bits to datagrams, which can be
// lost, duplicated and reordered.
//
// # The parts
//
//   - [Writer] packs bits into a caller's bytes. [Reader] reads them again.
//   - [Endpoint] is one end of a connection. Every packet carries a 16-bit sequence number, the
//     newest number received and a mask of the 32 before it (G. Fiedler, "Reliability and
//     Congestion Avoidance over UDP"). From these each end finds out for every packet whether it
//     arrived, and reports it to its [Handler].
//   - Messages of any kind are placed in front of a packet's payload. Reliable ones arrive in order
//     and exactly once, and are resent until acknowledged. Unreliable ones arrive at most once and
//     in no order. A message larger than a packet is sent in pieces.
//
// This package reads no clock and no socket, starts no goroutine, and its memory is bounded. Times
// and bytes are arguments. An Endpoint outlives its transport: a player that returns from another
// address keeps its Endpoint.
//
// # From sending to receiving
//
// To send: [Endpoint.Begin] writes the header and waiting messages into a buffer and returns a
// Writer for the payload, [Endpoint.End] returns the datagram. To receive: [Endpoint.Open] checks a
// datagram and returns a Reader of its payload, and changes nothing. When the caller has decoded
// the payload, [Endpoint.Accept] applies the rest. For both ends, a packet that was not accepted
// was never received. Thus an acknowledgement means that the payload was decoded and applied. Delta
// compression relies on this.
//
// # Bits
//
// Bits fill each byte from its least significant bit up, and the first bit of a number is its least
// significant one: a stream of 8-bit or 64-bit fields alone is the little-endian byte order. Unused
// bits of the last byte are zero, and readers require this: a value has one encoding only.
//
// # Safety
//
// For any input, Open does not panic, allocates nothing, and takes time proportional to the
// datagram. Sequence numbers protect from duplicates and from replays of the last nine minutes at
// 60 packets a second. They do not protect from forgers: that is the task of an encrypted
// transport.
package packet
