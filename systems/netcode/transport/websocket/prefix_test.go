//go:build !js

package websocket_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// Behind a proxy that has the server under a path, connections and the page are found whether the
// proxy takes that path off or passes it on.
func TestPrefix(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page ", r.URL.Path) })
	for _, test := range []struct {
		prefix, path string
		open, closed []string          // paths for a WebSocket
		pages        map[string]string // paths, and where they lead to
	}{
		{"", "/arena", []string{"/arena"}, []string{"/", "/arena/", "/arena/x"}, map[string]string{"/": "/", "/arena": "/arena", "/game/a.js": "/game/a.js"}},
		{"/game", "/game/", []string{"/game/", "/", "/game"}, []string{"/game/x", "/gamer", "/x"}, map[string]string{
			"/game/": "/", "/game/a.js": "/a.js", "/game/b/": "/b/", "/a.js": "/a.js", "/": "/", "/game": "/", "/gamer/a.js": "/gamer/a.js",
		}},
		{"/game", "/ws", []string{"/game/ws", "/ws"}, []string{"/", "/game/"}, map[string]string{"/game/a.js": "/a.js"}},
		{"/a/b", "/a/b", []string{"/a/b", "/a/b/", "/"}, []string{"/a", "/b"}, map[string]string{"/a/b": "/", "/a/b/c": "/c"}},
		{"/arena", "/other", []string{"/other", "/arena/other"}, []string{"/", "/arena"}, nil},
	} {
		l := listen(t, open(websocket.Config{Prefix: test.prefix, Path: test.path, Page: page}))
		try := func(path string, want transport.State) {
			t.Helper()
			client := dial(t, "ws://"+tcpAddr(l)+path, websocket.Config{})
			until(t, "it is decided", func() bool { client.Poll(0); return client.State() != transport.Connecting })
			if client.State() != want {
				t.Errorf("prefix %q, path %q: a WebSocket at %s is %v, want %v", test.prefix, test.path, path, client.State(), want)
			}
		}
		for _, path := range test.open {
			try(path, transport.Open)
		}
		for _, path := range test.closed {
			try(path, transport.Closed)
		}
		for path, want := range test.pages {
			answer, err := http.Get("http://" + tcpAddr(l) + path + "?hz=30")
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || string(text) != "page "+want {
				t.Errorf("prefix %q: %s is %q, %v, want that of %s", test.prefix, path, text, err, want)
			}
			if at := answer.Request.URL; at.RawQuery != "hz=30" || path == test.prefix && at.Path != path+"/" {
				t.Errorf("prefix %q: %s leads to %s", test.prefix, path, at)
			}
		}
	}
	for _, prefix := range []string{"game", "/game/", "/", "//game"} {
		if _, err := websocket.Listen("127.0.0.1:0", websocket.Config{Prefix: prefix}); err == nil || !strings.Contains(err.Error(), "as in /game") {
			t.Errorf("prefix %q: %v", prefix, err)
		}
	}
}
