package play

import (
	"flag"
	"net"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// webSocket are the flags of whoever serves over WebSocket.
type webSocket struct {
	addr, path, origin, proxy string
	certificate, key          string
	own                       bool

	origins []string
	before  *joinlink.Link // what the link is behind a proxy, but for the token; nil: there is none
}

func (w *webSocket) flags(fs *flag.FlagSet) {
	fs.StringVar(&w.addr, "websocket", "", "`address` for WebSocket, beside -listen or, with -listen '', instead of it")
	fs.StringVar(&w.path, "path", "", "`path` at which WebSocket is answered (default /, or that of -proxy)")
	fs.StringVar(&w.origin, "origin", "", "`hosts` whose web pages may use the WebSocket, besides its own: play.example.org,*.example.org")
	fs.StringVar(&w.certificate, "tls-cert", "", "`file` with the certificate and its chain (PEM) that an authority has issued: WebSocket with TLS")
	fs.StringVar(&w.key, "tls-key", "", "`file` with the certificate's key (PEM)")
	fs.BoolVar(&w.own, "tls", false, "WebSocket with TLS by the server's own certificate, whose fingerprint is in the link; for programs, not for browsers")
	fs.StringVar(&w.proxy, "proxy", "", "`address` of the proxy that stands before the WebSocket and does TLS, such as wss://play.example.org/arena; its X-Forwarded-For is believed")
}

func (w *webSocket) check() error {
	if w.addr == "" {
		for _, f := range [...]struct{ name, value string }{{"path", w.path}, {"origin", w.origin}, {"tls-cert", w.certificate}, {"tls-key", w.key}, {"proxy", w.proxy}} {
			if f.value != "" {
				return badf("-%s: it is for WebSocket; give -websocket an address, too", f.name)
			}
		}
		if w.own {
			return badf("-tls: it is for WebSocket; give -websocket an address, too (what -listen serves is always encrypted)")
		}
		return nil
	}
	if _, _, err := net.SplitHostPort(w.addr); err != nil {
		return badf("-websocket %q: it takes HOST:PORT or :PORT, such as 127.0.0.1:8080", w.addr)
	}
	switch {
	case (w.certificate == "") != (w.key == ""):
		return badf("-tls-cert and -tls-key: a certificate needs its key, and a key its certificate; give both files")
	case w.own && w.certificate != "":
		return badf("-tls: with -tls-cert there is a certificate already; leave one of them out")
	case w.proxy != "" && (w.own || w.certificate != ""):
		return badf("-proxy: the proxy does TLS; leave out -tls, -tls-cert and -tls-key")
	}
	for _, host := range strings.Split(w.origin, ",") {
		if host = strings.TrimSpace(host); host == "" {
			continue
		}
		if _, err := path.Match(host, ""); err != nil || strings.ContainsAny(host, "/ ") {
			return badf("-origin %q: it takes hosts, such as play.example.org or *.example.org, with commas between them and no https://", host)
		}
		w.origins = append(w.origins, host)
	}
	return w.checkProxy()
}

// checkProxy makes the proxy's address a link, and completes the path.
func (w *webSocket) checkProxy() error {
	if w.proxy != "" {
		u, err := url.Parse(w.proxy)
		if err != nil || u.Scheme != "wss" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return badf("-proxy %q: it takes the address that players reach, such as wss://play.example.org/arena or wss://play.example.org:8443/", w.proxy)
		}
		l := joinlink.Link{Transport: joinlink.WSS, Host: u.Hostname(), Port: 443, Path: u.Path}
		if l.Path == "" {
			l.Path = "/"
		}
		if text := u.Port(); text != "" {
			port, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return badf("-proxy %q: %s is no port", w.proxy, text)
			}
			l.Port = uint16(port)
		}
		if err := l.Validate(); err != nil {
			return badf("-proxy: %w", err)
		}
		w.before = &l
		if w.path == "" {
			w.path = l.Path // proxies pass it on, unless they are told otherwise
		}
	}
	if w.path == "" {
		w.path = "/"
	}
	if err := (joinlink.Link{Transport: joinlink.WS, Host: "localhost", Port: 1, Path: w.path}).Validate(); err != nil {
		return badf("-path: %w", err)
	}
	return nil
}

// exposed reports whether others than this machine could read what passes.
func (w *webSocket) exposed() bool {
	if w.own || w.certificate != "" || w.before != nil {
		return false
	}
	host, _, _ := net.SplitHostPort(w.addr)
	addr, err := netip.ParseAddr(host)
	return host != "localhost" && (err != nil || !addr.IsLoopback())
}
