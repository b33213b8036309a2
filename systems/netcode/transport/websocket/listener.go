//go:build !js

package websocket

import (
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/backlog"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/warn"
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

	otherPage, otherPath, unreadable, unnamed warn.Warning
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
	taker, conn := hijack(w, l.config)
	ws, err := websocket.Accept(taker, r, &websocket.AcceptOptions{OriginPatterns: l.config.Origins, CompressionMode: websocket.CompressionDisabled})
	if err != nil { // the library has answered
		l.failed.Add(1)
		l.config.Log.Debug("websocket: no connection", "client", addr, "error", err)
		if taker.status == http.StatusForbidden { // the library's answer to a page alone
			l.otherPage.Log(l.config.Log, "websocket: refused a page of another host",
				"page", warn.Text(r.Header.Get("Origin")), "host", warn.Text(r.Host), "client", addr,
				"remedy", "if the page is yours, add its host to Origins, or give Proxy the address under which players reach this server")
		}
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

// clientOf returns the client's address, or the zero address if it cannot be read. A client that
// the proxy does not name has the proxy's.
func (l *Listener) clientOf(r *http.Request) netip.AddrPort {
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	peer = netip.AddrPortFrom(peer.Addr().WithZone("").Unmap(), peer.Port())
	if !l.config.BehindProxy {
		return peer
	}
	client, header, err := forwarded(r.Header)
	switch {
	case err != nil:
		l.unreadable.Log(l.config.Log, "websocket: the proxy's address of a client cannot be read, so the client is refused",
			"header", header, "value", warn.Text(lastOf(r.Header[header])), "error", err, "proxy", peer,
			"remedy", "let the proxy write the address at the end of X-Forwarded-For, and remove the header Forwarded; or write Forwarded, and remove X-Forwarded-For")
	case !client.IsValid():
		l.unnamed.Log(l.config.Log, "websocket: the proxy does not name its clients, so all of them count as one",
			"value", warn.Text(lastOf(r.Header[header])), "proxy", peer,
			"remedy", "let the proxy write the client's address at the end of X-Forwarded-For, or set no Proxy if there is none")
		return peer
	}
	return client
}

// lastOf returns the last line of a header.
func lastOf(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
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
		status, why = http.StatusBadRequest, "the client's address cannot be read; the server's log has the remedy"
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
