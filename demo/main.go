// Command demo shows Tandem: worlds that run in fixed steps, drawn at any frame rate.
//
//	go run ./demo
//
// opens a window. The key H explains the keys, and -h lists the flags. A build without cgo has no
// window and no pictures: it says so, and how to get them. It runs scenes by -headless -trace,
// servers and bots.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/cli"
)

func main() {
	// An interrupted run ends like one whose window was closed: its files are complete.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		// A second interrupt ends the program at once. It counts after a second only, because some
		// tools send the first signal twice.
		time.Sleep(time.Second)
		stop()
	})
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
