package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each file gets its compressed forms. A second run writes nothing, a changed file is compressed
// again, a damaged form too, and the forms of a removed file go.
func TestCompress(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.Repeat("one text ", 1000)
	write("page.js", text)
	write("tiny", "x")
	compress := func(quick bool, want ...string) {
		t.Helper()
		var out strings.Builder
		if err := run([]string{dir}, quick, &out); err != nil {
			t.Fatal(err)
		}
		var wrote []string
		for line := range strings.Lines(out.String()) {
			name, _, _ := strings.Cut(filepath.Base(line), ":")
			wrote = append(wrote, name)
		}
		if slices.Sort(wrote); !slices.Equal(wrote, want) {
			t.Errorf("it wrote %q, want %q", wrote, want)
		}
	}
	holds := func(text string) {
		t.Helper()
		for _, f := range forms {
			packed, err := os.ReadFile(filepath.Join(dir, "page.js"+f.suffix))
			if err != nil || !f.holds(packed, []byte(text)) {
				t.Errorf("%s holds another text: %v", f.suffix, err)
			}
		}
	}
	compress(false, "page.js.br", "page.js.gz")
	holds(text)
	compress(false)
	write("page.js", text+"more")
	compress(false, "page.js.br", "page.js.gz")
	holds(text + "more")
	write("page.js.br", "damaged")
	compress(false, "page.js.br")
	compress(true)
	if _, err := fs.Stat(os.DirFS(dir), "page.js.br"); err == nil {
		t.Error("there is brotli after a quick run")
	}
	if err := os.Remove(filepath.Join(dir, "page.js")); err != nil {
		t.Fatal(err)
	}
	compress(false)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("there are %v, %v", left, err)
	}
	if err := run(nil, false, io.Discard); err == nil {
		t.Error("no error without a folder")
	}
	if err := run([]string{filepath.Join(dir, "none")}, false, io.Discard); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}
