package dtls

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/dtls/v3/pkg/protocol/handshake"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// retryPause is how long a client waits after a failed handshake before it begins another.
const retryPause = 250 * time.Millisecond

// firstAnswer is how long the client waits for the first answer of one of several addresses.
const firstAnswer = 2 * time.Second

var errNobodyListens = errors.New("dtls: nobody listens")

// Dial connects to a server at HOST:PORT whose certificate has the fingerprint. It does not wait:
// the connection is Connecting at first. It becomes Open, or Closed with a reason that names the
// remedy. Each Dial uses a local port of its own.
func Dial(addr string, pin joinlink.Fingerprint, c Config) *Conn {
	c = c.withDefaults()
	owner, worker := mailbox.New(mailboxConfig(c, overheadToServer, addr), transport.Connecting)
	d := &dialer{addr: addr, pin: pin, config: c, worker: worker, lookup: net.DefaultResolver.LookupNetIP}
	go d.run()
	return &Conn{owner}
}

// dialer makes one client's connection.
type dialer struct {
	addr     string
	pin      joinlink.Fingerprint
	config   Config
	worker   *mailbox.Worker
	answered bool // the server sent a cookie

	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// maxAddresses is the maximum number of the server's addresses that are tried.
const maxAddresses = 4

// run connects, and carries the connection until it ends.
func (d *dialer) run() {
	defer d.worker.Finish()
	if d.pin.IsZero() {
		d.worker.End(transport.Reason{Code: transport.Unauthorized, Text: "no fingerprint of the server's certificate: use the join link that the server printed"})
		return
	}
	ctx, cancel := context.WithTimeout(d.worker.Context(), d.config.DialTimeout)
	defer cancel()
	addrs, err := d.resolve(ctx)
	if err != nil {
		reason, _ := d.reason(err)
		d.worker.End(reason)
		return
	}
	hopeless := map[string]bool{}
	for k := 0; ; k++ {
		addr := addrs[k%len(addrs)]
		c, wire, err := d.attempt(ctx, addr, len(addrs) > 1)
		if err == nil {
			d.worker.Open()
			carry(c, d.worker, wire)
			return
		}
		d.config.Log.Debug("dtls: cannot connect", "server", d.addr, "error", err)
		reason, final := d.reason(err)
		hopeless[addr] = final
		over := ctx.Err() != nil || errors.Is(err, errWrongCertificate) || !slices.ContainsFunc(addrs, func(a string) bool { return !hopeless[a] })
		if !over {
			select {
			case <-time.After(retryPause):
			case <-ctx.Done():
				over = true
			}
		}
		if over {
			d.worker.End(reason)
			return
		}
	}
}

// resolve returns the server's addresses. A name may have an IPv6 address that does not lead to the
// server, and UDP does not report that.
func (d *dialer) resolve(ctx context.Context) ([]string, error) {
	host, port, err := net.SplitHostPort(d.addr)
	if err != nil {
		return nil, err
	}
	if _, err := net.DefaultResolver.LookupPort(ctx, "udp", port); err != nil {
		return nil, err
	}
	ips, err := d.lookup(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	addrs := []string{d.addr} // without any, the system resolves the name itself
	for i, ip := range ips[:min(len(ips), maxAddresses)] {
		addrs = append(addrs[:i], net.JoinHostPort(ip.Unmap().String(), port))
	}
	return addrs, nil
}

// attempt makes one handshake on a socket of its own. If there are other addresses to try, it does
// not wait for a first answer until DialTimeout.
func (d *dialer) attempt(ctx context.Context, addr string, others bool) (*dtls.Conn, *wire, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	socket, err := new(net.Dialer).DialContext(ctx, "udp", addr)
	if err != nil {
		return nil, nil, err
	}
	w := newWire(socket.(*net.UDPConn), cancel)
	patience := d.config.DialTimeout
	if others {
		patience = min(patience, firstAnswer)
	}
	limit := time.AfterFunc(patience, func() { cancel(context.DeadlineExceeded) })
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

// reason returns why there is no connection, in words for the player, and whether another attempt
// would end the same way.
func (d *dialer) reason(err error) (r transport.Reason, final bool) {
	var dns *net.DNSError
	var addr *net.AddrError
	var op *net.OpError
	switch {
	case errors.Is(err, errWrongCertificate):
		return transport.Reason{Code: transport.Unauthorized, Text: "this is not the server that made the join link: ask for a new link"}, true
	case errors.Is(err, errNobodyListens):
		return transport.Reason{Code: transport.Failed, Text: "nothing listens at that address and port: start the server, or ask for a new link"}, true
	case errors.As(err, &dns), errors.As(err, &addr):
		return transport.Reason{Code: transport.Failed, Text: "there is no such address: check the join link and this computer's network"}, true
	case errors.As(err, &op) && op.Op == "dial" && !op.Timeout():
		// A timeout here is that of an attempt that began as the time ran out, and another one may
		// succeed.
		return transport.Reason{Code: transport.Failed, Text: "no way to the server's network: check this computer's network"}, true
	case d.answered:
		return transport.Reason{Code: transport.TimedOut, Text: "the server answers, but does not let in: it is busy or full, try again later"}, false
	}
	return transport.Reason{Code: transport.TimedOut, Text: "no answer: is the server running, and does every firewall on the way let UDP pass?"}, false
}
