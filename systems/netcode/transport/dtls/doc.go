// Package dtls carries datagrams over UDP, encrypted by DTLS 1.2 (github.com/pion/dtls).
//
// A server listens; a client dials with the fingerprint of the server's certificate, which it has
// from the join link (package joinlink). No certificate authority is involved: the client talks to
// the holder of exactly this certificate's key or to nobody. The server takes every client that
// completes the handshake; who may play is for the layer above to find out, with a token inside the
// encrypted channel.
//
// # What a stranger can do
//
// DTLS starts with a datagram from somebody unknown. This package's own front stands between the
// socket and the library, and answers such a datagram without remembering anything: it sends back a
// cookie (RFC 6347, 4.2.1: a keyed hash of the sender's address and of its hello) and does nothing
// more until the sender repeats its hello with that cookie, which proves that it can be reached at
// its address. Cookies are answered, and handshakes begun, only within rates for all together and
// for each network. Handshakes under way are at most 256 and end after 3 s. Every queue is bounded
// and drops. So forged hellos cost a little time each and no memory, whoever sends them, and the
// players who are connected keep playing.
//
// The library's own listener has no such front: it spends four goroutines and some 25 KB on each
// hello before it asks for a cookie. Its cookie is a random number that it remembers, so the front
// cannot send it early. Instead the front's cookie travels in the ClientHello of a handshake that,
// to the library, needs none; the price is that only this package's clients get in, not those of
// other DTLS libraries: they would repeat their hello under the next message number, at which this
// library does not begin.
//
// # Connections
//
// Clients mark their records with an 8-byte connection id (RFC 9146). So a connection survives a
// change of the client's address, as happens behind a NAT that forgets. A client that comes back
// dials from a new port, and never meets what the server remembers of its last connection. A
// datagram is at most [MTU] bytes; with everything around it a UDP payload is at most 1200 bytes.
//
// A server looks at so many datagrams and bytes of each connection per second
// (Config.ClientDatagrams, Config.ClientBytes), of a stranger's at a tenth of that, and drops the
// others before the library decrypts them. It ends a connection whose client sends more than 64
// genuine records without a datagram: the library keeps pieces of handshakes for as long as a
// connection lives, up to 2 MB.
//
// UDP has no way to notice that the other end is gone: an open connection stays open until somebody
// closes it. The layer above closes the silent ones.
//
// # Goroutines
//
// Each connection has goroutines of its own, the library's four and two of this package, between
// which and the owner lie bounded queues (package transport says how polling works). They are gone
// when [Conn.Done] or [Listener.Done] says so, shortly after Close.
package dtls
