package docstest

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const (
	maxLines   = 400 // of a file
	maxExample = 100 // lines of a program in examples/
	maxColumns = 100 // of a line that ends with a comment
	tabColumns = 4
)

// A file holds one concept, in at most 400 lines.
func TestFilesAreShort(t *testing.T) {
	for _, f := range sourcesWith(t, true) {
		if n := strings.Count(f.text, "\n"); n > maxLines {
			t.Errorf("%s has %d lines, at most %d; split it by its concepts", f.name, n, maxLines)
		}
	}
}

// A program of examples/ is one file of at most 100 lines, those in modules of their own included.
func TestExamplesAreShort(t *testing.T) {
	programs := 0
	err := filepath.WalkDir(root+"examples", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		if d.Name() != "main.go" {
			t.Errorf("%s: a program is one file, main.go", name)
		}
		text, err := os.ReadFile(name)
		programs++
		if n := strings.Count(string(text), "\n"); n > maxExample {
			t.Errorf("%s has %d lines, at most %d", name, n, maxExample)
		}
		return err
	})
	if err != nil || programs < 11 {
		t.Errorf("%d programs found: %v", programs, err)
	}
}

// Comments end within 100 columns, those behind code too. Tables, directives, expected output and
// lines of one word, such as addresses, may be wider.
func TestCommentsAreNarrow(t *testing.T) {
	for _, f := range sourcesWith(t, true) {
		var wide []int
		if path.Ext(f.name) == ".go" {
			wide = wideInGo(f.text)
		} else {
			wide = wideInAssembly(f.text)
		}
		for _, line := range wide {
			t.Errorf("%s:%d: the comment is wider than %d columns (a tab counts %d); wrap it", f.name, line, maxColumns, tabColumns)
		}
	}
}

func columns(line string) int {
	return len([]rune(line)) + (tabColumns-1)*strings.Count(line, "\t")
}

// exempt reports whether a line of a comment may be wide.
func exempt(comment string) bool {
	return strings.HasPrefix(comment, "//go:") || strings.HasPrefix(comment, "//\t") || strings.HasPrefix(comment, "//   ") ||
		len(strings.Fields(strings.TrimPrefix(comment, "//"))) <= 1
}

// wideInGo returns the numbers of the lines whose comments are too wide.
func wideInGo(text string) (wide []int) {
	lines := strings.Split(text, "\n")
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	output := 0 // the line of expected output that was read last
	for {
		at, tok, literal := s.Scan()
		if tok == token.EOF {
			return wide
		}
		if tok != token.COMMENT {
			continue
		}
		line := files.Position(at).Line
		if strings.HasPrefix(literal, "// Output:") || strings.HasPrefix(literal, "// Unordered output:") || output > 0 && line == output+1 {
			output = line
			continue
		}
		if strings.HasPrefix(literal, "//") && columns(lines[line-1]) > maxColumns && !exempt(literal) {
			wide = append(wide, line)
		}
	}
}

// wideInAssembly does so for assembly and its headers.
func wideInAssembly(text string) (wide []int) {
	for k, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, "//"); at >= 0 && columns(line) > maxColumns && !exempt(line[at:]) {
			wide = append(wide, k+1)
		}
	}
	return wide
}

// Prose on pages ends within 100 columns. Headings, tables, pictures, comments, code and lines of
// one word may be wider.
func TestPagesAreNarrow(t *testing.T) {
	for name, text := range pages(t) {
		fenced := false
		for k, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			isProse := !fenced && !strings.HasPrefix(line, "    ") && (line == "" || !strings.Contains("#|!<", line[:1]))
			if isProse && columns(line) > maxColumns && len(strings.Fields(line)) > 1 {
				t.Errorf("%s:%d: the line is wider than %d columns; wrap it", name, k+1, maxColumns)
			}
		}
	}
}
