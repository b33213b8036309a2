// Package transport is the interface between the netcode and the transports that carry its
// datagrams.
//
// A [Conn] carries datagrams between two ends. Each one arrives whole or not at all, possibly late,
// twice or out of order. Package packet adds sequence numbers, acknowledgements, fragments and
// reliable messages above it, so that all transports are equal and each of these is written and
// tested once. A [Listener] returns the connections of the clients that join.
//
// No method blocks or reads a clock: the owner calls [Conn.Poll] with its own time once per step,
// then [Conn.Recv] until there is no more, then [Conn.Send]. Transports on virtual time (loopback,
// linksim) deliver by the times given to them. Transports on sockets (dtls, webtransport,
// websocket) run goroutines of their own with bounded queues in between, and Poll only takes over
// their results. A [Stamper] also returns when a datagram arrived, which is before the Poll that
// returns it.
//
// # Implementations
//
//   - loopback: two ends in one process, on virtual time; single player, host mode and tests
//   - linksim: wraps any other and adds delay, jitter, loss and more
//   - dtls: encrypted datagrams on UDP
//   - webtransport: encrypted datagrams on UDP (QUIC), for browsers and for programs
//   - websocket: an ordered stream, for browsers and for networks that pass nothing else
//
// Package transporttest holds the tests that each of them has to pass.
package transport

import (
	"errors"
	"time"
)

// MaxMTU bounds [Conn.MTU] of every transport. 1200 bytes of UDP payload pass every path in
// practice, and the bytes of encryption are part of them.
const MaxMTU = 1200

// ErrTooLarge is returned by Send if a datagram exceeds [Conn.MTU]. Nothing was sent. Split the
// datagram above the transport.
var ErrTooLarge = errors.New("transport: datagram larger than the MTU: split it into fragments of at most Conn.MTU() bytes")

// ErrEmpty is returned by Send for a datagram of no bytes, which some transports cannot carry.
// Nothing was sent.
var ErrEmpty = errors.New("transport: a datagram needs at least one byte")

// ErrQueueFull is returned by Send if the bounded queue towards the network is full. The datagram
// was dropped and counted, which is a loss like any other. Do not retry at once, but send less.
var ErrQueueFull = errors.New("transport: send queue full, datagram dropped: send less")

// ErrNotOpen is returned by Send while the connection is still being made. Nothing was sent. Wait
// for [Open].
var ErrNotOpen = errors.New("transport: connection is not open yet: wait for State() to be Open")

// ErrClosed is returned by Send after either end closed the connection. [Conn.CloseReason] returns
// the reason.
var ErrClosed = errors.New("transport: connection is closed: CloseReason() says why")

// State is the state of a connection. It never decreases.
type State uint8

const (
	// Connecting: a handshake with the other end is under way. Send refuses datagrams, and none
	// arrive.
	Connecting State = iota
	// Open: datagrams pass in both directions.
	Open
	// Closed: the connection ended, or was never made; [Conn.CloseReason] returns why. Recv still
	// returns the datagrams that arrived before a remote close.
	Closed
)

// String returns the state's name in lower case.
func (s State) String() string {
	if s > Closed {
		return "unknown"
	}
	return [...]string{"connecting", "open", "closed"}[s]
}

// Conn is one end of a connection for datagrams.
//
// All methods are called from one goroutine at a time, the owner's. An implementation with
// goroutines of its own synchronises with them itself. An owner of several connections may call
// methods of different ones at the same time, from several goroutines. None of the methods blocks,
// and in steady state none of them allocates.
type Conn interface {
	// Poll sets the connection's time, on the owner's monotonic epoch, once per step and before
	// Recv. Datagrams sent until the next Poll count as sent at that time. A time earlier than the
	// last one counts as the last one. Transports on sockets may ignore it.
	Poll(now time.Duration)

	// Send sends one datagram of 1 to MTU() bytes. The bytes are copied: the caller may reuse them
	// at once. Errors: ErrEmpty, ErrTooLarge, ErrNotOpen, ErrClosed, ErrQueueFull. A nil error
	// means that the datagram was handed to the network, not that it arrived.
	Send(datagram []byte) error

	// Recv copies the next datagram that arrived into buf, and returns its length. buf must have
	// room for MTU() bytes; a shorter one panics. If there is no datagram, Recv returns 0, false at
	// once. A datagram from the other end that is larger than MTU() is dropped and counted, never
	// returned.
	Recv(buf []byte) (n int, ok bool)

	// MTU returns the size in bytes of the largest datagram that Send accepts and Recv returns. It
	// is at most MaxMTU, and constant while the connection exists.
	MTU() int

	// State returns the connection's state as of the last Poll.
	State() State

	// Close ends the connection and sends the reason to the other end (best effort). The zero
	// reason counts as Left. Datagrams handed to Send before are still sent, as far as that needs
	// no waiting. Arrived ones that Recv has not returned are lost. Only the first Close counts,
	// and one after a remote close keeps the remote's reason. It always releases what the
	// connection holds.
	Close(reason Reason)

	// CloseReason returns why the connection ended, or the zero Reason if it has not.
	CloseReason() Reason

	// Stats returns the counters since the connection was made.
	Stats() Stats

	// RemoteAddr returns the other end's address in the transport's own form ("203.0.113.7:4711",
	// "loopback:3"), for logs and for limits per address. It may change while the connection is
	// open (a client behind a rebinding NAT), so it identifies no player.
	RemoteAddr() string
}

// Listener is the side that clients connect to. Its methods are called from one goroutine, like
// those of [Conn].
type Listener interface {
	// Poll sets the listener's time, once per step and before Accept. It does not poll the
	// connections that Accept returned.
	Poll(now time.Duration)

	// Accept returns the next connection that became Open, if there is one. It does not return
	// refused, failed and half-open attempts. The listener counts them and continues. The caller
	// decides which connections stay: Close(Reason{Code: Refused, ...}) refuses one with a reason.
	Accept() (Conn, bool)

	// Addr returns the address that clients connect to, in the transport's own form.
	Addr() string

	// Close stops listening, and closes every connection of this listener with the reason.
	Close(reason Reason)

	// Stats returns the counters since the listener was made.
	Stats() ListenerStats
}
