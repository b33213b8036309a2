package dtls

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/pion/dtls/v3"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// Conn is one end of a connection. It implements [transport.Conn]. [Dial] and [Listener.Accept]
// return one. Done returns a channel that is closed when its goroutines have ended and its socket
// is closed, shortly after Close.
type Conn struct{ *mailbox.Conn }

// The first byte of each message in the encrypted channel is its kind.
const (
	tagData  = 1 // a datagram
	tagClose = 2 // why the sender closes: transport.Reason
)

// These are the bytes that the network carries besides the caller's datagrams: the tag, DTLS
// (record header 13, nonce 8, authentication 16; towards the server an id of 8 and the inner record
// type of 1), UDP and IPv4.
const (
	overheadToClient = 1 + recordHeader + 8 + 16 + 8 + 20
	overheadToServer = overheadToClient + idSize + 1
)

// A close reason is sent a few times, until the other end answers by closing too. If none arrives,
// the other end closes by its time-out. The pause in between also prevents the other end's library
// from ending the connection before it has delivered the reason.
const (
	reasonCopies   = 3
	reasonInterval = 40 * time.Millisecond
)

func mailboxConfig(c Config, overhead int, remote string) mailbox.Config {
	return mailbox.Config{Name: "dtls", MTU: MTU, Overhead: overhead, Send: c.SendQueue, Receive: c.ReceiveQueue, Remote: remote}
}

// guard is the net.PacketConn below the library. It counts the records that the library reads.
type guard interface {
	authenticated()
	fruitless()
}

// carry moves datagrams between the library and the mailbox until the connection ends, closes the
// library's end, and returns when its goroutines are gone.
func carry(c *dtls.Conn, w *mailbox.Worker, g guard) {
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		read(c, w, g)
	}()
	w.SendAll([]byte{tagData}, func(b []byte) error { _, err := c.Write(b); return err })
	if reason, byOwner := w.Reason(); byOwner {
		farewell(c, reason, reading)
	}
	_ = c.Close() // sends close_notify
	<-reading
}

// read delivers the datagrams that arrive until the connection ends.
func read(c *dtls.Conn, w *mailbox.Worker, g guard) {
	buf := make([]byte, 2048)
	var remote net.Addr
	for {
		n, err := c.Read(buf)
		if errors.Is(err, io.EOF) {
			w.End(transport.Reason{Code: transport.Failed, Text: "the other end went without a reason"})
			return
		}
		if err != nil || n == 0 { // too large, or no datagram of ours
			w.Lost()
			g.fruitless()
			continue
		}
		g.authenticated()
		if now := c.RemoteAddr(); now != remote {
			remote = now
			w.SetRemote(now.String())
		}
		switch buf[0] {
		case tagData:
			if !w.Deliver(buf[1:n]) {
				g.fruitless()
			}
		case tagClose:
			reason, err := transport.ParseReason(buf[1:n])
			if err != nil {
				reason = transport.Reason{Code: transport.Failed, Text: "the other end went with a reason that cannot be read"}
			}
			w.End(reason)
			return
		default:
			w.Lost() // of a newer build
			g.fruitless()
		}
	}
}

// farewell sends the reason to the other end.
func farewell(c *dtls.Conn, reason transport.Reason, answered <-chan struct{}) {
	b := reason.Append([]byte{tagClose})
	for range reasonCopies {
		_, _ = c.Write(b)
		select {
		case <-answered:
			return
		case <-time.After(reasonInterval):
		}
	}
}
