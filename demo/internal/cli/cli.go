// Package cli is the demo's command line as a function: arguments in, exit code out.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tandem-ecs/tandem/demo/internal/app"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/output"
	"github.com/tandem-ecs/tandem/demo/internal/play"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// Exit codes.
const (
	OK     = 0
	Failed = 1 // the command line is right, but the run failed
	Usage  = 2 // the command line is wrong, or names an unusable file or address
)

// command is a subcommand of the arena.
type command struct {
	name string // the first argument
	run  func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

var commands = []command{
	{"server", play.Server},
	{"client", play.Client},
	{"host", play.Host},
	{"duel", play.Duel},
	{"bots", play.Bots},
	{"replay", play.Replay},
	{"timeline", play.Timeline},
}

// Main runs the program with the given arguments, without the program's name. It must be called on
// the main goroutine. Canceling the context ends the run early, with complete files.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	name := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	if name == "help" { // of the demo, or of one command
		name = ""
		if len(args) > 0 {
			name = args[0]
		}
		args = []string{"-h"}
	}
	if rest, ok := withoutArena(args); ok && name == "" {
		name, args = "duel", rest
	}
	if name == "" {
		return show(ctx, args, stdout, stderr)
	}
	for _, c := range commands {
		if c.name == name {
			return networked(ctx, c, args, stdout, stderr)
		}
	}
	return complain(stderr, "", fmt.Errorf("there is no command %q; the commands are %s, and flags begin with a dash", name, names()))
}

// withoutArena returns the arguments without -scene arena, and whether they contained it. The arena
// is shown by the command duel, which has flags of its own.
func withoutArena(args []string) (rest []string, ok bool) {
	for i, arg := range args {
		name, value, given := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		name = strings.TrimPrefix(name, "-")
		last := i
		if !given && i+1 < len(args) {
			value, last = args[i+1], i+1
		}
		if name == "scene" && arg != name && value == settings.Arena {
			return append(slices.Clone(args[:i]), args[last+1:]...), true
		}
	}
	return args, false
}

// names lists the commands, separated by commas.
func names() string {
	var all []string
	for _, c := range commands {
		all = append(all, c.name)
	}
	return strings.Join(all, ", ")
}

// show runs a scene in a window, or off screen.
func show(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := options.Parse(args, stdout)
	if errors.Is(err, flags.ErrHelp) {
		return OK
	}
	if err != nil {
		return complain(stderr, "", err)
	}
	run := app.New(&o, stdout, stderr, func(set settings.Settings) (app.Content, error) { return play.Arena(set, stderr) })
	if !o.Headless && app.Graphics {
		err = run.Window(ctx)
		if !app.NoWindow(err) {
			return exit(stderr, "", err)
		}
		fmt.Fprintf(stderr, "demo: %v; drawing off screen instead\n", err)
	}
	return exit(stderr, "", run.Headless(ctx))
}

// networked runs a command of package play.
func networked(ctx context.Context, c command, args []string, stdout, stderr io.Writer) int {
	err := c.run(ctx, args, stdout, stderr)
	if errors.Is(err, flags.ErrHelp) {
		return OK
	}
	return exit(stderr, c.name+" ", err)
}

// exit reports an error, if there is one, and returns the exit code. command is the command of the
// help text, followed by a space.
func exit(stderr io.Writer, command string, err error) int {
	var bad *output.BadFile
	var usage *flags.BadUsage
	switch {
	case err == nil:
		return OK
	case errors.As(err, &bad), errors.As(err, &usage):
		return complain(stderr, command, err)
	}
	fmt.Fprintf(stderr, "demo: %v\n", err)
	return Failed
}

// complain reports a wrong command line.
func complain(stderr io.Writer, command string, err error) int {
	fmt.Fprintf(stderr, "demo: %v\nFor help: go run ./demo %s-h\n", err, command)
	return Usage
}
