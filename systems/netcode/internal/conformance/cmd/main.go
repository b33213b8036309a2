// Command cmd runs the conformance suite and writes its report:
//
//	go run ./systems/netcode/internal/conformance/cmd -out docs
//
// writes docs/conformance.md and docs/conformance.html and the tables of docs/tuning.md, in about
// three minutes on two cores. With -rates it writes the tables only, in one minute. The exit code
// is 1 if a file could not be written or a negative control did not fail, and 2 for wrong flags.
// Bounds that are missed are part of the report.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/lines"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/rates"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

func run(args []string, errs io.Writer) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(errs)
	out := flags.String("out", "docs", "directory to write conformance.md and conformance.html to, with a tuning.md whose tables are written anew")
	only := flags.Bool("rates", false, "write the tables of tuning.md only")
	workers := flags.Int("workers", runtime.GOMAXPROCS(0), "runs at a time; the result does not depend on it")
	quiet := flags.Bool("quiet", false, "print no progress")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(errs, "conformance: %q is no flag; use -out DIR\n", flags.Arg(0))
		return 2
	}
	if *workers < 1 {
		fmt.Fprintf(errs, "conformance: -workers %d: use 1 or more\n", *workers)
		return 2
	}
	if info, err := os.Stat(*out); err != nil || !info.IsDir() {
		fmt.Fprintf(errs, "conformance: -out %s: no such directory; create it or name another one\n", *out)
		return 2
	}

	if *only {
		return tuning(*out, *workers, errs, *quiet)
	}
	report := conformance.RunAll(*workers, progress(errs, *quiet))
	lines.Add(report, *workers, counted(progress(errs, *quiet), lines.Runs()))
	var markdown, page bytes.Buffer
	if err := report.WriteMarkdown(&markdown); err != nil {
		fmt.Fprintln(errs, "conformance:", err)
		return 1
	}
	if err := report.WritePage(&page, *workers); err != nil {
		fmt.Fprintln(errs, "conformance:", err)
		return 1
	}
	for name, content := range map[string][]byte{"conformance.md": markdown.Bytes(), "conformance.html": page.Bytes()} {
		if err := os.WriteFile(filepath.Join(*out, name), content, 0o644); err != nil {
			fmt.Fprintln(errs, "conformance:", err)
			return 1
		}
	}
	code := tuning(*out, *workers, errs, *quiet)
	for _, c := range report.Failed() {
		fmt.Fprintf(errs, "case %s, %s, %s: %s is %s, bound %s\n", c.Case, c.Condition, c.Lane, c.What, c.Measured, c.Bound)
		if c.Control {
			code = 1
		}
	}
	return code
}

// tuning measures the rates and puts their tables into the page. The report is in the same
// directory.
func tuning(dir string, workers int, errs io.Writer, quiet bool) int {
	name := filepath.Join(dir, "tuning.md")
	page, err := os.ReadFile(name)
	if err != nil {
		fmt.Fprintf(errs, "conformance: %v; the tables need a page to go into, as docs/tuning.md is\n", err)
		return 1
	}
	report, err := os.ReadFile(filepath.Join(dir, "conformance.md"))
	if err != nil {
		fmt.Fprintf(errs, "conformance: %v; leave -rates out to make it\n", err)
		return 1
	}
	filled, err := rates.Fill(string(page), string(report), workers, counted(progress(errs, quiet), rates.Runs()))
	if err == nil {
		err = os.WriteFile(name, []byte(filled), 0o644)
	}
	if err != nil {
		fmt.Fprintf(errs, "conformance: %s: %v\n", name, err)
		return 1
	}
	return 0
}

// counted returns a function that reports one more of a number of runs as done, or nil if progress
// is not shown.
func counted(show func(done, of int), of int) func() {
	if show == nil {
		return nil
	}
	var count atomic.Int64
	return func() { show(int(count.Add(1)), of) }
}

// progress prints the finished share in whole per cent.
func progress(w io.Writer, quiet bool) func(done, of int) {
	if quiet {
		return nil
	}
	var mutex sync.Mutex
	last := -1
	return func(done, of int) {
		mutex.Lock()
		defer mutex.Unlock()
		if share := 100 * done / of; share > last {
			last = share
			fmt.Fprintf(w, "\r%3d %%", share)
			if share == 100 {
				fmt.Fprintln(w)
			}
		}
	}
}
