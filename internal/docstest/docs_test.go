// Package docstest tests the pages (their code and their links) and the rules of the sources:
// imports, lengths, widths.
package docstest

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the way from here to the repository's root.
const root = "../../"

// pages returns the repository's Markdown pages by their names, relative to its root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob(root + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(root + "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range append(names, more...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	if len(all) < 8 {
		t.Fatalf("only %d pages found", len(all))
	}
	return all
}

// squeezed makes code comparable: no indentation, no alignment, no empty lines.
func squeezed(code string) string {
	var b strings.Builder
	b.WriteString("\n")
	for _, line := range strings.Split(code, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// Every Go block of every page stands, line for line, in a test or in a program of examples/, which
// are compiled and run. So neither can change without the other.
func TestCodeInPagesIsCompiled(t *testing.T) {
	var sources []string
	for _, dir := range []string{root + "ecs", root + "components", root + "systems", root + "internal/docstest", root + "examples"} {
		err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
			isProgram := dir == root+"examples" && strings.HasSuffix(name, ".go")
			if err != nil || !isProgram && !strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := os.ReadFile(name)
			sources = append(sources, squeezed(string(text)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	block := regexp.MustCompile("(?s)\n```go\n(.*?)\n```")
	blocks := 0
	for name, text := range pages(t) {
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			blocks++
			want, found := squeezed(m[1]), false
			for _, s := range sources {
				found = found || strings.Contains(s, want)
			}
			if !found {
				t.Errorf("%s: no _test.go file and no program of examples/ contains the lines below as they stand; change the page or the code that it shows\n%s", name, m[1])
			}
		}
		if n, all := len(block.FindAllString(text, -1)), strings.Count(text, "\n```"); 2*n != all {
			t.Errorf("%s: %d blocks of Go and %d lines of ```: mark Go with ```go, and indent everything else by four spaces", name, n, all)
		}
	}
	if blocks < 5 {
		t.Errorf("only %d blocks of Go found", blocks)
	}
}

// docs/netcode.md says that a game begins by copying two files of examples: they need nothing else
// of their package.
func TestExamplesToCopyStandAlone(t *testing.T) {
	positions := token.NewFileSet()
	var files []*ast.File
	for _, name := range []string{"example_test.go", "example_game_test.go"} {
		if !strings.Contains(pages(t)[root+"docs/netcode.md"], "(../systems/netcode/"+name+")") {
			t.Errorf("docs/netcode.md does not name %s any more", name)
		}
		file, err := parser.ParseFile(positions, root+"systems/netcode/"+name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	undefined := 0
	config := types.Config{Importer: nothing{}, Error: func(err error) {
		// imports are not looked into, only names of the package itself count
		if strings.Contains(err.Error(), "undefined: ") {
			undefined++
			t.Error(err)
		}
	}}
	_, err := config.Check("main", positions, files, nil)
	if err == nil {
		t.Error("nothing could be imported, and nobody complained: does this test look at anything?")
	}
	if undefined > 0 {
		t.Log("these two files are to be copied: move into them what they need, or do without it")
	}
}

// nothing is an importer that finds nothing.
type nothing struct{}

func (nothing) Import(string) (*types.Package, error) { return nil, errors.New("not looked for") }

// Pages link to what exists, sections included.
func TestLinksInPagesExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?s)\n```.*?\n```|`[^`\n]*`")
	heading := regexp.MustCompile(`(?m)^#+ (.+)$`)
	odd := regexp.MustCompile(`[^\pL\pN -]`)
	all := pages(t)
	anchors := func(name string) map[string]bool {
		found := map[string]bool{"": true}
		for _, m := range heading.FindAllStringSubmatch(all[name], -1) {
			found[strings.ReplaceAll(odd.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
		}
		return found
	}
	links := 0
	for name, text := range all {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			path, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if path != "" {
				target = filepath.Join(filepath.Dir(name), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			} else if strings.HasSuffix(target, ".md") && !anchors(target)[anchor] {
				t.Errorf("%s links to %s, where no heading is called so", name, m[1])
			}
		}
	}
	if links < 15 {
		t.Errorf("only %d links found", links)
	}
}

// ARCHITECTURE.md's tree of folders is the repository's, and the files that it names beside the way
// of a pose exist.
func TestHouseIsAsDrawn(t *testing.T) {
	text := pages(t)[root+"ARCHITECTURE.md"]
	_, tree, _ := strings.Cut(text, "\n## The house\n")
	tree, _, _ = strings.Cut(tree, "\n## ")
	var path []string // of the line before, by depth
	folders := 0
	for _, line := range strings.Split(tree, "\n") {
		name := strings.TrimLeft(line, " ")
		depth := (len(line)-len(name))/2 - 2
		folder, _, found := strings.Cut(name, "/")
		if depth < 0 || !found || strings.Contains(folder, " ") {
			continue
		}
		if depth > len(path) {
			t.Fatalf("%q is deeper than anything above it", line)
		}
		path = append(path[:depth], folder)
		folders++
		if info, err := os.Stat(root + filepath.Join(path...)); err != nil || !info.IsDir() {
			t.Errorf("there is no folder %s", strings.Join(path, "/"))
		}
	}
	if folders < 15 {
		t.Errorf("only %d folders found", folders)
	}

	files := 0
	for _, m := range regexp.MustCompile(`[a-z0-9_]+/[a-z0-9_/]+\.go`).FindAllString(text, -1) {
		files++
		_, err := os.Stat(root + m)
		if _, under := os.Stat(root + "systems/" + m); err != nil && under != nil {
			t.Errorf("there is no file %s", m)
		}
	}
	if files < 8 {
		t.Errorf("only %d files found", files)
	}
}
