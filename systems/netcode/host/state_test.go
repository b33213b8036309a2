package host

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// The operator is warned if all machines may join, but the link works on this machine only.
func TestLinksForThisMachine(t *testing.T) {
	before := &joinlink.Link{}
	for _, test := range []struct {
		s    settings
		want bool
	}{
		{settings{Config: Config{Listen: ":7777"}}, true},
		{settings{Config: Config{Listen: "0.0.0.0:7777"}}, true},
		{settings{Config: Config{Listen: "[::]:7777"}}, true},
		{settings{Config: Config{WebSocket: WebSocket{Addr: ":8080"}}}, true},
		{settings{Config: Config{WebSocket: WebSocket{Addr: ":8080"}}, proxy: before}, false},
		{settings{Config: Config{Listen: ":7777", Public: "play.example.org"}}, false},
		{settings{Config: Config{Listen: "127.0.0.1:7777"}}, false},
		{settings{Config: Config{Listen: "192.0.2.1:7777", WebSocket: WebSocket{Addr: "localhost:8080"}}}, false},
		{settings{}, false},
	} {
		var log bytes.Buffer
		test.s.warn(slog.New(slog.NewTextHandler(&log, nil)))
		if got := strings.Contains(log.String(), "public host"); got != test.want {
			t.Errorf("%+v: %q", test.s, log.String())
		}
	}
}
