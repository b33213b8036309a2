package transport

import "time"

// Stamper is a [Conn] that also reports when a datagram reached this machine. Its goroutine
// receives between two Polls, or it runs on virtual time. All Conns of this module are Stampers. A
// wrapper needs RecvAt to be one.
//
// Measurements of a path need these times. The time of the Poll is later by up to a frame, which at
// 30 frames a second looks like 33 ms of jitter.
type Stamper interface {
	Conn

	// RecvAt is Recv, and also returns when the datagram arrived, on the epoch of the times given
	// to Poll. The time is never later than the last of these, and never earlier than what RecvAt
	// returned before.
	RecvAt(buf []byte) (n int, at time.Duration, ok bool)
}

// RecvAt receives the next datagram from any connection. If the connection is no [Stamper], the
// datagram counts as arrived at now, the time of the last Poll.
func RecvAt(c Conn, now time.Duration, buf []byte) (n int, at time.Duration, ok bool) {
	if s, is := c.(Stamper); is {
		return s.RecvAt(buf)
	}
	n, ok = c.Recv(buf)
	return n, now, ok
}
