//go:build !js

package webtransport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/backlog"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/warn"
)

// Listener accepts connections on one UDP socket. It implements [transport.Listener].
type Listener struct {
	config Config
	start  time.Time
	socket net.PacketConn
	quic   *quic.Transport
	queue  *quic.Listener
	server *webtransport.Server
	conns  *backlog.Backlog

	life   context.Context // of connections that are not open yet
	cancel context.CancelFunc

	mu         sync.Mutex
	visitors   map[netip.AddrPort]*visitor // by where their packets come from
	strangers  *admission.Limiter          // packets of others
	admission  *admission.Limiter
	unverified admission.Bucket
	taken      int // connections that live or are being made
	half       int // of them those that are being made
	hellos     uint64
	challenges uint64 // of them those whose senders have to prove their address first
	unanswered uint64 // packets of strangers that were dropped, because too many arrived

	refused, failed atomic.Uint64
	otherPage       warn.Warning
}

var _ transport.Listener = (*Listener)(nil)

// Listen listens on a UDP address such as ":8080". The web server whose pages connect has the same
// port number on TCP, and Config.Certificates mounted at Config.Path. Listen returns an error if
// the address is not free or the path is not valid.
func Listen(addr string, c Config) (*Listener, error) {
	c = c.withDefaults()
	if !strings.HasPrefix(c.Path, "/") {
		return nil, fmt.Errorf("webtransport: %q is no path: begin it with /", c.Path)
	}
	if err := checkOrigins(c.Origins); err != nil {
		return nil, err
	}
	if c.Certificates == nil {
		var err error
		if c.Certificates, err = NewCertificates(nil); err != nil {
			return nil, err
		}
	}
	udp, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("webtransport: %q is no address to listen on, want HOST:PORT or :PORT: %w", addr, err)
	}
	socket, err := net.ListenUDP("udp", udp)
	if err != nil {
		return nil, fmt.Errorf("webtransport: cannot listen on %s: choose another port, or stop what uses this one, if the address is this machine's: %w", addr, err)
	}
	l, err := listenOn(socket, c)
	if err != nil {
		_ = socket.Close()
	}
	return l, err
}

// listenOn listens on a socket. The listener then owns the socket, unless there is an error.
func listenOn(socket net.PacketConn, c Config) (*Listener, error) {
	l := &Listener{
		config: c, start: time.Now(), socket: socket, conns: backlog.New(c.Backlog),
		visitors: map[netip.AddrPort]*visitor{}, strangers: admission.New(c.Strangers, c.NetworkStrangers),
		admission: admission.New(c.Handshakes, c.NetworkHandshakes), unverified: admission.NewBucket(c.Unverified),
	}
	l.life, l.cancel = context.WithCancel(context.Background())
	l.quic = &quic.Transport{Conn: guard(socket, l.pass), VerifySourceAddress: l.mustVerify, ConnContext: l.admit}
	l.server = &webtransport.Server{
		H3: &http3.Server{
			Handler: http.HandlerFunc(l.serveHTTP), MaxHeaderBytes: 8 << 10,
			Logger: slog.New(slog.DiscardHandler), // strangers could fill a real log
			ConnContext: func(ctx context.Context, conn *quic.Conn) context.Context {
				return context.WithValue(ctx, visitorKey{}, visitorOf(conn.Context()))
			},
		},
		ReorderingTimeout: c.HandshakeTimeout,
		CheckOrigin:       func(r *http.Request) bool { return allowed(r, c.Origins) },
	}
	webtransport.ConfigureHTTP3Server(l.server.H3)
	var err error
	l.queue, err = l.quic.Listen(
		&tls.Config{GetCertificate: c.Certificates.Get, NextProtos: []string{http3.NextProtoH3}, MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true},
		settings(c.HandshakeTimeout, func(ctx context.Context) *sent { return visitorOf(ctx).sent }),
	)
	if err != nil {
		return nil, fmt.Errorf("webtransport: cannot listen: %w", err)
	}
	go l.run()
	return l, nil
}

var errRefused = errors.New("webtransport: refused")

// mustVerify reports whether a stranger has to prove first that it can be reached at its address.
func (l *Listener) mustVerify(net.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hellos++
	if l.unverified.Allow(time.Since(l.start), 1) {
		return false
	}
	l.challenges++
	return true
}

