// Package websocket carries datagrams over WebSocket (github.com/coder/websocket), for browsers and
// for networks that let nothing else pass.
//
// It is an ordered stream: a lost packet delays all that follow until it has been sent again,
// whereas package dtls does without it. Stats.SendQueued grows if the other end or the path is too
// slow. Send refuses more than Config.SendQueue datagrams, and the sender then sends less. Each
// binary message is a datagram. A close reason is sent as a text message, which a program in a
// browser can always read, and in the close frame, which other programs read.
//
// A server can be reached in three ways: [Listen] with Config.TLS, which needs nothing else;
// [Listen] without TLS, behind a proxy that does it; and [NewHandler], an http.Handler for a
// program's own http.Server. Without TLS, others on the path can read and change everything, tokens
// included. Use that only between a proxy and its server, or on one machine.
//
// Browsers send the site of a page. A server accepts pages of its own host and of those in
// Config.Origins, so that no other site can connect its visitors. Programs outside browsers send no
// site and are accepted. Tokens keep out uninvited clients.
//
// A server reads a bounded number of frames and bytes of each connection per second
// (Config.ClientFrames, Config.ClientBytes), and a tenth of that while the client is untrusted. It
// reads the others later. It ends a connection whose client sends more than 64 frames and messages
// without a datagram: pings, empty pieces, or messages above the MTU.
//
// The package sends no keep-alives: the layer above sends all the time, and closes silent
// connections.
//
// In a browser (GOOS=js) there is only [Dial], and Config has the fields of which a browser has
// use. The package uses the browser's WebSocket without a library there, since the libraries bring
// net/http and crypto/tls into the page. The browser's own queue has no bound that a program can
// see, and Stats.SendQueued stays 0.
package websocket
