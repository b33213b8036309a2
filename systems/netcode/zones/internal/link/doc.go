// Package link connects the zones of a world with each other: a connection between every two
// processes, with reliable messages, ghosts' packets and clocks.
//
// # A link
//
// The process of the lower zone number dials and shows the other one's key, again and again until
// it is answered. The transport has checked the other one's certificate by then. The other one
// compares the key before it looks at anything else, then the protocol, and both processes: only
// those of the newest epoch have a link. A newer connection of the same process takes the place of
// the older one. A link without a packet for 3 s is closed, and dialed anew.
//
// # What a link carries
//
//   - Messages. They arrive in order and exactly once as long as the link lasts. When a link ends,
//     those that have not arrived are lost: the handler's Opened says where a new one begins. Small
//     messages share pieces of packets, so thousands of them a second are cheap.
//   - Ghosts, which the handler encodes and decodes. They are what a packet has room for beside the
//     messages, and follow in more packets of the same step while the rate allows.
//   - Stamps of both clocks, from which [Links.Ahead] tells how far the other one's common ticks
//     are ahead.
//
// A link sends at most [Config].Rate. An idle one sends ten small packets a second.
//
// # Time
//
// Nothing here reads a clock, opens a socket or starts a goroutine. Connections come from
// [Config].Listener and [Config].Dial, times are arguments, and the handler is called within Poll
// and Flush only. Read the clock right before both: the difference to the true time is an error of
// the stamps.
//
// # Safety
//
// A stranger may send anything. It gets at most 64 connections that wait for a hello, for 3 s each,
// and one byte of a wrong key costs it the connection. A process with the key is trusted with what
// the handler does. Its malformed messages are dropped, and cannot block or grow memory.
package link