// admit takes a place for a client whose first packet has arrived, or refuses it. The library calls
// it before it spends anything on the handshake.
func (l *Listener) admit(ctx context.Context, client *quic.ClientInfo) (context.Context, error) {
	addr := addressOf(client.RemoteAddr)
	l.mu.Lock()
	defer l.mu.Unlock()
	if client.AddrVerified { // mustVerify was not asked
		l.hellos++
	}
	if l.life.Err() != nil || l.taken >= l.config.MaxConns || l.half >= l.config.HalfOpen ||
		!l.admission.Allow(time.Since(l.start), addr.Addr()) {
		l.refused.Add(1)
		l.config.Log.Debug("webtransport: turned away", "client", addr)
		return nil, errRefused
	}
	l.taken++
	l.half++
	v := &visitor{
		listener: l, sent: newSent(), addr: addr,
		budget: admission.NewBudget(l.config.ClientPackets, l.config.ClientBytes),
		misuse: admission.NewBucket(Rate{PerSecond: 1, Burst: maxMisused}),
	}
	l.visitors[addr] = v
	v.settled = sync.OnceFunc(func() {
		l.mu.Lock()
		l.half--
		l.mu.Unlock()
	})
	context.AfterFunc(ctx, func() { // the handshake failed, or the connection ended
		v.settled()
		l.mu.Lock()
		l.taken--
		l.forget(v)
		l.mu.Unlock()
		if v.worker.Load() == nil {
			l.failed.Add(1)
			l.config.Log.Debug("webtransport: no connection", "client", addr, "error", context.Cause(ctx))
		}
	})
	return context.WithValue(ctx, visitorKey{}, v), nil
}

// run takes over the connections whose handshakes are complete.
func (l *Listener) run() {
	for {
		conn, err := l.queue.Accept(context.Background())
		if err != nil {
			return // closed, or the socket broke
		}
		if !l.conns.Begin() {
			_ = conn.CloseWithError(0, "")
			continue
		}
		go func() {
			defer l.conns.End()
			l.serve(conn)
		}()
	}
}

// serve carries a connection until it ends. Until it has a session its time is bounded.
func (l *Listener) serve(conn *quic.Conn) {
	v := visitorOf(conn.Context())
	v.conn = conn
	late := time.AfterFunc(l.config.HandshakeTimeout, func() {
		if v.worker.Load() == nil {
			_ = conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeExcessiveLoad), "no session")
		}
	})
	defer late.Stop()
	stop := context.AfterFunc(l.life, func() {
		if v.worker.Load() == nil {
			_ = conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
		}
	})
	defer stop()
	_ = l.server.ServeQUICConn(conn)
	_ = conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
}

// serveHTTP turns the one request of a connection into a session, and carries it until it ends.
func (l *Listener) serveHTTP(w http.ResponseWriter, r *http.Request) {
	v := visitorOf(r.Context())
	if r.URL.Path != l.config.Path || r.Method != http.MethodConnect || v.asks.Swap(true) {
		http.NotFound(w, r)
		return
	}
	if !allowed(r, l.config.Origins) {
		l.otherPage.Log(l.config.Log, "webtransport: refused a page of another host",
			"page", warn.Text(r.Header.Get("Origin")), "host", warn.Text(r.Host), "client", r.RemoteAddr,
			"remedy", "if the page is yours, add its host to Origins")
		http.Error(w, "this site's pages may not connect", http.StatusForbidden)
		return
	}
	if !l.conns.Begin() {
		return
	}
	defer l.conns.End()
	s, err := l.server.Upgrade(w, r)
	if err != nil {
		l.config.Log.Debug("webtransport: no session", "client", r.RemoteAddr, "error", err)
		http.Error(w, "no session", http.StatusBadRequest)
		return
	}
	owner, worker := mailbox.New(mailboxConfig(l.config.SendQueue, l.config.ReceiveQueue, r.RemoteAddr), transport.Open)
	v.worker.Store(worker)
	l.conns.Add(&Conn{owner})
	v.settled()
	carry(v.conn, s, worker, v.sent, side{
		arrived: v.follow, misused: v.misused, tell: tellPage,
		stream: func(stream *webtransport.ReceiveStream) { stream.CancelRead(0); v.misused() },
	})
	worker.Finish()
}

// Poll implements [transport.Listener]. The time is ignored.
func (l *Listener) Poll(now time.Duration) { l.conns.Poll(now) }

// Accept implements [transport.Listener].
func (l *Listener) Accept() (transport.Conn, bool) { return l.conns.Accept() }

// Addr implements [transport.Listener]: "https://127.0.0.1:8080/webtransport", the address that
// clients dial if the web server has the same port.
func (l *Listener) Addr() string { return "https://" + l.socket.LocalAddr().String() + l.config.Path }

// Close implements [transport.Listener]. It does not wait for the reason to be sent; see
// [Listener.Done].
func (l *Listener) Close(reason transport.Reason) {
	l.cancel()
	_ = l.queue.Close()
	l.conns.Close(reason, func() {
		_ = l.server.Close()
		_ = l.quic.Close()
		_ = l.socket.Close()
	})
}

// Done returns a channel that is closed when the listener and its socket are closed and its
// connections' goroutines have ended. A program that exits after Close waits for it, so that the
// clients receive the reason.
func (l *Listener) Done() <-chan struct{} { return l.conns.Done() }

// Stats implements [transport.Listener].
func (l *Listener) Stats() transport.ListenerStats {
	accepted, waiting := l.conns.Stats()
	l.mu.Lock()
	defer l.mu.Unlock()
	return transport.ListenerStats{
		Accepted: accepted, Refused: l.refused.Load(), Failed: l.failed.Load(), Pending: l.half + waiting,
		Hellos: l.hellos, Challenges: l.challenges, Unanswered: l.unanswered,
	}
}
