package play

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/host"
)

// serverFlags are the flags of the commands that serve.
type serverFlags struct {
	host               host.Config
	web                webFlags
	origins            string
	arrival            bool
	inputCredit        time.Duration
	console, verbose   bool
	agones             bool
	maxPlayers, crates int
	perAddress         int
	workers            int // as set; 0: as many as there are processors
	drain              time.Duration
	round              time.Duration
	record             recording
}

// flags defines the flags. The caller names the section of the last flags, which are those of the
// match.
func (s *serverFlags) flags(set *flags.Set, listen string) {
	c, w := &s.host, &s.host.WebSocket
	set.StringVar(&c.Listen, "listen", listen, "`address` for encrypted UDP; '': none; without a host, as in :7777, all addresses of this machine")
	set.StringVar(&c.Public, "public", "", "`host` for join links, if players reach the server under another name than that of -listen")
	set.StringVar(&c.Metrics, "metrics", "", "`address` for /healthz, /debug/vars and /metrics (HTTP); without a host, as in :7780, this machine only")
	set.StringVar(&c.State, "state", "", "`folder` for certificate and token, so that join links survive a restart")
	set.StringVar(&c.Access, "guests", "", "`file` for bans and invitations; empty: guests.json in the folder of -state, if that is set")
	set.IntVar(&c.JoinRate, "joins", 10, "handshakes per second from one network (a /24, or a /56 of IPv6), `1 to 1000`; raise it for many players behind one address")
	set.IntVar(&s.maxPlayers, "max-players", 64, "largest number of players, `1 to 512`")
	set.IntVar(&s.perAddress, "per-address", 0, "largest `number` of players from one address (or a /56 of IPv6), except this machine and private networks; 0: a quarter of -max-players, at least 4; -1: no limit")
	set.IntVar(&s.workers, "workers", 1, "`number` of processors that encode and send snapshots, 1 to 256; 0: all that there are. More than one is for hundreds of players")
	set.DurationVar(&s.drain, "drain", 3*time.Second, "`time` between the announcement of the end and the end; a second interrupt ends the server at once")
	set.Section("The server")
	set.StringVar(&w.Addr, "websocket", "", "`address` for WebSocket, in addition to -listen, or instead of it with -listen ''; without a host, as in :8080, all addresses of this machine")
	set.StringVar(&w.Path, "path", "", "`path` of the WebSocket (default /, or that of -proxy)")
	set.StringVar(&s.origins, "origin", "", "`hosts` whose web pages may use the WebSocket, besides the server's own: play.example.org,*.example.org")
	set.StringVar(&w.CertFile, "tls-cert", "", "`file` with the certificate issued by an authority and its chain (PEM): WebSocket with TLS")
	set.StringVar(&w.KeyFile, "tls-key", "", "`file` with the certificate's key (PEM)")
	set.BoolVar(&w.SelfSigned, "tls", false, "WebSocket with TLS and the server's own certificate; the link contains its fingerprint; for programs; a browser warns of it")
	set.StringVar(&w.Proxy, "proxy", "", "`address` under which players reach the WebSocket and the page through a proxy that handles TLS, such as wss://play.example.org/game/; its X-Forwarded-For or Forwarded is trusted")
	set.Section("WebSocket")
	s.web.flags(set)
	s.matchFlags(set)
}

// matchFlags defines the flags of the match, which a duel has, too.
func (s *serverFlags) matchFlags(set *flags.Set) {
	set.BoolVar(&s.arrival, "on-arrival", false, "run inputs on arrival, each player on its own clock, instead of one per step; pushed bodies are not predicted then")
	set.DurationVar(&s.inputCredit, "bank", 0, "`time` of silence for which -on-arrival runs late inputs, up to 2s; 0: 100ms. Use 1s over WebSocket")
	set.DurationVar(&s.round, "round", 3*time.Minute, "length of a round, `10s to 1h`, with a warm-up before and the scores after it; 0: no rounds")
	set.IntVar(&s.crates, "crates", 24, "crates in the arena, `0 to 900`")
}

// encoders returns the number of goroutines that encode and send snapshots.
func (s *serverFlags) encoders() int {
	if s.workers == 0 {
		return min(runtime.GOMAXPROCS(0), 256)
	}
	return s.workers
}

// mode returns how the server runs inputs.
func (s *serverFlags) mode() netcode.InputMode {
	if s.arrival {
		return netcode.OnArrival
	}
	return netcode.OnTicks
}

func (s *serverFlags) check() error {
	switch {
	case s.maxPlayers < 1 || s.maxPlayers > 512:
		return badf("-max-players %d: it takes 1 to 512", s.maxPlayers)
	case s.crates < 0 || s.crates > 900 || s.crates+s.maxPlayers > arena.MaxEntities-16:
		return badf("-crates %d: it takes 0 to 900, and together with -max-players at most %d", s.crates, arena.MaxEntities-16)
	case s.perAddress < -1:
		return badf("-per-address %d: it takes a number of players, 0 for a quarter of -max-players, or -1 for no limit", s.perAddress)
	case s.workers < 0 || s.workers > 256:
		return badf("-workers %d: it takes 1 to 256, or 0 for all processors", s.workers)
	case s.round != 0 && (s.round < 10*time.Second || s.round > time.Hour):
		return badf("-round %v: it takes 10s to 1h, or 0 for no rounds", s.round)
	case s.drain < 0 || s.drain > time.Minute:
		return badf("-drain %v: it takes 0s to 1m", s.drain)
	case s.inputCredit < 0 || s.inputCredit > 2*time.Second:
		return badf("-bank %v: it takes 0s to 2s", s.inputCredit)
	case s.inputCredit > 0 && !s.arrival:
		return badf("-bank: it belongs to -on-arrival; add that flag")
	}
	c := &s.host
	c.Drain = cmp.Or(s.drain, -1)
	if c.Access == "" && c.State != "" {
		c.Access = filepath.Join(c.State, "guests.json")
	}
	c.WebSocket.Origins = nil
	for _, host := range strings.Split(s.origins, ",") {
		if host = strings.TrimSpace(host); host != "" {
			c.WebSocket.Origins = append(c.WebSocket.Origins, host)
		}
	}
	if err := s.web.check(s); err != nil {
		return err
	}
	return s.usage(c.Validate())
}

// usage words an error of the host's configuration in terms of the flags.
func (s *serverFlags) usage(err error) error {
	var c *host.ConfigError
	if !errors.As(err, &c) {
		return err
	}
	names := map[string]string{
		"Listen": "listen", "Public": "public", "State": "state", "Access": "guests", "JoinRate": "joins", "Metrics": "metrics",
		"WebSocket.Addr": "websocket", "WebSocket.Path": "path", "WebSocket.Origins": "origin", "WebSocket.CertFile": "tls-cert", "WebSocket.KeyFile": "tls-key",
		"WebSocket.SelfSigned": "tls", "WebSocket.Proxy": "proxy",
	}
	if s.web.addr != "" {
		names["WebSocket.Addr"] = "web"
	}
	text := "-" + names[c.Field]
	if c.Value != "" {
		text += " " + c.Value
	}
	if c.Field == "WebSocket.CertFile" { // it takes two
		text = fmt.Sprintf("-tls-cert %s, -tls-key %s", s.host.WebSocket.CertFile, s.host.WebSocket.KeyFile)
	}
	return badf("%s: %w", text, c.Err)
}
