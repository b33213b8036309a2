package play

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/seat"
	"github.com/tandem-ecs/tandem/render/window"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Client joins a server and plays.
func Client(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var r rates
	var ways playerWays
	var c connecting
	var path conditions
	var show showing
	fs := flag.NewFlagSet("client", flag.ContinueOnError)
	r.flags(fs, "the wish for a `number` of snapshots per second; 0: as the server likes")
	ways.flags(fs)
	c.flags(fs)
	path.flags(fs)
	show.flags(fs)
	if err := parse(fs, args, stdout, "A player of the arena."); err != nil {
		return err
	}
	if err := errors.Join(r.check(0), ways.check(r.hz), c.check(), path.check(r.seed), show.check()); err != nil {
		return first(err)
	}
	way := &caller{link: c.link}
	path.link.Ordered = way.stream()
	s, err := newSeat(&r, &ways, &path, &show, 0, way.dial, c.link.Token)
	if err != nil {
		return err
	}
	t := &table{seats: []*seat.Seat{s}, show: &show, stdout: stdout, stderr: stderr, settle: way.settle}
	err = t.play(ctx)
	if err == nil {
		err = s.Err()
	}
	if err == nil && show.headless && ctx.Err() == nil && s.Client().Stats().Snapshots == 0 { // a script would take it for a game that was played
		err = fmt.Errorf("not joined in %v s; what stood in the way is said above", show.seconds)
	}
	return err
}

// first returns the first of several joined errors: one fault at a time is enough to read.
func first(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok && len(all.Unwrap()) > 0 {
		return all.Unwrap()[0]
	}
	return err
}

// newSeat makes the seat of the n-th player of this process.
func newSeat(r *rates, ways *playerWays, path *conditions, show *showing, n int, dial func() (transport.Conn, error), token string) (*seat.Seat, error) {
	link := path.link
	link.Seed += uint64(n) * 1000
	config := seat.Config{Dial: dial, Token: []byte(token), Rate: r.hz, SendRate: r.sendHz, ActionRate: ways.actionHz, Delay: ways.bounds(), Link: link, Log: slog.New(slog.DiscardHandler)}
	if show.headless || show.auto || n > 0 {
		auto := seat.NewAuto(r.seed + uint64(n)*77)
		auto.Peace, auto.Near = show.peace, show.still
		config.Pilot = auto
	}
	return seat.New(config)
}

// play runs the table and closes its seats. Without a display it says so.
func (t *table) play(ctx context.Context) error {
	err := t.run(ctx)
	for _, s := range t.seats {
		s.Close()
	}
	if t.settle != nil {
		t.settle()
	}
	if errors.Is(err, window.ErrNoDisplay) || errors.Is(err, window.ErrNoOpenGL) {
		return fmt.Errorf("%w; add -headless to play without a window, with -record or -trace to see something", err)
	}
	return err
}

// Host plays and serves in one process.
func Host(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return local(ctx, "host", args, stdout, stderr, 1)
}

// Duel is a server and two clients in one process, seen side by side. Nobody else can join, so without a window it runs in virtual time: the same flags give the same
// pictures.
func Duel(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return local(ctx, "duel", args, stdout, stderr, 2)
}

func local(ctx context.Context, name string, args []string, stdout, stderr io.Writer, players int) error {
	var r rates
	var ways playerWays
	var s serving
	var path conditions
	var show showing
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	r.flags(fs, snapshotsText)
	ways.flags(fs)
	what := "A server and two clients side by side; the left one is yours."
	if players == 1 {
		s.flags(fs, "127.0.0.1:7777")
		what = "A player of the arena who is its server, too."
	} else {
		fs.IntVar(&s.crates, "crates", 24, "crates in the arena, `0 to 900`")
		s.maxPlayers = players
		s.ways.flags(fs)
	}
	path.flags(fs)
	show.flags(fs)
	if err := parse(fs, args, stdout, what); err != nil {
		return err
	}
	if err := errors.Join(r.check(5), ways.check(r.hz), s.check(), path.check(r.seed), show.check()); err != nil {
		return first(err)
	}
	level := slog.LevelInfo
	if players > 1 {
		level = slog.LevelWarn
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	h, err := newHouse(&r, &s, log, true)
	if err != nil {
		return err
	}
	defer h.close()
	for _, link := range h.lobby.links {
		fmt.Fprintln(stdout, link)
	}
	t := &table{house: h, show: &show, stdout: stdout, stderr: stderr, virtual: players > 1 && show.headless}
	wish := r
	wish.sendHz = 0
	for n := range players {
		dial := func() (transport.Conn, error) { return inside{h.lobby.own.Dial(), h}, nil }
		s, err := newSeat(&wish, &ways, &path, &show, n, dial, h.lobby.token)
		if err != nil {
			return err
		}
		t.seats = append(t.seats, s)
	}
	return t.play(ctx)
}

// inside is a connection within the process. Its two ends need one clock: the server's.
type inside struct {
	transport.Conn
	house *house
}

// Poll implements [transport.Conn].
func (i inside) Poll(time.Duration) { i.Conn.Poll(i.house.match.Engine().Time().Normal) }
