package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/app"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/match"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// read reads the arguments of a command. The help begins with the text what.
func read(s *flags.Set, args []string, out io.Writer, what string) error {
	name := s.Name()
	if s.Operand != nil {
		name += " FILE"
	}
	head := fmt.Sprintf("%s\n\n    go run ./demo %s [flags]        go run ./demo -h names the other commands\n", what, name)
	return s.Read(args, out, head, "")
}

// Client joins a server and plays.
func Client(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var r rateFlags
	var input clientInputFlags
	var c linkFlag
	o := options.NewMatch()
	s := flags.New("client")
	c.flags(s.FlagSet)
	r.flags(s.FlagSet, "wanted `number` of snapshots per second; 0: the server's choice")
	input.flags(s.FlagSet)
	input.capture.flags(s.FlagSet)
	o.MatchFlags(s)
	if err := read(s, args, stdout, "A player of the arena."); err != nil {
		return err
	}
	if err := cmp.Or(r.check(0), input.check(r.hz), o.Check(s)); err != nil {
		return err
	}
	if err := c.check(os.Stdin); err != nil {
		return err
	}
	line := &dialer{link: c.link}
	o.Link.Ordered = line.stream()
	said := stdout
	if o.Trace == options.Stdout { // reserved for the table
		said = stderr
	}
	var me *view.Client
	file := recording{name: o.Recording}
	err := run(ctx, o, &r, stdout, stderr, true, func() (match.Config, error) {
		var err error
		if me, err = newClient(&r, &input, o, 0, line.dial, c.link.Token); err != nil {
			return match.Config{}, err
		}
		ring := replay.NewRing(match.AgainTime)
		if err := errors.Join(me.Record(ring), file.begin(me.Record)); err != nil {
			me.Close()
			return match.Config{}, err
		}
		return match.Config{Clients: []*view.Client{me}, Ring: ring, Drain: func() { line.wait(); input.capture.close(stderr) }}, nil
	})
	err = errors.Join(err, file.close(said))
	if err == nil {
		err = me.Err()
	}
	if err == nil && o.Headless && ctx.Err() == nil && me.Net().Stats().Snapshots == 0 {
		// a script must not take this for success
		err = fmt.Errorf("not joined in %v s; see the messages above", cmp.Or(o.Length, me.Engine().Time().Real).Seconds())
	}
	return err
}

// newClient makes the client of the n-th player of this process.
func newClient(r *rateFlags, input *clientInputFlags, o *options.Options, n int, dial func() (transport.Conn, error), token string) (*view.Client, error) {
	config := view.Config{
		Dial: dial, Token: []byte(token), Rate: r.hz, SendRate: r.sendHz, ActionRate: input.actionHz, Delay: input.bounds(), Link: match.LinkOf(o.Link, n), Log: slog.New(slog.DiscardHandler),
	}
	if n == 0 {
		var err error
		if config.Capture, err = input.capture.create(); err != nil {
			return nil, err
		}
		config.Name = o.Name
	}
	if o.Headless || o.Autopilot || n > 0 {
		auto := view.NewBot(r.seed + uint64(n)*77)
		auto.Peace, auto.Near, auto.Skill = o.Peace, o.Still, o.Skill
		config.Controller = auto
	}
	return view.New(config)
}

// run opens a match and plays it. Without a display it returns an error that says what to do.
func run(ctx context.Context, o *options.Options, r *rateFlags, stdout, stderr io.Writer, clocked bool, open func() (match.Config, error)) error {
	o.Rate, o.Seed, o.Link.Seed = r.hz, r.seed, r.seed
	show := app.New(o, stdout, stderr, func(set settings.Settings) (app.Content, error) {
		o.Settings = set
		c, err := open()
		if err != nil {
			return nil, err
		}
		c.Virtual = !clocked && o.Headless
		return begin(c, o, stderr), nil
	})
	show.RealTime = clocked
	if o.Headless {
		return show.Headless(ctx)
	}
	if !app.Graphics {
		return app.ErrNoGraphics
	}
	err := show.Window(ctx)
	if app.NoWindow(err) {
		return fmt.Errorf("%w; add -headless to play without a window, and -record or -trace to see the match", err)
	}
	return err
}

// begin begins a match. The user plays unless a bot does.
func begin(c match.Config, o *options.Options, log io.Writer) *match.Match {
	c.Settings, c.Log, c.Manual = o.Settings, log, !o.Headless && !o.Autopilot
	return match.New(c)
}

