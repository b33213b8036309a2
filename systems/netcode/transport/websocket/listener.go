//go:build !js

package websocket

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// Listener takes connections from HTTP requests. It implements [transport.Listener] and
// http.Handler, whose requests come in goroutines of their own.
type Listener struct {
	config Config
	addr   string
	start  time.Time
	stop   func()        // closes what Listen opened
	before func() uint64 // how many were turned away before there was a request
	open   []*Conn

	mu        sync.Mutex
	admission *admission.Limiter
	ready     []*Conn // that wait for Accept
	taken     int     // connections that live or are being made
	stats     transport.ListenerStats
	closed    bool

	conns sync.WaitGroup
	done  chan struct{}
}

var (
	_ transport.Listener = (*Listener)(nil)
	_ http.Handler       = (*Listener)(nil)
)

// NewHandler returns a listener for a program's own http.Server, whose ReadHeaderTimeout and
// MaxHeaderBytes should be set: they are what keeps strangers from holding connections open. Mount
// it where the join links say. Close it before the server, so that the players are told why.
func NewHandler(c Config) *Listener {
	c = c.withDefaults()
	return &Listener{
		config: c, addr: "websocket handler", start: time.Now(), stop: func() {}, before: func() uint64 { return 0 },
		admission: admission.New(c.Upgrades, c.NetworkUpgrades), done: make(chan struct{}),
	}
}

// ServeHTTP implements http.Handler: it makes the request a connection, or answers why not, and
// returns when the connection has ended.
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	addr := l.clientOf(r)
	if status, why := l.reserve(addr.Addr()); status != 0 {
		l.turnAway(w, addr, status, why)
		return
	}
	defer l.release()
	if l.config.Authorize != nil {
		if err := l.config.Authorize(r); err != nil {
			l.count(func(s *transport.ListenerStats) { s.Refused++ })
			l.config.Log.Debug("websocket: not authorized", "client", addr, "error", err)
			l.letGo(w)
			http.Error(w, "not authorized", http.StatusUnauthorized)
			return
		}
	}
	l.letGo(w)
	w, conn := hijack(w, l.config)
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{OriginPatterns: l.config.Origins, CompressionMode: websocket.CompressionDisabled})
	if err != nil { // it has answered
		l.count(func(s *transport.ListenerStats) { s.Failed++ })
		l.config.Log.Debug("websocket: no connection", "client", addr, "error", err)
		return
	}
	overhead := overheadToClient
	if r.TLS != nil {
		overhead += overheadTLS
	}
	owner, worker := mailbox.New(mailboxConfig(l.config, overhead, addr.String()), transport.Open)
	conn.worker = worker
	l.admit(&Conn{owner})
	carry(ws, worker, conn.fruitless)
	worker.Finish()
}

// clientOf returns the client's address, or the zero one for what cannot be read.
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

// reserve takes a place for a connection, or returns the HTTP status that says why there is none.
func (l *Listener) reserve(addr netip.Addr) (status int, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return http.StatusServiceUnavailable, "the server goes down"
	case l.taken >= l.config.MaxConns:
		return http.StatusServiceUnavailable, "the server is full"
	case !addr.IsValid():
		return http.StatusBadRequest, "the client's address cannot be read"
	case !l.admission.Allow(time.Since(l.start), addr):
		return http.StatusTooManyRequests, "too many connections at once"
	}
	l.taken++
	l.conns.Add(1)
	return 0, ""
}

func (l *Listener) release() {
	l.mu.Lock()
	l.taken--
	l.mu.Unlock()
	l.conns.Done()
}

func (l *Listener) turnAway(w http.ResponseWriter, addr netip.AddrPort, status int, why string) {
	l.count(func(s *transport.ListenerStats) { s.Refused++ })
	l.config.Log.Debug("websocket: turned away", "client", addr, "reason", why)
	l.letGo(w)
	w.Header().Set("Connection", "close")
	w.Header().Set("Retry-After", "1")
	http.Error(w, why, status)
}

// letGo bounds how long the HTTP server waits for the rest of a request, which it reads before it
// answers or closes: some announce a body that never comes. What becomes a WebSocket is not bound
// by it.
func (l *Listener) letGo(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(l.config.HandshakeTimeout))
}

func (l *Listener) count(f func(*transport.ListenerStats)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(&l.stats)
}

// admit queues an open connection for Accept, or closes it with the reason why not.
func (l *Listener) admit(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		c.Close(transport.Reason{Code: transport.Shutdown, Text: "the server goes down"})
	case len(l.ready) >= l.config.Backlog:
		c.Close(transport.Reason{Code: transport.Refused, Text: "the server is busy: try again in a moment"})
	default:
		l.ready = append(l.ready, c)
		l.stats.Accepted++
	}
}

// Poll implements [transport.Listener]. The time is ignored.
func (l *Listener) Poll(time.Duration) {
	l.open = slices.DeleteFunc(l.open, func(c *Conn) bool { return c.State() == transport.Closed })
}

// Accept implements [transport.Listener].
func (l *Listener) Accept() (transport.Conn, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ready) == 0 {
		return nil, false
	}
	c := l.ready[0]
	l.ready = slices.Delete(l.ready, 0, 1)
	l.open = append(l.open, c)
	return c, true
}

// Addr implements [transport.Listener]: "ws://127.0.0.1:8080/" of [Listen], nothing to dial of
// [NewHandler], which does not know where it is mounted.
func (l *Listener) Addr() string { return l.addr }

// Close implements [transport.Listener]. It returns at once; [Listener.Done] tells when everybody
// was told and the sockets are closed.
func (l *Listener) Close(reason transport.Reason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	for _, conns := range []*[]*Conn{&l.ready, &l.open} {
		for _, c := range *conns {
			c.Close(reason)
		}
		*conns = nil
	}
	go func() {
		l.conns.Wait()
		l.stop()
		close(l.done)
	}()
}

// Done returns a channel that is closed when the listener has closed and its connections'
// goroutines and sockets are gone. A program that exits right after Close waits for it, so that the
// players are told why.
func (l *Listener) Done() <-chan struct{} { return l.done }

// Stats implements [transport.Listener].
func (l *Listener) Stats() transport.ListenerStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Pending = len(l.ready)
	s.Refused += l.before()
	return s
}
