//go:build !js

package websocket

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/warn"
)

// Listen listens on a TCP address such as ":8080", with an HTTP server of its own that serves
// connections at Config.Path, and Config.Page. TCP connections are bounded before TLS begins. It
// returns an error if the address is not free or the path is not valid.
func Listen(addr string, c Config) (*Listener, error) {
	c = c.withDefaults()
	if !strings.HasPrefix(c.Path, "/") {
		return nil, fmt.Errorf("websocket: %q is no path: begin it with /", c.Path)
	}
	if c.Prefix != "" && (!strings.HasPrefix(c.Prefix, "/") || strings.HasPrefix(c.Prefix, "//") || strings.HasSuffix(c.Prefix, "/")) {
		return nil, fmt.Errorf("websocket: %q is no prefix: begin it with one /, and end it without, as in /game", c.Prefix)
	}
	if c.Page != nil {
		c.Page = pageBelow(c.Prefix, c.Page)
	}
	socket, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("websocket: cannot listen on %s: want HOST:PORT or :PORT, an address of this machine and a port that nothing else uses: %w", addr, err)
	}
	l := NewHandler(c)
	gate := &gate{Listener: socket, of: l, admission: admission.New(c.Upgrades, c.NetworkUpgrades)}
	scheme, outer := "ws", net.Listener(gate)
	if c.TLS != nil {
		security := c.TLS.Clone()
		// A WebSocket needs a connection of its own, so there is no HTTP/2. An authority may ask
		// for a challenge of ACME.
		security.NextProtos = []string{"http/1.1"}
		if slices.Contains(c.TLS.NextProtos, acme) {
			security.NextProtos = append(security.NextProtos, acme)
		}
		scheme, outer = "wss", tls.NewListener(gate, security)
	}
	l.addr = scheme + "://" + socket.Addr().String() + c.Path
	pages := &pages{of: l, answering: map[netip.Prefix]int{}}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case c.Page != nil && !strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
				pages.ServeHTTP(w, r)
			case r.URL.Path == c.Path || sameBelow(c.Prefix, r.URL.Path, c.Path):
				l.ServeHTTP(w, r)
			default:
				l.astray(r)
				l.letGo(w)
				w.Header().Set("Connection", "close")
				http.NotFound(w, r)
			}
		}),
		ReadHeaderTimeout: c.HandshakeTimeout, IdleTimeout: time.Second, MaxHeaderBytes: 8 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // strangers could fill a real log
	}
	if c.Page != nil {
		server.IdleTimeout = 5 * time.Second // its files follow one another
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(outer)
	}()
	l.stop = func() {
		_ = server.Close()
		<-served
	}
	return l, nil
}

// astray warns of a request for a WebSocket at a path that accepts none. Other requests are those
// of crawlers.
func (l *Listener) astray(r *http.Request) {
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		l.otherPath.Log(l.config.Log, "websocket: a client asks for a WebSocket at a path that accepts none",
			"path", warn.Text(r.URL.Path), "want", l.config.Path, "client", r.RemoteAddr,
			"remedy", "give Proxy the address under which players reach this server, with its path, or Path the path that arrives here")
	}
}

// acme is the protocol by which an authority looks at a certificate (RFC 8737).
const acme = "acme-tls/1"

// gate accepts TCP connections within rates and up to a number, before any work is done for them.
type gate struct {
	net.Listener
	of *Listener // counts what is refused

	mu        sync.Mutex
	admission *admission.Limiter
	open      int
}

// Accept implements net.Listener. It continues after a connection that it refuses and after a
// temporary error.
func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil, err
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // for example, out of file descriptors
			continue
		}
		if !g.allow(c) {
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // leave nothing behind in the kernel
			}
			_ = c.Close()
			continue
		}
		return &gated{c, sync.OnceFunc(g.release)}, nil
	}
}

func (g *gate) allow(c net.Conn) bool {
	from, err := netip.ParseAddrPort(c.RemoteAddr().String())
	most := g.of.config.MaxConns + max(1, g.of.config.MaxConns/4)
	g.mu.Lock()
	defer g.mu.Unlock()
	// Behind a proxy all connections have one address, and the handler checks the true one.
	if err != nil || g.open >= most || !g.of.config.BehindProxy && !g.admission.Allow(time.Since(g.of.start), from.Addr()) {
		g.of.refused.Add(1)
		return false
	}
	g.open++
	return true
}

func (g *gate) release() {
	g.mu.Lock()
	g.open--
	g.mu.Unlock()
}

// gated is a connection that counts until it is closed.
type gated struct {
	net.Conn
	release func()
}

func (c *gated) Close() error {
	c.release()
	return c.Conn.Close()
}
