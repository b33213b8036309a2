// Package programs runs the programs of examples/ and compares what they print with their pages.
package programs

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// build builds a program and returns its file.
func build(t *testing.T, program string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.exe")
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", path, program).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", program, err, out)
	}
	return path
}

// Process is a program that runs beside the test.
type Process struct {
	In io.Writer // its standard input
	// Out has the lines of its standard output. Carriage returns end lines, too.
	Out *bufio.Scanner
	// Err is what it has written to its standard error. Read it after Wait.
	Err  bytes.Buffer
	Wait func() error
}

// Start builds a program and starts it. It is killed at the end of the test, or after a minute.
func Start(t *testing.T, program string, args ...string) *Process {
	t.Helper()
	p, command := &Process{}, exec.Command(build(t, program), args...)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = &p.Err
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p.In, p.Out, p.Wait = in, bufio.NewScanner(out), sync.OnceValue(command.Wait)
	p.Out.Split(func(data []byte, end bool) (int, []byte, error) {
		if at := bytes.IndexAny(data, "\r\n"); at >= 0 {
			return at + 1, data[:at], nil
		}
		return 0, nil, nil
	})
	deadline := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
	t.Cleanup(func() {
		deadline.Stop()
		_ = command.Process.Kill()
		_ = p.Wait()
	})
	return p
}

// PrintsItsPage builds a program, runs it, and reports an error unless the page shows all that it
// prints: as one block, each line indented by four spaces. The program's comment must say how to
// run it.
//
// Go caches the results of tests by the files that they read and the packages that they import: a
// caller imports what its programs import.
func PrintsItsPage(t *testing.T, program, page string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(program, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if comment, _, _ := strings.Cut(string(source), "\npackage main\n"); !strings.Contains(comment, "go run ./") {
		t.Errorf("the comment of %s does not say how to run it", program)
	}
	var stderr bytes.Buffer
	run := exec.Command(build(t, program))
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil || len(out) == 0 {
		t.Fatalf("%s prints %d bytes: %v\n%s", program, len(out), err, &stderr)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	block := "\n\n    " + strings.Join(lines, "\n    ") + "\n\n"
	if !strings.Contains(string(text), block) {
		t.Errorf("%s does not show the output of %s, which is\n%s", page, program, block)
	}
}
