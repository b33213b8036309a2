// Package webtransport carries datagrams over WebTransport, which is QUIC on UDP
// (github.com/quic-go/webtransport-go), for browsers and for programs. A lost datagram delays no
// other one, as with package dtls, which browsers do not have.
//
// # Certificates
//
// A browser connects to a server without a certificate of an authority if the page names the hash
// of the server's certificate, which must be valid for at most 14 days. [Certificates] makes a new
// one every six days. The web server of the page answers with the fingerprints of the present one
// and of the next, and [Dial] asks for them before each attempt. So a page never goes stale, and
// nothing is renewed by hand. Mount the certificates in the web server at the path of the listener,
// and give both the same port number: the web server on TCP, the listener on UDP. Then one address
// is enough for [Dial].
//
// A browser has WebTransport only on pages that come by https or from its own machine. A reverse
// proxy carries the page and the fingerprints, but not WebTransport: UDP must reach this server
// itself. For networks that let no UDP pass, dial with [transport.Fallback] and package websocket.
//
// # What an attacker can do
//
// Until a sender has proved that it can be reached at its address, it gets no answer that is larger
// than its packet. The first few handshakes per second begin without that proof, which saves a
// round trip; beyond Config.Unverified the server asks for it and stores nothing. Handshakes are
// begun within rates for all senders together and for each network, at most 256 at once, and end
// after 3 s. Packets of strangers, and those of each client, are counted before they are decrypted,
// and dropped beyond their budgets. A client makes one request, and opens no streams: more than 16
// of them, or as many datagrams that are none of ours, end its connection. Pages connect from the
// server's own host, and from those in Config.Origins.
//
// # Congestion control
//
// QUIC's datagrams are subject to its congestion control (New Reno), which takes every loss for a
// full queue, and which the library cannot switch off. At 200 ms and 15 % of loss a connection
// sends some tens of kilobytes per second. A player's inputs and usual snapshots are below that.
// What does not fit waits in this package, one datagram at a time is handed to the library, and a
// newer one displaces the oldest: Send never refuses a datagram. A browser does the same with what
// a page sends.
//
// # Connections
//
// A connection survives a change of the client's address, such as behind a NAT that drops its
// entry. It ends after 30 s in which nothing arrives; the layer above ends silent connections
// earlier. The library allocates memory for each packet, a few hundred bytes.
//
// In a browser (GOOS=js) there is only [Dial].
package webtransport
