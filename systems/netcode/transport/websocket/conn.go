package websocket

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// MTU is the largest datagram in bytes: that of the other transports, although a stream could carry
// more.
const MTU = transport.MaxMTU

// maxMessage is the size of the largest message that is read at all. A message above MTU is dropped
// and counted. A message above maxMessage ends the connection.
const maxMessage = 16 * MTU

// Conn is one end of a connection. It implements [transport.Conn]. [Dial] and [Listener.Accept]
// return one. Done returns a channel that is closed when its goroutines have ended and its socket
// is closed, shortly after Close.
type Conn struct{ *mailbox.Conn }

// These are the bytes that the network carries besides the caller's datagrams: the frame's header,
// TCP with time stamps, IPv4; towards the server the mask; with TLS 1.3 record header, type and
// authentication.
const (
	overheadToClient = 4 + 32 + 20
	overheadToServer = overheadToClient + 4
	overheadTLS      = 5 + 1 + 16
)

// closeGrace is how long an end waits for the other one when a connection ends. It does not wait
// longer for a peer that does not read.
const closeGrace = 500 * time.Millisecond

func mailboxConfig(c Config, overhead int, remote string) mailbox.Config {
	return mailbox.Config{Name: "websocket", MTU: MTU, Overhead: overhead, Send: c.SendQueue, Receive: c.ReceiveQueue, Remote: remote}
}
