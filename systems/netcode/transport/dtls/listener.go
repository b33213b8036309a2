package dtls

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pion/dtls/v3"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/backlog"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// Listener takes connections on one UDP socket. It implements [transport.Listener].
type Listener struct {
	config Config
	front  *front
	conns  *backlog.Backlog[*Conn]
	failed atomic.Uint64

	life   context.Context // of the handshakes
	cancel context.CancelFunc
}

var _ transport.Listener = (*Listener)(nil)

// Listen listens on a UDP address such as ":7777". Errors: the address cannot be had, or the
// certificate cannot be used.
func Listen(addr string, c Config) (*Listener, error) {
	udp, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("dtls: %q is no address to listen on, want HOST:PORT or :PORT: %w", addr, err)
	}
	socket, err := net.ListenUDP("udp", udp)
	if err != nil {
		return nil, fmt.Errorf("dtls: cannot listen on %s: choose another port, or stop what uses this one, if the address is this machine's: %w", addr, err)
	}
	// A burst of hellos must not push players' datagrams out of the kernel's queue. Where the
	// system allows less, it is as much as it allows.
	_ = socket.SetReadBuffer(4 << 20)
	_ = socket.SetWriteBuffer(4 << 20)
	l, err := listenOn(socket, c)
	if err != nil {
		_ = socket.Close()
	}
	return l, err
}

// listenOn listens on a socket, which belongs to the listener from then on unless there is an
// error. Its addresses have to look like those of UDP.
func listenOn(conn net.PacketConn, c Config) (*Listener, error) {
	c = c.withDefaults()
	if len(c.Certificate.Certificate) == 0 && c.Certificate.PrivateKey == nil {
		var err error
		if c.Certificate, err = GenerateCertificate(nil); err != nil {
			return nil, err
		}
	}
	if err := checkCertificate(c.Certificate); err != nil {
		return nil, err
	}
	c.Certificate = tls.Certificate{Certificate: slices.Clone(c.Certificate.Certificate), PrivateKey: c.Certificate.PrivateKey}
	l := &Listener{config: c, conns: backlog.New[*Conn](c.Backlog)}
	l.life, l.cancel = context.WithCancel(context.Background())
	front, err := newFront(socketOf(conn), c, func(lane *lane) {
		if l.conns.Begin() {
			go l.serve(lane)
		}
	})
	if err != nil {
		return nil, err
	}
	l.front = front
	go func() {
		front.run()
		l.cancel() // the socket is gone: nothing will ever come again
		front.abandon()
	}()
	return l, nil
}

// Fingerprint returns what clients need to know of the server's certificate.
func (l *Listener) Fingerprint() joinlink.Fingerprint { return FingerprintOf(l.config.Certificate) }

// Link returns the join link with which clients come here. The host is how they find this machine,
// an IP address or a DNS name in ASCII; empty it is the address on which this listens, or 127.0.0.1
// if that is all of the machine's, which is of use on one machine only. The token, letters, digits
// and -._~, is for the layer above and may be empty. [joinlink.Link.Validate] says whether host and
// token will do.
func (l *Listener) Link(host, token string) joinlink.Link {
	link := joinlink.Link{Transport: joinlink.DTLS, Host: host, Fingerprint: l.Fingerprint(), Token: token}
	if at, err := netip.ParseAddrPort(l.Addr()); err == nil {
		link.Port = at.Port()
		if addr := at.Addr().Unmap().WithZone(""); host == "" && !addr.IsUnspecified() {
			link.Host = addr.String()
		}
	}
	if link.Host == "" {
		link.Host = "127.0.0.1"
	}
	return link
}

// Poll implements [transport.Listener]. The time is ignored.
func (l *Listener) Poll(now time.Duration) { l.conns.Poll(now) }

// Accept implements [transport.Listener].
func (l *Listener) Accept() (transport.Conn, bool) { return l.conns.Accept() }

// Addr implements [transport.Listener]: "127.0.0.1:7777".
func (l *Listener) Addr() string { return l.front.socket.LocalAddr().String() }

// Close implements [transport.Listener]. It returns at once; [Listener.Done] tells when everybody
// was told and the socket is closed.
func (l *Listener) Close(reason transport.Reason) {
	l.front.stop()
	l.cancel()
	l.conns.Close(reason, func() { _ = l.front.socket.Close() })
}

// Done returns a channel that is closed when the listener has closed, its connections' goroutines
// are gone, and so is its socket. A program that exits right after Close waits for it, so that the
// players are told why.
func (l *Listener) Done() <-chan struct{} { return l.conns.Done() }

// Stats implements [transport.Listener].
func (l *Listener) Stats() transport.ListenerStats {
	traffic, half := l.front.stats()
	accepted, waiting := l.conns.Stats()
	return transport.ListenerStats{
		Accepted: accepted, Refused: traffic.unanswered + traffic.refused, Failed: l.failed.Load(), Pending: half + waiting,
	}
}

// serve does one client's handshake and carries its connection.
func (l *Listener) serve(lane *lane) {
	defer l.conns.End()
	defer lane.Close()
	remote := lane.origin.String()
	c, err := dtls.ServerWithOptions(lane, address(lane.origin), serverOptions(l.config.Certificate, lane.id)...)
	if err == nil {
		ctx, cancel := context.WithTimeout(l.life, l.config.HandshakeTimeout)
		err = c.HandshakeContext(ctx)
		cancel()
		if err != nil {
			_ = c.Close()
		}
	}
	if err != nil {
		l.config.Log.Debug("dtls: handshake failed", "client", remote, "error", err)
		l.failed.Add(1)
		l.front.settled()
		return
	}
	owner, worker := mailbox.New(mailboxConfig(l.config, overheadToClient, remote), transport.Open)
	lane.open(worker)
	l.conns.Add(&Conn{owner})
	l.front.settled()
	carry(c, worker, lane)
	worker.Finish()
}
