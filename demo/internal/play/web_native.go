//go:build !js

package play

import (
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"

	"github.com/tandem-ecs/tandem/demo/internal/issued"
	"github.com/tandem-ecs/tandem/systems/netcode/host"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

// open completes a host's configuration with the page and its certificate, and listens for
// WebTransport on the page's port. The listener is nil if there is none.
func (w *webFlags) open(c *host.Config, udp string, log *slog.Logger) (transport.Listener, error) {
	if w.addr == "" {
		return nil, nil
	}
	page, err := host.NewPage(os.DirFS(w.dir))
	if err != nil {
		return nil, badf("-web-dir %s: %w; `make web` builds one", w.dir, err)
	}
	c.WebSocket.Page = page
	if w.name != "" {
		if c.WebSocket.TLS, err = issued.Open(issued.Config{Name: w.name, State: c.State, Addr: w.addr, Log: log}); err != nil {
			return nil, badf("-tls-name %s: %w", w.name, err)
		}
	}
	if udp == "" {
		return nil, nil
	}
	if udp == w.addr {
		if udp, err = samePort(udp); err != nil {
			return nil, badf("-web %s: %w", w.addr, err)
		}
		c.WebSocket.Addr = udp
	}
	certificates, err := webtransport.NewCertificates(nil)
	if err != nil {
		return nil, err
	}
	config := webtransport.Config{Certificates: certificates, Origins: c.WebSocket.Origins, Log: log}
	// UDP comes past the proxy, for the page's address.
	if proxy, err := url.Parse(c.WebSocket.Proxy); err == nil {
		config.Path = path.Join("/", proxy.Path, "webtransport")
	}
	if n := c.JoinRate; n > 0 {
		config.NetworkHandshakes = webtransport.Rate{PerSecond: n, Burst: max(4, 32*n/10)}
		config.Handshakes = webtransport.Rate{PerSecond: max(100, n), Burst: max(200, 4*n)}
	}
	l, err := webtransport.Listen(udp, config)
	if err != nil {
		return nil, badf("-web %s: %w", udp, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", page)
	mux.Handle("/webtransport", certificates)
	c.WebSocket.Page = mux
	return l, nil
}

// samePort returns an address whose port is that of a free one of TCP in the place of 0, so that
// UDP gets the same.
func samePort(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port != "0" {
		return addr, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", err
	}
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(host, port), l.Close()
}
