package host

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
)

// Run ends when its context is canceled or the operator quits, and passes the remaining time to the
// game. With players it waits for the drain time, without players it does not. Bots are no reason
// to wait.
func TestRunDrains(t *testing.T) {
	for _, test := range []struct {
		name    string
		config  time.Duration
		players int
		quit    bool
		want    time.Duration // until the players have left; the server runs as long
	}{
		{"canceled", 0, 1, false, 3 * time.Second},
		{"quit", 5 * time.Second, 1, true, 5 * time.Second},
		{"at once", -1, 1, false, 0},
		{"nobody there", time.Minute, 0, true, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			told, calls := time.Duration(-1), 0
			h := open(t, Config{Drain: test.config, OnDrain: func(left time.Duration) { told = left; calls++ }})
			v := serve(t, h, nil)
			if _, err := v.server.AddBot(func(*testgame.Player, netcode.Tick) testgame.Input { return testgame.Input{} }); err != nil {
				t.Fatal(err)
			}
			for range test.players {
				v.join(h.Token())
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			const before = 2 * time.Second
			time.AfterFunc(before, func() {
				if !test.quit {
					cancel()
				}
			})
			if test.quit {
				in, out := io.Pipe()
				h.Console(in, io.Discard)
				time.AfterFunc(before, func() { _, _ = io.WriteString(out, "quit\n"); out.Close() })
			}
			begin := time.Now()
			h.Run(ctx)
			want := before + test.want
			if test.players == 0 {
				want = before
			}
			if ran := time.Since(begin); ran < want || ran > want+100*time.Millisecond {
				t.Errorf("%s: it ran for %v, want %v", test.name, ran, want)
			}
			if told != test.want || calls != 1 {
				t.Errorf("%s: players are told of %v, %d times, want %v", test.name, told, calls, test.want)
			}
		})
	}
}

// With a folder for its state a server keeps its links across a restart; without one they are new.
func TestLinksOutliveARestart(t *testing.T) {
	for _, state := range []string{"", filepath.Join(t.TempDir(), "new", "state")} {
		var links []string
		listen := "127.0.0.1:0"
		for range 2 {
			h := open(t, Config{Listen: listen, State: state})
			listen = h.Addr()
			links = append(links, h.Links()[0].String())
			h.Close()
		}
		if kept := links[0] == links[1]; kept != (state != "") {
			t.Errorf("with state in %q the links are %v", state, links)
		}
		if state == "" {
			continue
		}
		for _, name := range []string{tokenFile, certificateFile, accessFile} {
			if _, err := os.Stat(filepath.Join(state, name)); err != nil {
				t.Error(err)
			}
		}
	}
}

// Open refuses a configuration without a listener, and the methods that need a server panic without
// one.
func TestMisuse(t *testing.T) {
	h := open(t, Config{})
	if h.Addr() != "" || len(h.Links()) > 0 {
		t.Errorf("a host without sockets listens at %q", h.Addr())
	}
	panics := func(what, want string, f func()) {
		t.Helper()
		defer func() {
			if text, _ := recover().(string); !strings.Contains(text, want) {
				t.Errorf("%s: panics with %q, want %q", what, text, want)
			}
		}()
		f()
	}
	panics("Update", "call NewServer first", func() { h.Update(1) })
	panics("Run", "call NewServer first", func() { h.Run(t.Context()) })
	panics("Execute", "call NewServer first", func() { _ = h.Execute("help", io.Discard) })
	if _, err := NewServer(h, nil, nil, testgame.ServerConfig{}); err == nil || !strings.Contains(err.Error(), "needs an address") {
		t.Errorf("without a listener: %v", err)
	}
	serve(t, h, nil)
	panics("a second server", "one host for each", func() { serve(t, h, nil) })
}

// The game's own hooks are called in addition to the host's, and its Authenticate may refuse more
// clients.
func TestHooksOfTheGame(t *testing.T) {
	var log bytes.Buffer
	var calls []string
	h := open(t, Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	v := serve(t, h, func(c *testgame.ServerConfig) {
		joined := c.Joined
		c.Authenticate = func(c netcode.JoinRequest) error {
			calls = append(calls, "admit")
			if h.server.Stats().Players > 0 {
				return &full{}
			}
			return nil
		}
		c.Joined = func(p *testgame.Player) (testgame.State, arche.Entity) {
			calls = append(calls, "joined")
			return joined(p)
		}
		c.Confirmed = func(*testgame.Player) { calls = append(calls, "confirmed") }
	})
	if status, reason := v.join("a stranger's token").Status(); status != netcode.Ended || len(calls) > 0 {
		t.Errorf("a stranger is %v (%v), and the game is asked: %v", status, reason, calls)
	}
	if status, reason := v.join(h.Token()).Status(); status != netcode.Playing || strings.Join(calls, " ") != "admit joined confirmed" {
		t.Errorf("a player is %v (%v), and the game is called: %v", status, reason, calls)
	}
	if status, reason := v.join(h.Token()).Status(); status != netcode.Ended || reason.Text != "full of people" {
		t.Errorf("a player that the game refuses is %v (%v)", status, reason)
	}
	if !strings.Contains(log.String(), "tandem: joined") {
		t.Errorf("the host's log is\n%s", log.String())
	}
}

type full struct{}

func (*full) Error() string { return "full of people" }
