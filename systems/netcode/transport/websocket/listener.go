//go:build !js

package websocket

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/backlog"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// Listener accepts connections from HTTP requests. It implements [transport.Listener], and
// http.Handler for requests in goroutines of their own.
type Listener struct {
	config Config
	addr   string
	start  time.Time
	stop   func() // closes what Listen opened
	conns  *backlog.Backlog

	mu        sync.Mutex
	admission *admission.Limiter
	taken     int // connections that live or are being made

	refused, failed atomic.Uint64
}

var (
	_ transport.Listener = (*Listener)(nil)
	_ http.Handler       = (*Listener)(nil)
)

// NewHandler returns a listener for a program's own http.Server. Set the server's ReadHeaderTimeout
// and MaxHeaderBytes, which prevent clients from holding connections open without a request. Mount
// the listener at the path of the join links. Close it before the server, so that the clients
// receive the reason.
func NewHandler(c Config) *Listener {
	c = c.withDefaults()
	return &Listener{
		config: c, addr: "websocket handler", start: time.Now(), stop: func() {},
		admission: admission.New(c.Upgrades, c.NetworkUpgrades), conns: backlog.New(c.Backlog),
	}
}

// ServeHTTP implements http.Handler. It turns the request into a connection, or answers with the
// reason for refusing it, and returns when the connection has ended.
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	addr := l.clientOf(r)
	if status, why := l.reserve(addr.Addr()); status != 0 {
		l.turnAway(w, addr, status, why)
		return
	}
	defer l.release()
	if l.config.Authorize != nil {
		if err := l.config.Authorize(r); err != nil {
			l.refused.Add(1)
			l.config.Log.Debug("websocket: not authorized", "client", addr, "error", err)
			l.letGo(w)
			http.Error(w, "not authorized", http.StatusUnauthorized)
			return
		}
	}
	l.letGo(w)
	w, conn := hijack(w, l.config)
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{OriginPatterns: l.config.Origins, CompressionMode: websocket.CompressionDisabled})
	if err != nil { // the library has answered
		l.failed.Add(1)
		l.config.Log.Debug("websocket: no connection", "client", addr, "error", err)
		return
	}
	overhead := overheadToClient
	if r.TLS != nil {
		overhead += overheadTLS
	}
	owner, worker := mailbox.New(mailboxConfig(l.config, overhead, addr.String()), transport.Open)
	conn.worker = worker
	l.conns.Add(&Conn{owner})
	carry(ws, worker, conn.fruitless)
	worker.Finish()
}

// clientOf returns the client's address, or the zero address if it cannot be read.
func (l *Listener) clientOf(r *http.Request) netip.AddrPort {
	addr, _ := netip.ParseAddrPort(r.RemoteAddr)
	if l.config.BehindProxy {
		if forwarded := r.Header.Values("X-Forwarded-For"); len(forwarded) > 0 {
			all := strings.Split(forwarded[len(forwarded)-1], ",")
			client, _ := netip.ParseAddr(strings.TrimSpace(all[len(all)-1]))
			addr = netip.AddrPortFrom(client, 0)
		}
	}
	return netip.AddrPortFrom(addr.Addr().Unmap().WithZone(""), addr.Port())
}

// reserve takes a place for a connection, or returns the HTTP status and the reason for refusing
// it.
func (l *Listener) reserve(addr netip.Addr) (status int, why string) {
	if !l.conns.Begin() {
		return http.StatusServiceUnavailable, "the server goes down"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.taken >= l.config.MaxConns:
		status, why = http.StatusServiceUnavailable, "the server is full"
	case !addr.IsValid():
		status, why = http.StatusBadRequest, "the client's address cannot be read"
	case !l.admission.Allow(time.Since(l.start), addr):
		status, why = http.StatusTooManyRequests, "too many connections at once"
	default:
		l.taken++
		return 0, ""
	}
	l.conns.End()
	return status, why
}

func (l *Listener) release() {
	l.mu.Lock()
	l.taken--
	l.mu.Unlock()
	l.conns.End()
}

func (l *Listener) turnAway(w http.ResponseWriter, addr netip.AddrPort, status int, why string) {
	l.refused.Add(1)
	l.config.Log.Debug("websocket: turned away", "client", addr, "reason", why)
	l.letGo(w)
	w.Header().Set("Connection", "close")
	w.Header().Set("Retry-After", "1")
	http.Error(w, why, status)
}

// letGo bounds how long the HTTP server waits for the rest of a request, which it reads before it
// answers or closes: some requests announce a body that never arrives. A request that becomes a
// WebSocket is not bound by it.
func (l *Listener) letGo(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(l.config.HandshakeTimeout))
}

// Poll implements [transport.Listener]. The time is ignored.
func (l *Listener) Poll(now time.Duration) { l.conns.Poll(now) }

// Accept implements [transport.Listener].
func (l *Listener) Accept() (transport.Conn, bool) { return l.conns.Accept() }

// Addr implements [transport.Listener]. It returns an address such as "ws://127.0.0.1:8080/" for
// [Listen], and a name that cannot be dialed for [NewHandler], whose path is not known.
func (l *Listener) Addr() string { return l.addr }

// Close implements [transport.Listener]. It does not wait for the reason to be sent; see
// [Listener.Done].
func (l *Listener) Close(reason transport.Reason) { l.conns.Close(reason, l.stop) }

// Done returns a channel that is closed when the listener and its sockets are closed and its
// connections' goroutines have ended. A program that exits after Close waits for it, so that the
// clients receive the reason.
func (l *Listener) Done() <-chan struct{} { return l.conns.Done() }

// Stats implements [transport.Listener].
func (l *Listener) Stats() transport.ListenerStats {
	accepted, waiting := l.conns.Stats()
	return transport.ListenerStats{Accepted: accepted, Refused: l.refused.Load(), Failed: l.failed.Load(), Pending: waiting}
}
