package play

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/host"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

// pageDir returns a folder with a page.
func pageDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("<p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// serverOf reads the flags of a server.
func serverOf(args ...string) (*rateFlags, *serverFlags, error) {
	var r rateFlags
	var s serverFlags
	set := flags.New("server")
	s.flags(set, "")
	r.flags(set.FlagSet, "")
	if err := set.Read(args, io.Discard, "", ""); err != nil {
		return nil, nil, err
	}
	if err := r.check(5); err != nil {
		return nil, nil, err
	}
	return &r, &s, s.check()
}

// A server of a page says what the flags lack, before anything listens.
func TestWebMistakes(t *testing.T) {
	dir := pageDir(t)
	none := filepath.Join(dir, "none")
	web := func(more ...string) []string {
		return append([]string{"-web", "127.0.0.1:0", "-web-dir", dir}, more...)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-web", "127.0.0.1:0", "-web-dir", none}, "`make web` builds it"},
		{[]string{"-web", "127.0.0.1:0"}, "-web-dir: there is no page in"},
		{[]string{"-web", "here", "-web-dir", dir}, `-web "here": it takes HOST:PORT`},
		{[]string{"-web-dir", dir}, "-web-dir: it is for the page; give -web an address, too"},
		{[]string{"-web-udp", ":1"}, "-web-udp: it is for the page"},
		{[]string{"-tls-name", "play.example.org"}, "-tls-name: it is for the page"},
		{web("-websocket", "127.0.0.1:0"), "leave one of them out"},
		{web("-web-udp", "here"), `-web-udp "here": it takes HOST:PORT`},
		{web("-tls-name", "play.example.org"), "give -state a folder"},
		{web("-tls-name", "203.0.113.7", "-state", dir), "it takes a DNS name"},
		{web("-tls-name", "localhost", "-state", dir), "it takes a DNS name"},
		{web("-tls-name", "play.example.org", "-state", dir, "-tls"), "another certificate already"},
		{web("-tls-name", "play.example.org", "-state", dir, "-proxy", "wss://play.example.org/"), "another certificate already"},
		{web("-tls-name", "play.example.org", "-state", dir, "-public", "203.0.113.7"), "leave out -public"},
		{web("-tls-cert", "a.pem"), "a certificate needs its key"},
		{web("-proxy", "https://play.example.org/"), "it takes the address that players reach"},
		{web("-path", "/arena"), "the page connects at its own address"},
		{web("-proxy", "wss://play.example.org/arena?a=b"), "it takes the address that players reach"},
	} {
		if _, _, err := serverOf(test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.args, err, test.want)
		}
	}
	for _, args := range [][]string{web(), web("-tls"), web("-path", "/"), web("-proxy", "wss://play.example.org"), web("-proxy", "wss://play.example.org/arena"), web("-tls-cert", "a", "-tls-key", "b"), web("-tls-name", "play.example.org", "-state", dir), web("-proxy", "wss://play.example.org/", "-web-udp", ":443")} {
		if _, _, err := serverOf(args...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// This machine alone is served without TLS, and all others with the server's own certificate. The
// server says which browsers the link is for, and the link has the rate if it is not the page's.
func TestPageAddresses(t *testing.T) {
	dir := pageDir(t)
	for _, test := range []struct {
		args          []string
		link, explain string
	}{
		{[]string{"-web", "127.0.0.1:0"}, "http://127.0.0.1:PORT/#", "for browsers on this machine"},
		{[]string{"-web", "127.0.0.1:0", "-tls"}, "https://127.0.0.1:PORT/#", "Choose Advanced, then Proceed"},
		{[]string{"-web", ":0", "-public", "play.example.org"}, "https://play.example.org:PORT/#", "Choose Advanced, then Proceed"},
		{[]string{"-web", "127.0.0.1:0", "-hz", "30"}, "http://127.0.0.1:PORT/?hz=30#", "for browsers on this machine"},
		{[]string{"-web", "127.0.0.1:0", "-proxy", "wss://play.example.org/"}, "https://play.example.org/#", ""},
		{[]string{"-web", "127.0.0.1:0", "-proxy", "wss://play.example.org/game"}, "https://play.example.org/game/#", ""},
		{[]string{"-web", "127.0.0.1:0", "-proxy", "wss://play.example.org:8443/a/b/", "-hz", "30"}, "https://play.example.org:8443/a/b/?hz=30#", ""},
	} {
		r, s, err := serverOf(append(test.args, "-web-dir", dir)...)
		if err != nil {
			t.Fatal(err)
		}
		v, err := newServer(r, s, slog.New(slog.DiscardHandler), false)
		if err != nil {
			t.Fatal(err)
		}
		link := v.host.Links()[0]
		want := strings.Replace(test.link, "PORT", port(link), 1) + v.host.Token()
		if got := v.host.PageLink(); got != want {
			t.Errorf("%q: the link is %s, want %s", test.args, got, want)
		}
		if got := s.web.explain(s); !strings.Contains(got, test.explain) || (got == "") != (test.explain == "") {
			t.Errorf("%q: it explains %q, want %q", test.args, got, test.explain)
		}
		v.host.Close()
	}
}

func port(l joinlink.Link) string {
	_, port, _ := strings.Cut(l.Address(), ":")
	return port
}

// Players come over WebSocket and over WebTransport through the page's port number, with the
// page's token. A wrong token keeps a player out.
func TestPlayThroughThePage(t *testing.T) {
	r, s, err := serverOf("-web", "127.0.0.1:0", "-web-dir", pageDir(t), "-tls", "-crates", "0")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newServer(r, s, slog.New(slog.DiscardHandler), false)
	if err != nil {
		t.Fatal(err)
	}
	defer v.host.Close()
	link := v.host.Links()[0]
	browser := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer browser.CloseIdleConnections()
	answer, err := browser.Get(v.host.PageLink())
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "<p>" {
		t.Errorf("the page is %q, %v", text, err)
	}
	ways := map[string]func() transport.Conn{
		"WebSocket": func() transport.Conn {
			return websocket.Dial(link.URL(), websocket.Config{Fingerprint: link.Fingerprint})
		},
		"WebTransport": func() transport.Conn {
			return webtransport.Dial("https://"+link.Address()+"/webtransport", webtransport.Config{Fingerprint: link.Fingerprint})
		},
	}
	for name, dial := range ways {
		for token, want := range map[string]netcode.Status{v.host.Token(): netcode.Playing, "wrong": netcode.Ended} {
			me, err := view.New(view.Config{Dial: func() (transport.Conn, error) { return dial(), nil }, Token: []byte(token), Rate: r.hz, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			status := netcode.Joining
			for deadline := time.Now().Add(time.Minute); status != want && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				v.host.Update(time.Second / 60)
				me.Advance(time.Second / 60)
				status, _ = me.Net().Status()
			}
			if status != want {
				t.Errorf("%s, token %q: the player is %v, want %v", name, token, status, want)
			}
			me.Close()
		}
	}
}

// Behind a proxy with a path WebTransport is at the page's own address, since UDP comes past the
// proxy. The fingerprints come through it, with or without the path.
func TestWebTransportUnderAPath(t *testing.T) {
	for proxy, want := range map[string]string{"": "/webtransport", "wss://play.example.org": "/webtransport", "wss://play.example.org/game": "/game/webtransport", "wss://play.example.org/a/b/": "/a/b/webtransport"} {
		_, s, err := serverOf("-web", "127.0.0.1:0", "-web-dir", pageDir(t), "-web-udp", "127.0.0.1:0", "-proxy", proxy)
		if err != nil {
			t.Fatal(err)
		}
		c := s.host
		l, err := s.web.open(&c, s.web.udpAddress(s), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Addr(); !strings.HasSuffix(got, want) || strings.Count(got, "/") != 2+strings.Count(want, "/") {
			t.Errorf("behind %q WebTransport is at %s, want %s", proxy, got, want)
		}
		l.Close(transport.Reason{})
		c.Log = slog.New(slog.DiscardHandler)
		h, err := host.Open(c)
		if err != nil {
			t.Fatal(err)
		}
		inner, _, _ := strings.Cut(strings.TrimPrefix(h.Addr(), "ws://"), "/")
		for _, path := range []string{want, "/webtransport"} {
			answer, err := http.Get("http://" + inner + path)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || answer.StatusCode != http.StatusOK || strings.Contains(string(text), "<") {
				t.Errorf("behind %q the fingerprints at %s are %d %q, %v", proxy, path, answer.StatusCode, text, err)
			}
		}
		h.Close()
	}
}

// A port of UDP that is taken, or a damaged page, ends the server before it serves.
func TestWebThatCannotServe(t *testing.T) {
	dir := pageDir(t)
	r, s, err := serverOf("-web", "127.0.0.1:0", "-web-dir", dir)
	if err != nil {
		t.Fatal(err)
	}
	v, err := newServer(r, s, slog.New(slog.DiscardHandler), false)
	if err != nil {
		t.Fatal(err)
	}
	defer v.host.Close()
	if r, s, err = serverOf("-web", "127.0.0.1:0", "-web-udp", v.host.Links()[0].Address(), "-web-dir", dir); err != nil {
		t.Fatal(err)
	}
	if _, err := newServer(r, s, slog.New(slog.DiscardHandler), false); err == nil || !strings.Contains(err.Error(), "choose another port") {
		t.Errorf("a port that is taken: %v", err)
	}
	if r, s, err = serverOf("-web", "127.0.0.1:0", "-web-dir", dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html.gz"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newServer(r, s, slog.New(slog.DiscardHandler), false); err == nil || !strings.Contains(err.Error(), "make web") {
		t.Errorf("a damaged page: %v", err)
	}
}