// Host plays and serves in one process.
func Host(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return local(ctx, "host", args, stdout, stderr, 1)
}

// Duel runs a server and two clients in one process, side by side. No other client can join. So
// without a window it runs in virtual time: the same flags give the same pictures.
func Duel(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return local(ctx, "duel", args, stdout, stderr, 2)
}

func local(ctx context.Context, name string, args []string, stdout, stderr io.Writer, players int) error {
	var r rateFlags
	var input clientInputFlags
	var s serverFlags
	o, set := options.NewMatch(), flags.New(name)
	what, level := "A server and two clients side by side; the left one is yours.", slog.LevelWarn
	compare := false
	if players == 1 {
		s.flags(set, "127.0.0.1:7777")
		what, level = "A player of the arena and its server in one process.", slog.LevelInfo
	} else {
		s.maxPlayers, s.workers = players, 1
		set.BoolVar(&compare, "compare", false, "draw your player twice, in two equal matches: naively on the left, by Tandem on the right; the bots do not shoot")
		s.matchFlags(set)
	}
	r.flags(set.FlagSet, snapshotsText)
	input.flags(set.FlagSet)
	input.capture.flags(set.FlagSet)
	o.MatchFlags(set)
	if err := read(set, args, stdout, what); err != nil {
		return err
	}
	if err := cmp.Or(r.check(5), input.check(r.hz), s.check(), o.Check(set)); err != nil {
		return err
	}
	s.record.name = o.Recording
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	said := stdout
	if o.Trace == options.Stdout { // reserved for the table
		said = stderr
	}
	err := run(ctx, o, &r, stdout, stderr, players == 1, func() (match.Config, error) {
		o.Peace = o.Peace || compare
		c, err := openLocal(&r, &input, &s, o, players, log, said)
		c.Drain = func() { input.capture.close(stderr) }
		if err == nil && compare {
			second := input
			second.capture = captureFlag{}
			other, err := openLocal(&r, &second, &s, o, players, log, io.Discard)
			if err != nil {
				match.New(c).Close()
				return c, err
			}
			c.Other = &other
		}
		return c, err
	})
	return errors.Join(err, s.record.close(said))
}

// openLocal opens a server and its players in this process, and prints its join links.
func openLocal(r *rateFlags, input *clientInputFlags, s *serverFlags, o *options.Options, players int, log *slog.Logger, links io.Writer) (match.Config, error) {
	v, err := newServer(r, s, log, true)
	if err != nil {
		return match.Config{}, err
	}
	v.printLinks(links)
	ring := replay.NewRing(match.AgainTime)
	if err := v.match.Server().Record(ring); err != nil {
		v.host.Close()
		return match.Config{}, err
	}
	c := match.Config{Server: v, Ring: ring, Alone: len(v.host.Links()) == 0}
	wish := *r
	wish.sendHz = 0
	for n := range players {
		dial := func() (transport.Conn, error) { return localConn{v.local.Dial(), v.match}, nil }
		one, err := newClient(&wish, input, o, n, dial, v.host.Token())
		if err != nil {
			for _, s := range c.Clients {
				s.Close()
			}
			v.host.Close()
			return match.Config{}, err
		}
		c.Clients = append(c.Clients, one)
	}
	return c, nil
}

// Arena opens a duel as one of the demo's scenes. It logs the status of its clients to stderr.
func Arena(set settings.Settings, stderr io.Writer) (app.Content, error) {
	o := options.NewMatch()
	o.Settings = set
	o.Link.Seed = set.Seed
	r, s := rateFlags{hz: 60, seed: set.Seed}, serverFlags{crates: 24, maxPlayers: 2, workers: 1, round: 3 * time.Minute}
	if err := r.check(5); err != nil {
		return nil, err
	}
	c, err := openLocal(&r, &clientInputFlags{}, &s, o, 2, slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), io.Discard)
	if err != nil {
		return nil, err
	}
	return begin(c, o, stderr), nil
}

// localConn is a connection within the process. Both ends use the server's clock.
type localConn struct {
	transport.Conn
	match *rules.Match
}

// Poll implements [transport.Conn].
func (i localConn) Poll(time.Duration) { i.Conn.Poll(i.match.Engine().Time().Normal) }
