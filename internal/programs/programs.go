// Package programs runs the programs of examples/ and compares what they print with their pages.
package programs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
	path := filepath.Join(t.TempDir(), "program.exe")
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", path, program).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", program, err, out)
	}
	var stderr bytes.Buffer
	run := exec.Command(path)
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
