// Package websocket carries datagrams over WebSocket (github.com/coder/websocket): for browsers,
// and for networks that let nothing else pass.
//
// It is a stream in order: a lost packet holds up all that follow until it was sent again, where
// package dtls would do without it. Stats.SendQueued grows when the other end or the path is too
// slow, and beyond Config.SendQueue Send refuses; whoever sends then sends less. Each binary
// message is a datagram. A close reason travels as a text message, which a program in a browser can
// read for certain, and in the close frame, which everybody else understands.
//
// A server has three ways to be on the network: [Listen] with Config.TLS, which needs nothing else;
// [Listen] without, behind a proxy that does TLS; and [NewHandler], an http.Handler for a program's
// own http.Server. Without TLS on the way, everybody on it can read and change everything, tokens
// included: only between a proxy and its server, or on one machine.
//
// Browsers tell from which site a page came. A server takes pages of its own host, and of those in
// Config.Origins, so that no other site can connect its visitors. Programs outside browsers tell
// nothing and are taken; tokens keep out those who were not invited.
//
// A server reads so many frames and bytes of each connection per second (Config.ClientFrames,
// Config.ClientBytes), of a stranger's a tenth of that, and reads the others later. It ends a
// connection whose client sends more than 64 frames and messages without a datagram: pings, empty
// pieces, or messages above the MTU.
//
// Nothing is sent for the sake of staying alive: the layer above sends all the time, and closes
// connections that are silent.
//
// In a browser (GOOS=js) there is only [Dial], and of Config only DialTimeout, SendQueue and
// ReceiveQueue matter there. The browser's own queue has no bound that a program can see, and
// Stats.SendQueued stays 0.
package websocket
