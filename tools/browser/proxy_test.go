package browser

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
)

// Behind a proxy that has the server under a path, beside another site, the page and its match are
// below that path. The proxy writes the server's Host, and takes the path off or passes it on.
func TestMatchUnderAPath(t *testing.T) {
	for name, test := range map[string]struct {
		path      string
		off       bool
		transport string
	}{
		"passed on":              {"/game/", false, "websocket"},
		"taken off, UDP past it": {"/a/b/", true, "webtransport"},
	} {
		t.Run(name, func(t *testing.T) {
			front := httptest.NewUnstartedServer(nil)
			defer front.Close()
			address := udpLike(t, front)
			args := []string{"-web", "127.0.0.1:0", "-proxy", "wss://" + address + test.path}
			if test.transport == "webtransport" {
				args = append(args, "-web-udp", address)
			}
			server := serve(t, args...)
			_, inner, _ := strings.Cut(server.output(), "ws://")
			inner, _, _ = strings.Cut(inner, "/")
			forward := http.Handler(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(&url.URL{Scheme: "http", Host: inner}) // and the Host
				r.SetXForwarded()
			}})
			if test.off {
				forward = http.StripPrefix(strings.TrimSuffix(test.path, "/"), forward)
			}
			mux := http.NewServeMux()
			mux.Handle(test.path, forward)
			front.Config.Handler = mux
			front.Start()
			printed, token := server.link("https")
			if printed != address || !strings.Contains(server.output(), "https://"+address+test.path+"#"+token) {
				t.Errorf("the link is not at the proxy, under its path:\n%s", server.output())
			}
			// The browser does not know the proxy's certificate, so the proxy has none here.
			p := open(t, "http://"+address+test.path+"?autopilot#"+token)
			if test.transport == "websocket" {
				p.allow("status of 404") // for the fingerprints of WebTransport
			}
			s := p.await("a match", playing)
			p.await("snapshots", func(now state) bool { return playing(now) && now.Snapshots > s.Snapshots+20 })
			if s.Transport != test.transport || s.Reconnects > 0 {
				t.Errorf("the state is %+v, want %s", s, test.transport)
			}
			server.players("1")
		})
	}
}

// udpLike returns the address of a server, if its port is free for UDP, too; otherwise it gives the
// server another one.
func udpLike(t *testing.T, s *httptest.Server) string {
	t.Helper()
	for range 20 {
		if socket, err := net.ListenPacket("udp", s.Listener.Addr().String()); err == nil {
			socket.Close()
			return s.Listener.Addr().String()
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s.Listener.Close()
		s.Listener = l
	}
	t.Fatal("no port is free for TCP and UDP")
	return ""
}
