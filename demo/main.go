// Demo shows Tandem: worlds that run in fixed steps, drawn at any frame rate.
//
//	go run ./demo
//
// opens a window, where H explains the keys; -h lists the flags. Built without cgo it has no window
// and no pictures, but -headless -trace works.
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
	// An interrupted run ends as one that was closed: with whole files.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		// who is impatient interrupts it again, and ends it at once; but some tools send the first
		// signal twice
		time.Sleep(time.Second)
		stop()
	})
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
