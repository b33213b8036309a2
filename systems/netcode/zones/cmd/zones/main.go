// Command zones is the operator's tool for a world of zones: it writes the map, splits and merges
// zones, lets a zone take no newcomers, and shows which process runs which zone.
//
//	zones -nats tls://n1,tls://n2,tls://n3 -creds operator.creds -world vale status
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

const usage = `zones shows and changes a world of zones.

  zones [flags] status                    which process runs which zone, and how busy it is
  zones [flags] map FILE                  writes the map of the world from a file in JSON
  zones [flags] map print                 prints the map
  zones [flags] split ZONE TO x|z PLACE   gives the land of ZONE at or beyond x or z = PLACE, in
                                          metres, to zone TO, a new one or one that exists
  zones [flags] merge FROM INTO           gives all land of FROM to INTO
  zones [flags] drain ZONE                lets ZONE take no newcomers

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.As(err, new(misuse)):
		fmt.Fprintf(os.Stderr, "zones: %v\nzones -h lists the commands.\n", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "zones: %v\n", err)
		os.Exit(1)
	}
}

// misuse is the error of a command line that cannot be understood.
type misuse string

func (m misuse) Error() string { return string(m) }

// command is one of the tool's commands.
type command struct {
	least, most int // how many arguments it has
	arguments   string
	run         func(t *tool, args []string) error
}

var commands = map[string]command{
	"status": {0, 0, "no arguments", (*tool).status},
	"map":    {1, 1, "a file in JSON, or print", (*tool).putMap},
	"split":  {4, 4, "the zone, the zone that gets its land, x or z, and the place in metres", (*tool).split},
	"merge":  {2, 2, "the zone that gives its land, and the one that gets it", (*tool).merge},
	"drain":  {1, 1, "the zone", (*tool).drain},
}

// tool is what the commands work with.
type tool struct {
	ctx context.Context
	s   *store.Store
	out io.Writer
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("zones", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed once, by main
	urls := flags.String("nats", "nats://127.0.0.1:4222", "`addresses` of NATS, with commas between them")
	creds := flags.String("creds", "", "`file` with the credentials, or the seed of an nkey, for NATS")
	world := flags.String("world", "", "`name` of the world")
	wait := flags.Duration("wait", 10*time.Second, "how long NATS is waited for")
	parse := func(args []string) error {
		err := flags.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(out, usage)
			flags.SetOutput(out)
			flags.PrintDefaults()
			return err
		}
		if err != nil {
			return misuse(err.Error())
		}
		return nil
	}
	if err := parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return misuse("name a command, for example status")
	}
	name := flags.Arg(0)
	c, ok := commands[name]
	if !ok {
		return misuse(fmt.Sprintf("there is no command %q", name))
	}
	if err := parse(flags.Args()[1:]); err != nil { // flags behind the command
		return err
	}
	switch {
	case flags.NArg() < c.least || flags.NArg() > c.most:
		return misuse(fmt.Sprintf("%s takes %s, not %q", name, c.arguments, flags.Args()))
	case *world == "":
		return misuse("name the world with -world NAME")
	}
	nc, err := store.Connect(*urls, *creds)
	if err != nil {
		return err
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(ctx, *wait)
	defer cancel()
	s, err := store.Open(ctx, nc, *world)
	if err != nil {
		return fmt.Errorf("%w\nIs NATS at %s, with JetStream, and may these credentials use it?", err, *urls)
	}
	return c.run(&tool{ctx, s, out}, flags.Args())
}

func (t *tool) printf(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }
