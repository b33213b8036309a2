package play

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// A server of a fleet is ready when it listens, allocated by its first player, and stopped at the
// end. The player is in the fleet's list, and its key is no token.
func TestFleet(t *testing.T) {
	var mu sync.Mutex
	var requests []string
	ready, listed := make(chan bool, 1), make(chan string, 1)
	sidecar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/v1beta1/"):
			body := make([]byte, 1000)
			n, _ := r.Body.Read(body)
			listed <- string(body[:n])
		case path != "/health" && path != "/watch/gameserver":
			requests = append(requests, path)
			select {
			case ready <- true:
			default:
			}
		}
	}))
	defer sidecar.Close()
	t.Setenv("AGONES_SDK_HTTP_PORT", sidecar.URL[strings.LastIndex(sidecar.URL, ":")+1:])
	r, s, err := serverOf("-listen", "")
	if err != nil {
		t.Fatal(err)
	}
	h, err := newServer(r, s, slog.New(slog.DiscardHandler), true)
	if err != nil {
		t.Fatal(err)
	}
	defer h.host.Close()
	leave := h.joinFleet(slog.New(slog.DiscardHandler))
	<-ready // before a player comes, whose request would take its place
	v := &virtual{t: t, match: h.match, own: h.local}
	one, err := newClient(r, &clientInputFlags{}, options.NewMatch(), 0, func() (transport.Conn, error) { return v.dial(), nil }, h.host.Token())
	if err != nil {
		t.Fatal(err)
	}
	v.clients = append(v.clients, one)
	v.run(time.Second, nil)
	if status, reason := one.Net().Status(); status != netcode.Playing {
		t.Fatalf("the client is %v: %v", status, reason)
	}
	key := <-listed
	if len(key) != len(`{"value":"0123456789abcdef"}`) || strings.Contains(key, h.host.Token()) {
		t.Errorf("the list gets %s", key)
	}
	one.Close()
	leave()
	if want := []string{"/ready", "/allocate", "/shutdown"}; !slices.Equal(requests, want) {
		t.Errorf("requests %q, want %q", requests, want)
	}
}
