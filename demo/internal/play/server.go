package play

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/systems/netcode/host"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Server serves until the context is canceled, then announces the end, drains, and returns.
func Server(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var r rates
	var s serving
	var seconds float64
	set := flags.New("server")
	s.flags(set, "127.0.0.1:7777")
	r.flags(set.FlagSet, snapshotsText)
	set.Section("The match")
	set.Float64Var(&seconds, "seconds", 0, "`seconds` to run; 0: until it is interrupted")
	set.BoolVar(&s.console, "console", true, "obey lines on the standard input: players, kick, ban, invite, quit; help lists them")
	set.BoolVar(&s.verbose, "verbose", false, "log why handshakes fail, too")
	set.Section("The run")
	if err := read(set, args, stdout, "A server of the arena, without a picture."); err != nil {
		return err
	}
	if err := r.check(5); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if seconds < 0 || !(seconds <= 1e7) {
		return badf("-seconds %v: the time to run is above 0, or 0 for no end", seconds)
	}
	level := slog.LevelInfo
	if s.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	server, err := newServer(&r, &s, log, false)
	if err != nil {
		return err
	}
	defer server.host.Close()
	for _, link := range server.host.Links() {
		fmt.Fprintln(stdout, link)
	}
	fmt.Fprintln(stderr, "players join with: go run ./demo client -connect 'LINK', with the line above for LINK")
	log.Info("serving", "addr", server.host.Addr(), "hz", r.hz, "send-hz", r.sendHz, "max-players", s.maxPlayers, "crates", s.crates)
	if seconds > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
		defer cancel()
	}
	if s.console {
		server.host.Console(os.Stdin, stdout)
	}
	defer collectRarely()()
	server.host.Run(ctx)
	return nil
}

// collectRarely lets the heap grow to five times its live part before it is collected, and returns
// how to undo that. A collection makes the ticks beside it longer, and nearly all garbage of a
// server is datagrams on their way through the encryption: 3 kB for each player and tick, dead at
// once. GOGC in the environment has the last word.
func collectRarely() (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}

// server is a running arena with its host.
type server struct {
	host   *host.Host
	match  *rules.Match
	own    *loopback.Listener // of players in this process; nil: there are none
	shots  [2]uint64          // fired; of them that hit
	pushes uint64
}

// newServer opens the host and starts a match on it. The caller closes the host.
func newServer(r *rates, s *serving, log *slog.Logger, own bool) (*server, error) {
	v := &server{}
	c := s.host
	c.Log = log
	c.Vars = func(vars map[string]any) {
		vars["shots"], vars["hits"], vars["pushes"] = v.shots[0], v.shots[1], v.pushes
	}
	c.OnDrain = func(left time.Duration) { v.say(fmt.Sprintf("the server goes down in %v", left.Round(time.Second))) }
	c.Commands = []host.Command{{Usage: "say TEXT", Help: "tell all players", Run: func(text string, _ io.Writer) error { v.say(text); return nil }}}
	var err error
	if v.host, err = host.Open(c); err != nil {
		return nil, s.usage(err)
	}
	crates := s.crates
	if crates == 0 {
		crates = -1
	}
	m := rules.Config{
		Host: v.host, Rate: r.hz, SendRate: r.sendHz, InputMode: s.input.mode(), Bank: s.input.bank, MaxPlayers: s.maxPlayers, PerAddress: s.perAddress, Crates: crates, Seed: r.seed, Log: log,
		Shot: func(_ *rules.Player, hit bool) {
			v.shots[0]++
			if hit {
				v.shots[1]++
			}
		},
		Pushed: func(*rules.Player) { v.pushes++ },
	}
	if own {
		v.own = loopback.Listen(loopback.Config{})
		m.Listener = v.own
	}
	if v.match, err = rules.New(m); err != nil {
		v.host.Close()
		return nil, s.usage(err)
	}
	return v, nil
}

// say shows all players a line.
func (v *server) say(text string) { v.match.Server().Broadcast(arena.Notice(text)) }
