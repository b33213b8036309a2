package play

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/app"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// read reads the arguments of a command.
func read(s *flags.Set, args []string, out io.Writer, what string) error {
	head := fmt.Sprintf("%s\n\n    go run ./demo %s [flags]        go run ./demo -h names the other commands\n", what, s.Name())
	return s.Read(args, out, head, "")
}

// first returns the first of several errors: one fault at a time is enough to read.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Client joins a server and plays.
func Client(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var r rates
	var input playerInput
	var c connecting
	o := options.NewMatch()
	s := flags.New("client")
	c.flags(s.FlagSet)
	r.flags(s.FlagSet, "the wish for a `number` of snapshots per second; 0: as the server likes")
	input.flags(s.FlagSet)
	o.MatchFlags(s)
	if err := read(s, args, stdout, "A player of the arena."); err != nil {
		return err
	}
	if err := first(r.check(0), input.check(r.hz), o.CheckMatch(s)); err != nil {
		return err
	}
	if err := c.check(os.Stdin); err != nil {
		return err
	}
	line := &dialer{link: c.link}
	o.Link.Ordered = line.stream()
	var m *match
	err := run(ctx, o, &r, stdout, stderr, true, func() (*match, error) {
		one, err := newSeat(&r, &input, o, 0, line.dial, c.link.Token)
		m = &match{seats: []*view.Seat{one}, settle: line.wait}
		return m, err
	})
	if err == nil {
		err = m.seats[0].Err()
	}
	if err == nil && o.Headless && ctx.Err() == nil && m.seats[0].Client().Stats().Snapshots == 0 {
		// a script must not take it for a success
		err = fmt.Errorf("not joined in %v s; what stood in the way is said above", cmp.Or(o.Length, m.seats[0].Engine().Time().Real).Seconds())
	}
	return err
}

// newSeat makes the seat of the n-th player of this process.
func newSeat(r *rates, input *playerInput, o *options.Options, n int, dial func() (transport.Conn, error), token string) (*view.Seat, error) {
	config := view.Config{
		Dial: dial, Token: []byte(token), Rate: r.hz, SendRate: r.sendHz, ActionRate: input.actionHz, Delay: input.bounds(), Link: linkOf(o.Link, n), Log: slog.New(slog.DiscardHandler),
	}
	if o.Headless || o.Autopilot || n > 0 {
		auto := view.NewAuto(r.seed + uint64(n)*77)
		auto.Peace, auto.Near = o.Peace, o.Still
		config.Pilot = auto
	}
	return view.New(config)
}

// run opens a match and plays it. Without a display it returns an error with the remedy.
func run(ctx context.Context, o *options.Options, r *rates, stdout, stderr io.Writer, clocked bool, open func() (*match, error)) error {
	o.Rate, o.Seed, o.Link.Seed = r.hz, r.seed, r.seed
	show := app.New(o, stdout, stderr, func(set settings.Settings) (app.Content, error) {
		o.Settings = set
		m, err := open()
		if err != nil {
			return nil, err
		}
		m.begin(o, stderr)
		m.virtual = !clocked && o.Headless
		return m, nil
	})
	show.Clocked = clocked
	if o.Headless {
		return show.Headless(ctx)
	}
	err := show.Window(ctx)
	if app.NoWindow(err) {
		return fmt.Errorf("%w; add -headless to play without a window, with -record or -trace to see something", err)
	}
	return err
}

// Host plays and serves in one process.
func Host(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return local(ctx, "host", args, stdout, stderr, 1)
}

// Duel is a server and two clients in one process, seen side by side. Nobody else can join. So
// without a window it runs in virtual time: the same flags give the same pictures.
func Duel(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return local(ctx, "duel", args, stdout, stderr, 2)
}

func local(ctx context.Context, name string, args []string, stdout, stderr io.Writer, players int) error {
	var r rates
	var input playerInput
	var s serving
	o, set := options.NewMatch(), flags.New(name)
	what, level := "A server and two clients side by side; the left one is yours.", slog.LevelWarn
	if players == 1 {
		s.flags(set, "127.0.0.1:7777")
		what, level = "A player of the arena who is its server, too.", slog.LevelInfo
	} else {
		set.IntVar(&s.crates, "crates", 24, "crates in the arena, `0 to 900`")
		s.maxPlayers = players
		s.input.flags(set.FlagSet)
	}
	r.flags(set.FlagSet, snapshotsText)
	input.flags(set.FlagSet)
	o.MatchFlags(set)
	if err := read(set, args, stdout, what); err != nil {
		return err
	}
	if err := first(r.check(5), input.check(r.hz), s.check(), o.CheckMatch(set)); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	said := stdout
	if o.Trace == options.Stdout { // for the table alone
		said = stderr
	}
	return run(ctx, o, &r, stdout, stderr, players == 1, func() (*match, error) { return openLocal(&r, &input, &s, o, players, log, said) })
}

// openLocal opens a server with its players in this process, and prints its links.
func openLocal(r *rates, input *playerInput, s *serving, o *options.Options, players int, log *slog.Logger, links io.Writer) (*match, error) {
	v, err := newServer(r, s, log, true)
	if err != nil {
		return nil, err
	}
	for _, link := range v.host.Links() {
		fmt.Fprintln(links, link)
	}
	m := &match{server: v, alone: len(v.host.Links()) == 0}
	wish := *r
	wish.sendHz = 0
	for n := range players {
		dial := func() (transport.Conn, error) { return inside{v.own.Dial(), v.match}, nil }
		one, err := newSeat(&wish, input, o, n, dial, v.host.Token())
		if err != nil {
			m.Close()
			return nil, err
		}
		m.seats = append(m.seats, one)
	}
	return m, nil
}

// Arena opens a duel as one of the demo's scenes, with their settings. It logs to stderr how its
// players fare.
func Arena(set settings.Settings, stderr io.Writer) (app.Content, error) {
	o := options.NewMatch()
	o.Settings = set
	o.Link.Seed = set.Seed
	r, s := rates{hz: 60, seed: set.Seed}, serving{crates: 24, maxPlayers: 2}
	if err := r.check(5); err != nil {
		return nil, err
	}
	m, err := openLocal(&r, &playerInput{}, &s, o, 2, slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), io.Discard)
	if err != nil {
		return nil, err
	}
	m.begin(o, stderr)
	return m, nil
}

// inside is a connection within the process. Its two ends need one clock: the server's.
type inside struct {
	transport.Conn
	match *rules.Match
}

// Poll implements [transport.Conn].
func (i inside) Poll(time.Duration) { i.Conn.Poll(i.match.Engine().Time().Normal) }
