package host

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// upgrade asks for a WebSocket as a proxy passes it on, and returns the status of the answer.
func upgrade(t *testing.T, addr, path, host string, headers map[string]string) int {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", path, host)
	for name, value := range headers {
		fmt.Fprintf(&b, "%s: %s\r\n", name, value)
	}
	b.WriteString("\r\n")
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, b.String()); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode
}

// webSocketAddr returns where a host that serves WebSocket alone listens.
func webSocketAddr(h *Host) string {
	addr, _, _ := strings.Cut(strings.TrimPrefix(h.Addr(), "ws://"), "/")
	return addr
}

// Pages of the proxy's host connect, whichever Host the proxy writes. Those of other hosts do not.
func TestPagesBehindAProxy(t *testing.T) {
	const opens, refused = http.StatusSwitchingProtocols, http.StatusForbidden
	for _, test := range []struct {
		proxy, origin string
		want          int
	}{
		{"wss://play.example.org/arena", "https://play.example.org", opens},
		{"wss://play.example.org:443/", "https://play.example.org", opens},
		{"wss://play.example.org", "https://PLAY.example.org", opens},
		{"wss://play.example.org:8443/", "https://play.example.org:8443", opens},
		{"wss://203.0.113.7/game/", "https://203.0.113.7", opens},
		{"wss://[2001:db8::1]/", "https://[2001:db8::1]", opens},
		{"wss://[2001:DB8:0::1]/", "https://[2001:db8::1]", opens},
		{"wss://[2001:db8::1]:8443/", "https://[2001:db8::1]:8443", opens},
		{"wss://play.example.org/", "https://pages.example.net", opens}, // of Origins
		{"wss://play.example.org/", "https://evil.example.com", refused},
		{"wss://play.example.org/", "https://play.example.org.evil.example.com", refused},
		{"wss://play.example.org/", "https://eu.play.example.org", refused},
		{"wss://play.example.org/", "https://playxexample.org", refused},
		{"wss://play.example.org/", "https://play.example.org:8443", refused},
		{"wss://play.example.org:8443/", "https://play.example.org", refused},
		{"wss://[2001:db8::1]/", "https://2", refused}, // the brackets are no class of a pattern
		{"wss://[2001:db8::1]/", "https://[2001:db8::2]", refused},
		{"wss://play.example.org/", "null", refused},
	} {
		origins := []string{"*.example.net"}
		h := open(t, Config{WebSocket: WebSocket{Addr: "127.0.0.1:0", Proxy: test.proxy, Origins: origins}})
		addr := webSocketAddr(h)
		for name, host := range map[string]string{"kept": h.settings.proxy.Address(), "the server's": addr, "of no use": "upstream"} {
			got := upgrade(t, addr, h.settings.proxy.Path, host, map[string]string{"Origin": test.origin, "X-Forwarded-For": "203.0.113.7"})
			if got != test.want {
				t.Errorf("behind %s, a page of %s, Host %s: %d, want %d", test.proxy, test.origin, name, got, test.want)
			}
		}
		if h.Close(); len(origins) != 1 {
			t.Errorf("the configuration's own origins have become %q", origins)
		}
	}
}

// A path of the proxy is in both links, and is taken off requests. A path of the server alone may
// be below it.
func TestProxyWithAPath(t *testing.T) {
	for _, test := range []struct {
		proxy, path string
		page, link  string
		opens       []string
	}{
		{"wss://play.example.org/game/", "", "https://play.example.org/game/", "wss://play.example.org:443/game/", []string{"/game/", "/"}},
		{"wss://play.example.org:8443/game", "", "https://play.example.org:8443/game/", "wss://play.example.org:8443/game", []string{"/game", "/game/", "/"}},
		{"wss://play.example.org/a/b/", "", "https://play.example.org/a/b/", "wss://play.example.org:443/a/b/", []string{"/a/b/", "/"}},
		{"wss://play.example.org/", "", "https://play.example.org/", "wss://play.example.org:443/", []string{"/"}},
		{"wss://play.example.org/game/", "/game/", "https://play.example.org/game/", "wss://play.example.org:443/game/", []string{"/game/", "/"}},
		{"wss://play.example.org/game/", "/", "https://play.example.org/game/", "wss://play.example.org:443/game/", []string{"/game/", "/"}},
		{"wss://play.example.org/game/ws", "/ws", "https://play.example.org/game/", "wss://play.example.org:443/game/ws", []string{"/game/ws", "/ws"}},
	} {
		h := open(t, Config{WebSocket: WebSocket{Addr: "127.0.0.1:0", Proxy: test.proxy, Path: test.path, Page: newPage(t, folder(t))}})
		if got, want := h.PageLink(), test.page+"#"+h.Token(); got != want {
			t.Errorf("behind %s the page is at %s, want %s", test.proxy, got, want)
		}
		if got := h.Links()[0]; got.URL() != test.link || got.Transport != joinlink.WSS {
			t.Errorf("behind %s the link is %s, want %s", test.proxy, got, test.link)
		}
		for _, path := range test.opens {
			if got := upgrade(t, webSocketAddr(h), path, "upstream", map[string]string{"X-Forwarded-For": "203.0.113.7"}); got != http.StatusSwitchingProtocols {
				t.Errorf("behind %s a WebSocket at %s is answered with %d", test.proxy, path, got)
			}
		}
		h.Close()
	}
}
