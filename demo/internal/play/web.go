package play

import (
	"cmp"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/tandem-ecs/tandem/demo/internal/flags"
)

// webFlags are the flags of a server that serves the game's page, too.
type webFlags struct {
	addr, dir, udp, name string
}

func (w *webFlags) flags(set *flags.Set) {
	set.StringVar(&w.addr, "web", "", "`address` for browsers: the page of -web-dir, WebSocket, and WebTransport on UDP, all on one port number; it takes the flags of WebSocket, too")
	set.StringVar(&w.dir, "web-dir", "", "`folder` that make web has written; empty: web beside this program, or bin/web")
	set.StringVar(&w.udp, "web-udp", "", "`address` for WebTransport, if it is not that of -web; its port has to be the one of the page's link; behind -proxy there is none without it")
	set.StringVar(&w.name, "tls-name", "", "this machine's DNS `name`, for which an authority (Let's Encrypt, whose terms you accept) issues certificates automatically; it needs -state, and -web on port 443 or a free port 80")
	set.Section("The page")
}

// check completes the flags of the server with those of the page.
func (w *webFlags) check(s *serverFlags) error {
	c := &s.host
	if w.addr == "" {
		for _, f := range [...]struct{ name, value string }{{"web-dir", w.dir}, {"web-udp", w.udp}, {"tls-name", w.name}} {
			if f.value != "" {
				return badf("-%s: it is for the page; give -web an address, too", f.name)
			}
		}
		return nil
	}
	host, _, err := net.SplitHostPort(w.addr)
	switch {
	case err != nil:
		return badf("-web %q: it takes HOST:PORT or :PORT, such as 127.0.0.1:8080", w.addr)
	case c.WebSocket.Addr != "":
		return badf("-websocket: -web serves WebSocket, too; leave one of them out")
	case c.WebSocket.Path != "" && c.WebSocket.Path != "/":
		return badf("-path: the page connects at its own address; leave it out, or give -proxy the path")
	case w.udp != "" && !validAddress(w.udp):
		return badf("-web-udp %q: it takes HOST:PORT or :PORT, such as :443", w.udp)
	}
	if p := &c.WebSocket.Proxy; *p != "" && !strings.HasSuffix(*p, "/") {
		*p += "/" // the page's files are below it
	}
	if w.dir, err = pageFolder(w.dir); err != nil {
		return err
	}
	if err := w.checkName(s); err != nil {
		return err
	}
	c.WebSocket.Addr = w.addr
	at, err := netip.ParseAddr(host)
	here := host == "localhost" || err == nil && at.IsLoopback()
	if !here && w.name == "" && c.WebSocket.CertFile == "" && c.WebSocket.Proxy == "" {
		c.WebSocket.SelfSigned = true
	}
	return nil
}

func validAddress(addr string) bool {
	_, _, err := net.SplitHostPort(addr)
	return err == nil
}

func (w *webFlags) checkName(s *serverFlags) error {
	c := &s.host
	_, err := netip.ParseAddr(w.name)
	switch {
	case w.name == "":
		return nil
	case err == nil || !strings.Contains(w.name, ".") || strings.ContainsAny(w.name, "/:@* "):
		return badf("-tls-name %q: it takes a DNS name that leads to this machine, such as play.example.org", w.name)
	case c.WebSocket.CertFile != "" || c.WebSocket.SelfSigned || c.WebSocket.Proxy != "":
		return badf("-tls-name: there is another certificate already; leave out -tls-cert, -tls and -proxy")
	case c.State == "":
		return badf("-tls-name: the authority issues few certificates a week, so they have to be kept over a restart; give -state a folder, too")
	case c.Public != "" && c.Public != w.name:
		return badf("-tls-name %s, -public %s: links name the host of the certificate; leave out -public", w.name, c.Public)
	}
	c.Public = w.name
	return nil
}

// pageFolder returns the folder of the page.
func pageFolder(given string) (string, error) {
	folders := []string{given}
	if given == "" {
		folders = []string{filepath.Join("bin", "web")}
		if program, err := os.Executable(); err == nil {
			folders = append([]string{filepath.Join(filepath.Dir(program), "web")}, folders...)
		}
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, "index.html")); err == nil {
			return folder, nil
		}
	}
	return "", badf("-web-dir: there is no page in %s; `make web` builds it, into bin/web", strings.Join(folders, " or "))
}

// explain says how the page's link is used, and what a browser says about its certificate.
func (w *webFlags) explain(s *serverFlags) string {
	c := &s.host.WebSocket
	switch {
	case w.addr == "":
		return ""
	case c.SelfSigned:
		return "This server has made its certificate itself, so a browser warns of it once: \"Your connection is not private\" or the like.\n" +
			"Choose Advanced, then Proceed. A certificate of an authority, by -tls-name or -tls-cert, avoids the warning."
	case c.CertFile == "" && w.name == "" && c.Proxy == "":
		return "The link with http:// is for browsers on this machine. Others need -web :PORT and -public HOST, which serve with TLS."
	}
	return ""
}

// udpAddress returns where WebTransport listens; empty: nowhere.
func (w *webFlags) udpAddress(s *serverFlags) string {
	if s.host.WebSocket.Proxy != "" {
		return w.udp
	}
	return cmp.Or(w.udp, w.addr)
}
