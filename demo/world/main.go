// Command world runs the demo's arena as one world of four zones: a process of NATS, four server
// processes, a process of bots, and a window that shows the world from above.
//
//	go run -C demo/world .
//
// The keys 1 to 4 kill a zone, which begins again from its checkpoint. Q, W, E and R stop one for
// 20 s, as a machine that hangs: another process takes the zone over, and the stopped one wakes
// fenced. B adds bots. The flag -h lists the flags.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/tandem-ecs/tandem/demo/internal/flags"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	var usage *flags.BadUsage
	switch {
	case err == nil, errors.Is(err, flags.ErrHelp):
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "world: %v\nFor help: go run -C demo/world . -h\n", err)
		os.Exit(2)
	default:
		fmt.Fprintf(os.Stderr, "world: %v\n", err)
		os.Exit(1)
	}
}

// run runs the program with its arguments. The first one may be the kind of a child process.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "zone":
			return runZone(ctx, args[1:], stdout, stderr)
		case "bots":
			return runBots(ctx, args[1:], os.Stdin, stdout)
		}
	}
	return runWorld(ctx, args, stdout, stderr)
}
