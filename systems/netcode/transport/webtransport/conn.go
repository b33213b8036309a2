package webtransport

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// MTU is the largest datagram in bytes. In a QUIC packet of 1200 bytes of UDP payload there is room
// for 1167. A larger datagram would vanish in a browser without an error.
const MTU = 1150

// Conn is one end of a connection. It implements [transport.Conn]. [Dial] and, outside of browsers,
// Listener.Accept return one. Done returns a channel that is closed when its goroutines have ended
// and its socket is closed, shortly after Close.
type Conn struct{ *mailbox.Conn }

// overhead is how many bytes the network carries besides each of the caller's datagrams: QUIC's
// header (1, connection id 4, packet number 2) and authentication (16), the frame's header (3) and
// the session's number (1), UDP (8) and IPv4 (20).
const overhead = 1 + 4 + 2 + 16 + 3 + 1 + 8 + 20

// maxAge is how long a datagram may wait for room in the congestion window. The state of a game is
// of no use later, and what comes after it would be late, too.
const maxAge = 100 * time.Millisecond

func mailboxConfig(send, receive int, remote string) mailbox.Config {
	return mailbox.Config{Name: "webtransport", MTU: MTU, Overhead: overhead, Send: send, Displace: true, MaxAge: maxAge, Receive: receive, Remote: remote}
}

const (
	// closePause is the time between the last datagrams and the reason of a close. The reason takes
	// another way through the other end's library, which drops datagrams that it overtakes.
	closePause = 50 * time.Millisecond
	// closeGrace is how long an end then waits until the other one has received the reason.
	closeGrace = 500 * time.Millisecond
	// closeLimit is the longest time that a close takes.
	closeLimit = 2 * time.Second
)

// reasonOf returns the reason of a session's close code and text.
func reasonOf(code uint32, text string) transport.Reason {
	if code > 0 && code <= 255 {
		if r, err := transport.ParseReason(append([]byte{byte(code)}, text...)); err == nil {
			return r
		}
	}
	return transport.Reason{Code: transport.Failed, Text: "the other end went without a reason"}
}

// textOf returns the reason's text in its wire form: one line of at most transport.MaxReasonText
// bytes.
func textOf(r transport.Reason) string { return string(r.Append(nil)[1:]) }

// maxReason is the size of the largest reason in a stream: a code and a text.
const maxReason = 1 + transport.MaxReasonText

// told returns the reason that a server sent in a stream.
func told(b []byte) transport.Reason {
	r, err := transport.ParseReason(b)
	if err != nil {
		return transport.Reason{Code: transport.Failed, Text: "the other end went with a reason that cannot be read"}
	}
	return r
}
