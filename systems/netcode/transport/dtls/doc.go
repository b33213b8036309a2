// Package dtls carries datagrams over UDP, encrypted by DTLS 1.2 (github.com/pion/dtls).
//
// A server listens. A client dials with the fingerprint of the server's certificate, which it has
// from the join link (package joinlink). No certificate authority is involved: the client connects
// to the holder of exactly this certificate's key or not at all. The server accepts every client
// that completes the handshake. The layer above decides which of them may play, by a token inside
// the encrypted channel.
//
// # What an attacker can do
//
// DTLS starts with a datagram from an unknown sender. This package's own front stands between the
// socket and the library. It answers such a datagram with a cookie and stores nothing. The cookie
// is a keyed hash of the sender's address and of its hello (RFC 6347, 4.2.1). A sender that repeats
// its hello with the cookie has proved that it can be reached at its address. The front sends
// cookies and begins handshakes only within rates for all senders together and for each network.
// Handshakes under way are at most 256 and end after 3 s. Every queue is bounded and drops. Each
// forged hello therefore costs a little time and no memory, and connected players keep playing.
//
// The library's own listener has no such front: it spends four goroutines and some 25 KB on each
// hello before it asks for a cookie. Its cookie is a random number that it stores, so the front
// cannot send it early. Instead the front's cookie is carried in the ClientHello of a handshake
// that the library takes for one without a cookie. For that reason only clients of this package can
// connect: those of other DTLS libraries repeat their hello under the next message number, at which
// this library does not begin.
//
// # Connections
//
// Clients mark their records with an 8-byte connection id (RFC 9146). A connection therefore
// survives a change of the client's address, such as behind a NAT that drops its entry. A client
// that comes back dials from a new port, which no earlier connection uses. A datagram is at most
// [MTU] bytes. With everything around it a UDP payload is at most 1200 bytes.
//
// A server reads a bounded number of datagrams and bytes of each connection per second
// (Config.ClientDatagrams, Config.ClientBytes), and a tenth of that while the client is untrusted.
// It drops the others before the library decrypts them. It ends a connection whose client sends
// more than 64 genuine records without a datagram, because the library keeps pieces of handshakes,
// up to 2 MB, until the connection ends.
//
// UDP does not show that the other end has gone: an open connection stays open until one end closes
// it. The layer above closes silent connections.
//
// # Goroutines
//
// Each connection has four goroutines of the library and two of this package. Bounded queues
// connect them with the owner; package transport describes polling. The goroutines have ended when
// the channel of [Conn.Done] or [Listener.Done] is closed, shortly after Close.
package dtls
