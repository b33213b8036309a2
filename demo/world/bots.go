package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// crowd is an order to the process of the bots, a line of JSON.
type crowd struct {
	Bots  int
	Links []string // of the zones that run: each is good for each bot
}

// crowdFigures is what the process of the bots prints, as a line of JSON.
type crowdFigures struct {
	Bots, Playing                         int
	Moves, Corrections, Jumps, Reconnects uint64
	RTT                                   time.Duration
}

var errNoZone = errors.New("no zone runs yet")

// dialAt connects to the zone of a link.
func dialAt(at string) (transport.Conn, error) {
	link, err := joinlink.Parse(at)
	if err != nil {
		return nil, err
	}
	if link.Transport != joinlink.DTLS || link.Host != "127.0.0.1" {
		return nil, fmt.Errorf("%s is no zone of this world, which is on this machine", link.Address())
	}
	return dtls.Dial(link.Address(), link.Fingerprint, dtls.Config{}), nil
}

// newClient returns a client of the world that joins wherever dial leads.
func newClient(rate int, dial func() (transport.Conn, error), change func(c *view.Config)) (*view.Client, error) {
	c := view.Config{
		Dial: dial, Rate: rate, Log: slog.New(slog.DiscardHandler),
		World: view.World{
			Level: arena.NewWorld(), Extend: extend, DialAt: dialAt,
			Timeout: 1500 * time.Millisecond, Retry: 250 * time.Millisecond,
		},
	}
	change(&c)
	return view.New(c)
}

// runBots runs the process of the bots, whose orders are lines of the standard input. It ends with
// that, or with the context.
func runBots(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	rate, peace := 0, false
	set := flags.New("bots")
	set.IntVar(&rate, "hz", 30, "ticks per second")
	set.BoolVar(&peace, "peace", false, "the bots do not shoot")
	if err := set.Read(args, stdout, "The bots of the world, which the command without a name begins.\n\n", ""); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var told atomic.Pointer[crowd]
	told.Store(&crowd{})
	go func() {
		defer stop()
		lines := bufio.NewScanner(stdin)
		for lines.Scan() {
			var c crowd
			if json.Unmarshal(lines.Bytes(), &c) == nil {
				told.Store(&c)
			}
		}
	}()
	var bots []*view.Client
	defer func() {
		for _, b := range bots {
			b.Close()
		}
	}()
	out := json.NewEncoder(stdout)
	turn := 0
	dial := func() (transport.Conn, error) {
		links := told.Load().Links
		if len(links) == 0 {
			return nil, errNoZone
		}
		turn++
		return dialAt(links[turn%len(links)])
	}
	start := time.Now()
	var last, reported, joined time.Duration
	for ctx.Err() == nil {
		now := time.Since(start)
		if c := told.Load(); len(bots) < c.Bots && len(c.Links) > 0 && now-joined > 100*time.Millisecond {
			joined = now
			n := uint64(len(bots))
			b, err := newClient(rate, dial, func(c *view.Config) {
				bot := view.NewBot(n)
				bot.Peace = peace
				c.Controller, c.Headless, c.Name = bot, true, fmt.Sprintf("bot %d", n+1)
			})
			if err != nil {
				return err
			}
			bots = append(bots, b)
		}
		for _, b := range bots {
			b.Advance(now - last)
		}
		last = now
		if now-reported > time.Second/4 {
			reported = now
			if err := out.Encode(countBots(bots)); err != nil {
				return err
			}
		}
		time.Sleep(time.Second/time.Duration(rate)/2 - (time.Since(start) - now))
	}
	return nil
}

func countBots(bots []*view.Client) (f crowdFigures) {
	f.Bots = len(bots)
	for _, b := range bots {
		s := b.Net().Stats()
		if s.Status == netcode.Playing && s.Silence < 500*time.Millisecond {
			f.Playing++
			f.RTT += s.RTT
		}
		f.Moves += s.Moves
		f.Corrections += s.Corrections
		f.Jumps += s.Jumps
		f.Reconnects += s.Reconnects
	}
	f.RTT /= time.Duration(max(f.Playing, 1))
	return f
}
