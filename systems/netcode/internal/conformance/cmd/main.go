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
	"sync"

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
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(errs, "conformance: %q is no flag; use -out DIR\n", flags.Arg(0))
		return 2
	}
	if info, err := os.Stat(*out); err != nil || !info.IsDir() {
		fmt.Fprintf(errs, "conformance: -out %s: no such directory; create it or name another one\n", *out)
		return 2
	}

	runs := rates.Runs()
	if !*only {
		runs += conformance.Runs() + lines.Runs()
	}
	done := progress(errs, runs)
	controls := true
	if !*only {
		report := conformance.RunAll(done)
		lines.Add(report, done)
		if err := write(*out, report); err != nil {
			fmt.Fprintln(errs, "conformance:", err)
			return 1
		}
		for _, c := range report.Failed() {
			fmt.Fprintf(errs, "case %s, %s, %s: %s is %s, bound %s\n", c.Case, c.Condition, c.Lane, c.What, c.Measured, c.Text())
			controls = controls && !c.Control
		}
	}
	if err := tuning(*out, done); err != nil {
		fmt.Fprintln(errs, "conformance:", err)
		return 1
	}
	if !controls {
		return 1
	}
	return 0
}

// write writes both pages of the report.
func write(dir string, report *conformance.Report) error {
	for name, print := range map[string]func(io.Writer) error{"conformance.md": report.WriteMarkdown, "conformance.html": report.WriteHTML} {
		var content bytes.Buffer
		if err := print(&content); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), content.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tuning measures the rates and puts their tables into the page. The report is in the same
// directory.
func tuning(dir string, done func()) error {
	name := filepath.Join(dir, "tuning.md")
	page, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%w; the tables need a page to go into, as docs/tuning.md is", err)
	}
	report, err := os.ReadFile(filepath.Join(dir, "conformance.md"))
	if err != nil {
		return fmt.Errorf("%w; leave -rates out to make it", err)
	}
	filled, err := rates.Fill(string(page), string(report), done)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(name, []byte(filled), 0o644)
}

// progress returns a function that counts runs, up to a number of them, and prints the finished
// share in whole per cent.
func progress(w io.Writer, of int) func() {
	var mutex sync.Mutex
	done, last := 0, -1
	return func() {
		mutex.Lock()
		defer mutex.Unlock()
		done++
		if share := 100 * done / of; share > last {
			last = share
			fmt.Fprintf(w, "\r%3d %%", share)
		}
		if done == of {
			fmt.Fprintln(w)
		}
	}
}
