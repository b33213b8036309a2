package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/app"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/match"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// play runs the world while the user plays in it, in the window of the arena's clients and with
// their keys. Without a window a bot plays, and the flags -screenshot and -record show its picture.
func play(ctx context.Context, o worldOptions, stdout, stderr io.Writer) error {
	s, stop, err := openServers(ctx, o, stderr)
	if err != nil {
		return err
	}
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	told := make(chan struct{})
	go func() {
		defer close(told)
		for ctx.Err() == nil {
			s.tellBots(o.bots)
			time.Sleep(100 * time.Millisecond)
		}
	}()
	defer func() { cancel(); <-told }()

	shown, set := options.NewMatch(), flags.New("play")
	shown.MatchFlags(set)
	args := []string{"-size", fmt.Sprintf("%dx%d", o.width, o.height)}
	if o.headless {
		args = append(args, "-headless")
	}
	if err := set.Read(args, io.Discard, "", ""); err != nil {
		return err
	}
	if err := shown.Check(set); err != nil {
		return err
	}
	shown.Rate, shown.Length, shown.Screenshot, shown.Record = o.rate, o.length, o.files.Screenshot, o.files.Record
	turn := 0
	dial := func() (transport.Conn, error) {
		turn++
		if link := s.places[turn%len(s.places)].status().Link; link != "" {
			return dialAt(link)
		}
		return nil, errNoZone
	}
	show := app.New(shown, stdout, stderr, func(now settings.Settings) (app.Content, error) {
		me, err := newClient(o.rate, dial, func(c *view.Config) {
			if c.Name = "you"; o.headless {
				c.Controller = view.NewBot(uint64(maxBots))
			}
		})
		if err != nil {
			return nil, err
		}
		return match.New(match.Config{Clients: []*view.Client{me}, Settings: now, Log: stderr, Manual: !o.headless}), nil
	})
	show.RealTime = true
	if o.headless {
		return show.Headless(ctx)
	}
	return show.Window(ctx)
}
