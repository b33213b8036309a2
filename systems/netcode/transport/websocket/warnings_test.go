//go:build !js

package websocket_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// operatorLog is a log as an operator reads it.
type operatorLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *operatorLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *operatorLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A cause that keeps out a whole page, or all that come through a proxy, is one warning with what
// was seen and the setting that mends it, however often it happens. A stranger's bytes stay in
// their line.
func TestWarnings(t *testing.T) {
	for name, test := range map[string]struct {
		config websocket.Config
		path   string
		header http.Header
		taken  bool
		want   []string
	}{
		"a page of another host": {
			websocket.Config{Origins: []string{"*.example.net"}}, "/", http.Header{"Origin": {"https://play.example.org"}}, false,
			[]string{"refused a page of another host", "page=https://play.example.org", "host=127.0.0.1:", "add its host to Origins, or give Proxy"},
		},
		"a page with a hostile name": {
			websocket.Config{}, "/", http.Header{"Origin": {"https://\u202e\u00e9" + strings.Repeat("a", 500)}}, false,
			[]string{`page=https://\u202e\u00e9aaa`, "aa... host"},
		},
		"a path": {
			websocket.Config{Prefix: "/game", Path: "/game/"}, "/play/", nil, false,
			[]string{"at a path that accepts none", "path=/play/ want=/game/", "give Proxy the address"},
		},
		"a header that cannot be read": {
			websocket.Config{BehindProxy: true}, "/", http.Header{"X-Forwarded-For": {"1.2.3.4, nonsense"}}, false,
			[]string{"cannot be read", "header=X-Forwarded-For", `value="1.2.3.4, nonsense"`, `\"nonsense\" is no address`, "proxy=127.0.0.1:", "at the end of X-Forwarded-For"},
		},
		"headers that differ": {
			websocket.Config{BehindProxy: true}, "/", http.Header{"X-Forwarded-For": {"203.0.113.7"}, "Forwarded": {"for=1.2.3.4"}}, false,
			[]string{"header=Forwarded", `value="for=1.2.3.4"`, "it differs from X-Forwarded-For", "remove the header Forwarded"},
		},
		"no header": {
			websocket.Config{BehindProxy: true}, "/", nil, true,
			[]string{"does not name its clients", `value=""`, "at the end of X-Forwarded-For"},
		},
		"a client without a name": {
			websocket.Config{BehindProxy: true}, "/", http.Header{"Forwarded": {"for=unknown"}}, true,
			[]string{"does not name its clients", `value="for=unknown"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out operatorLog
			c := test.config
			c.Log = slog.New(slog.NewTextHandler(&out, nil))
			l := listen(t, open(c))
			for range 3 {
				client := dial(t, "ws://"+tcpAddr(l)+test.path, websocket.Config{Header: test.header})
				until(t, "it is decided", func() bool { client.Poll(0); return client.State() != transport.Connecting })
				if taken := client.State() == transport.Open; taken != test.taken {
					t.Fatalf("taken: %v, want %v", taken, test.taken)
				}
			}
			until(t, "there is a line", func() bool { return strings.Contains(out.String(), "\n") })
			if text := out.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "level=WARN") || strings.Contains(text, "client=203.0.113.7") {
				t.Errorf("want one warning:\n%s", text)
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("want %q in\n%s", want, out.String())
				}
			}
		})
	}
}

// A fault of one client alone is no warning.
func TestNoWarnings(t *testing.T) {
	var out operatorLog
	l := listen(t, open(websocket.Config{BehindProxy: true, Log: slog.New(slog.NewTextHandler(&out, nil))}))
	good := http.Header{"X-Forwarded-For": {"203.0.113.7"}}
	dial(t, l.Addr(), websocket.Config{Header: good})
	accept(t, l)
	for _, path := range []string{"/", "/favicon.ico"} {
		r, err := http.NewRequest("GET", "http://"+tcpAddr(l)+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = good
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	if out.String() != "" {
		t.Errorf("the log is\n%s", out.String())
	}
}
