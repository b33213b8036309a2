package play

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/systems/netcode/agones"
	"github.com/tandem-ecs/tandem/systems/netcode/host"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Server serves until the context is canceled. Then it announces the end, drains, and returns.
func Server(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var r rateFlags
	var s serverFlags
	var seconds float64
	set := flags.New("server")
	s.flags(set, "127.0.0.1:7777")
	r.flags(set.FlagSet, snapshotsText)
	set.Section("The match")
	set.Float64Var(&seconds, "seconds", 0, "`seconds` to run; 0: until interrupted")
	set.BoolVar(&s.console, "console", true, "accept commands on the standard input: players, kick, ban, invite, quit; help lists them")
	set.StringVar(&s.record.name, "record", "", "`file` to record the match into, for the command replay, such as match.replay")
	set.BoolVar(&s.verbose, "verbose", false, "also log why handshakes fail")
	set.BoolVar(&s.agones, "agones", false, "the server is one of a fleet of Agones: ready when it listens, allocated by its first player, stopped after the drain; the port of the sidecar is in AGONES_SDK_HTTP_PORT, or 9358")
	set.Section("The run")
	if err := read(set, args, stdout, "A server of the arena, without a picture."); err != nil {
		return err
	}
	if err := cmp.Or(r.check(5), s.check()); err != nil {
		return err
	}
	if set.Given("record") && s.record.name == "" {
		return badf("-record: the file's name is empty")
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
	if s.agones {
		defer server.joinFleet(log)()
	}
	server.printLinks(stdout)
	fmt.Fprintln(stderr, "to join, run: go run ./demo client -connect 'LINK' (LINK is a line above that begins with tandem)")
	if text := s.web.explain(&s); text != "" {
		fmt.Fprintln(stderr, text)
	}
	log.Info("serving", "addr", server.host.Addr(), "hz", r.hz, "send-hz", r.sendHz, "workers", s.encoders(), "max-players", s.maxPlayers, "crates", s.crates)
	if seconds > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
		defer cancel()
	}
	if s.console {
		server.host.Console(os.Stdin, stdout)
	}
	defer relaxGC()()
	server.host.Run(ctx)
	return s.record.close(stdout)
}

// relaxGC lets the heap grow to five times its live size before a collection, and returns a
// function that undoes this. A collection makes concurrent ticks longer. Nearly all garbage of a
// server is short-lived datagrams of the encryption: 3 kB per player and tick. GOGC in the
// environment takes precedence.
func relaxGC() (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}

// server is a running match with its host.
type server struct {
	host            *host.Host
	match           *rules.Match
	local           *loopback.Listener // for players in this process; nil: none
	shots           [2]uint64          // fired, and hits among them
	rockets, pushes uint64
	fleet           *agones.Sidecar // nil: there is none
}

// Update and Close implement [match.Server].
func (v *server) Update(real time.Duration) { v.host.Update(real) }
func (v *server) Close()                    { v.host.Close() }

// newServer opens the host and starts a match on it. The caller must close the host.
func newServer(r *rateFlags, s *serverFlags, log *slog.Logger, own bool) (*server, error) {
	v := &server{}
	c := s.host
	c.Log = log
	c.Vars = func(vars map[string]any) {
		vars["shots"], vars["hits"], vars["rockets"], vars["pushes"] = v.shots[0], v.shots[1], v.rockets, v.pushes
	}
	c.OnDrain = func(left time.Duration) { v.say(fmt.Sprintf("the server shuts down in %v", left.Round(time.Second))) }
	c.Commands = []host.Command{{Usage: "say TEXT", Help: "show all players a text", Run: func(text string, _ io.Writer) error { v.say(text); return nil }}}
	web, err := s.web.open(&c, s.web.udpAddress(s), log)
	if err != nil {
		return nil, err
	}
	if c.WebSocket.Page != nil && r.hz != 60 {
		c.WebSocket.PageQuery = "hz=" + strconv.Itoa(r.hz) // the page has to know the rate
	}
	if v.host, err = host.Open(c); err != nil {
		if web != nil {
			web.Close(transport.Reason{Code: transport.Failed})
		}
		return nil, s.usage(err)
	}
	m := rules.Config{
		Host: v.host, Rate: r.hz, SendRate: r.sendHz, InputMode: s.mode(), InputCredit: s.inputCredit, MaxPlayers: s.maxPlayers, PerAddress: s.perAddress, Workers: s.encoders(), Crates: s.crates, Seed: r.seed, Round: s.round, Log: log,
		Shot: func(_ *rules.Player, hit bool) {
			v.shots[0]++
			if hit {
				v.shots[1]++
			}
		},
		Rocket: func(*rules.Player, bool) { v.rockets++ },
		Pushed: func(*rules.Player) { v.pushes++ },
		Joined: v.joined,
		Left:   v.left,
	}
	m.Listener = web
	if own {
		v.local = loopback.Listen(loopback.Config{})
		m.Listener = v.local
		if web != nil {
			m.Listener = transport.Merge(v.local, web)
		}
	}
	if v.match, err = rules.New(m); err == nil {
		err = s.record.begin(v.match.Server().Record)
	}
	if err != nil {
		v.host.Close()
		if web != nil {
			web.Close(transport.Reason{Code: transport.Failed})
		}
		return nil, s.usage(err)
	}
	return v, nil
}

// printLinks prints the join links, a line each, and that of the page.
func (v *server) printLinks(w io.Writer) {
	for _, link := range v.host.Links() {
		fmt.Fprintln(w, link)
	}
	if link := v.host.PageLink(); link != "" {
		fmt.Fprintln(w, link)
	}
}

// say shows all players a text.
func (v *server) say(text string) { v.match.Server().Broadcast(arena.Notice(text)) }
