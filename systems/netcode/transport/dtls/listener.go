package dtls

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pion/dtls/v3"

	netaddress "github.com/tandem-ecs/tandem/systems/netcode/internal/address"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/backlog"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// Listener accepts connections on one UDP socket. It implements [transport.Listener].
type Listener struct {
	config Config
	front  *front
	conns  *backlog.Backlog
	failed atomic.Uint64

	life   context.Context // of the handshakes
	cancel context.CancelFunc
}

var _ transport.Listener = (*Listener)(nil)

// Listen listens on a UDP address such as ":7777". It returns an error if the address is not free
// or the certificate cannot be used.
func Listen(addr string, c Config) (*Listener, error) {
	udp, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("dtls: %q is no address to listen on, want HOST:PORT or :PORT: %w", addr, err)
	}
	socket, err := net.ListenUDP("udp", udp)
	if err != nil {
		return nil, fmt.Errorf("dtls: cannot listen on %s: choose another port, or stop what uses this one, if the address is this machine's: %w", addr, err)
	}
	// A burst of hellos must not displace players' datagrams from the kernel's queue. A system may
	// allow less than this.
	_ = socket.SetReadBuffer(4 << 20)
	_ = socket.SetWriteBuffer(4 << 20)
	l, err := listenOn(socketOf(socket), c)
	if err != nil {
		_ = socket.Close()
	}
	return l, err
}

// listenOn listens on a socket. The listener then owns the socket, unless there is an error.
func listenOn(s socket, c Config) (*Listener, error) {
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
	l := &Listener{config: c, conns: backlog.New(c.Backlog)}
	l.life, l.cancel = context.WithCancel(context.Background())
	l.front = newFront(s, c, func(lane *lane) {
		if l.conns.Begin() {
			go l.serve(lane)
		}
	})
	go func() {
		l.front.run()
		l.cancel() // the socket is closed: nothing will arrive any more
		l.front.abandon()
	}()
	return l, nil
}

// Fingerprint returns the fingerprint of the server's certificate, which clients check.
func (l *Listener) Fingerprint() joinlink.Fingerprint { return FingerprintOf(l.config.Certificate) }

// Link returns the join link with which clients connect. The host is this machine's IP address or a
// DNS name in ASCII. An empty host means the address on which the listener listens. If it listens
// on all of them, an empty host means 127.0.0.1, which only clients on the same machine can use.
// The token is for the layer above: letters, digits and -._~, or empty. [joinlink.Link.Validate]
// checks host and token.
func (l *Listener) Link(host, token string) joinlink.Link {
	link := joinlink.Link{Transport: joinlink.DTLS, Fingerprint: l.Fingerprint(), Token: token}
	link.Host, link.Port = netaddress.InLink(l.Addr(), host)
	return link
}

// Poll implements [transport.Listener]. The time is ignored.
func (l *Listener) Poll(now time.Duration) { l.conns.Poll(now) }

// Accept implements [transport.Listener].
func (l *Listener) Accept() (transport.Conn, bool) { return l.conns.Accept() }

// Addr implements [transport.Listener]: "127.0.0.1:7777".
func (l *Listener) Addr() string { return l.front.socket.LocalAddr().String() }

// Close implements [transport.Listener]. It does not wait for the reason to be sent; see
// [Listener.Done].
func (l *Listener) Close(reason transport.Reason) {
	l.front.stop()
	l.cancel()
	l.conns.Close(reason, func() { _ = l.front.socket.Close() })
}

// Done returns a channel that is closed when the listener and its socket are closed and its
// connections' goroutines have ended. A program that exits after Close waits for it, so that the
// clients receive the reason.
func (l *Listener) Done() <-chan struct{} { return l.conns.Done() }

// Stats implements [transport.Listener].
func (l *Listener) Stats() transport.ListenerStats {
	traffic, half := l.front.stats()
	accepted, waiting := l.conns.Stats()
	return transport.ListenerStats{
		Accepted: accepted, Refused: traffic.unanswered + traffic.refused, Failed: l.failed.Load(), Pending: half + waiting,
		Hellos: traffic.hellos, Challenges: traffic.challenged, Unanswered: traffic.unanswered, Strays: traffic.strays,
	}
}

// serve makes one client's handshake and carries its connection.
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
