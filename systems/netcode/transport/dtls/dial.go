package dtls

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/dtls/v3/pkg/protocol/handshake"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// retryPause is how long a client waits after a failed handshake before it begins another.
const retryPause = 250 * time.Millisecond

var errNobodyListens = errors.New("dtls: nobody listens")

// Dial connects to a server at HOST:PORT that shows the certificate with the fingerprint. It returns at once: the connection is Connecting, and
// becomes Open, or Closed with a reason that says what to do. Each Dial has a port of its own.
func Dial(addr string, pin joinlink.Fingerprint, c Config) *Conn {
	c = c.withDefaults()
	owner, worker := mailbox.New(mailboxConfig(c, overheadToServer, addr), transport.Connecting)
	d := &dialer{addr: addr, pin: pin, config: c, worker: worker}
	go d.run()
	return &Conn{owner}
}

// dialer is one client's way to a connection.
type dialer struct {
	addr     string
	pin      joinlink.Fingerprint
	config   Config
	worker   *mailbox.Worker
	answered bool // the server sent a cookie
}

// run connects, and carries the connection until it ends.
func (d *dialer) run() {
	defer d.worker.Finish()
	if d.pin.IsZero() {
		d.worker.End(transport.Reason{Code: transport.Unauthorized, Text: "no fingerprint of the server's certificate: use the join link that the server printed"})
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), d.config.DialTimeout)
	defer cancel()
	unlink := make(chan struct{})
	defer close(unlink)
	go func() {
		select {
		case <-d.worker.Ended():
			cancel()
		case <-unlink:
		}
	}()
	for {
		c, wire, err := d.attempt(ctx)
		if err == nil {
			d.worker.Open()
			carry(c, d.worker, wire)
			return
		}
		d.config.Log.Debug("dtls: cannot connect", "server", d.addr, "error", err)
		if ctx.Err() != nil || final(err) {
			d.worker.End(d.reason(err))
			return
		}
		select {
		case <-time.After(retryPause):
		case <-ctx.Done(): // the time is up, and what the last attempt met says why
			d.worker.End(d.reason(err))
			return
		}
	}
}

// attempt makes one handshake on a socket of its own.
func (d *dialer) attempt(ctx context.Context) (*dtls.Conn, *wire, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	socket, err := new(net.Dialer).DialContext(ctx, "udp", d.addr)
	if err != nil {
		return nil, nil, err
	}
	w := newWire(socket.(*net.UDPConn), cancel)
	limit := time.AfterFunc(d.config.DialTimeout, func() { cancel(context.DeadlineExceeded) })
	defer limit.Stop()
	prove := func(h handshake.MessageClientHello) handshake.Message {
		h.Cookie = w.exchange(ctx, h)
		if h.Cookie != nil {
			d.answered = true
			limit.Reset(d.config.HandshakeTimeout)
		}
		return &h
	}
	c, err := dtls.ClientWithOptions(w, w.remote, clientOptions(d.pin, prove)...)
	if err != nil {
		_ = w.Close()
		return nil, nil, err
	}
	if err = c.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		_ = w.Close()
		if cause := context.Cause(ctx); cause != nil {
			err = fmt.Errorf("%w (%w)", err, cause)
		}
		return nil, nil, err
	}
	w.open.Store(true)
	return c, w, nil
}

// final reports whether another attempt would end the same way.
func final(err error) bool {
	var dns *net.DNSError
	var addr *net.AddrError
	var op *net.OpError
	return errors.Is(err, errWrongCertificate) || errors.Is(err, errNobodyListens) || errors.As(err, &dns) || errors.As(err, &addr) ||
		errors.As(err, &op) && op.Op == "dial" && !op.Timeout() // an attempt that began as the time ran out says nothing about the network
}

// reason says why there is no connection, in words for the player.
func (d *dialer) reason(err error) transport.Reason {
	var dns *net.DNSError
	var addr *net.AddrError
	switch {
	case errors.Is(err, errWrongCertificate):
		return transport.Reason{Code: transport.Unauthorized, Text: "this is not the server that made the join link: ask for a new link"}
	case errors.Is(err, errNobodyListens):
		return transport.Reason{Code: transport.Failed, Text: "nothing listens at that address and port: start the server, or ask for a new link"}
	case errors.As(err, &dns), errors.As(err, &addr):
		return transport.Reason{Code: transport.Failed, Text: "there is no such address: check the join link and this computer's network"}
	case final(err):
		return transport.Reason{Code: transport.Failed, Text: "no way to the server's network: check this computer's network"}
	case d.answered:
		return transport.Reason{Code: transport.TimedOut, Text: "the server answers, but does not let in: it is busy or full, try again later"}
	}
	return transport.Reason{Code: transport.TimedOut, Text: "no answer: is the server running, and does every firewall on the way let UDP pass?"}
}
