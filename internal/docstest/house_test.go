package docstest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/tandem-ecs/tandem/"

// imports says which packages of the module a package may import, tests apart. A key and a value
// hold for a folder and all below it, the longest key that fits counts, and a value with a dot at
// its end is that package alone. "demo" is at the top: it may import everything.
var imports = map[string][]string{
	"ecs":                        nil,
	"components":                 {"internal/plugin", "internal/record"},
	"internal":                   nil,
	"internal/affine":            {"components"},
	"internal/coretest":          {"components", "ecs", "systems/interpolation."},
	"systems/motion":             {"components", "ecs", "internal/plugin"},
	"systems/hierarchy":          {"components", "ecs", "internal", "systems/hierarchy/internal", "systems/interpolation."},
	"systems/hierarchy/internal": nil,
	"systems/interpolation":      {"components", "ecs", "internal", "systems/interpolation/internal"},
	"systems/interpolation/internal/capture": {
		"components", "internal/column", "internal/record", "systems/interpolation/internal/draw",
		"systems/interpolation/internal/kernel", "systems/interpolation/internal/offset", "systems/interpolation/internal/samples",
	},
	"systems/interpolation/internal/draw": {
		"ecs", "internal/column", "systems/interpolation/internal/offset", "systems/interpolation/internal/samples",
	},
	"systems/interpolation/internal/kernel":  {"components", "internal/record"},
	"systems/interpolation/internal/offset":  {"components"},
	"systems/interpolation/internal/samples": {"components", "internal/column", "internal/record", "systems/interpolation/internal/kernel"},

	"systems/netcode": {
		"components", "ecs", "internal", "systems/hierarchy.", "systems/interpolation.",
		"systems/netcode/internal", "systems/netcode/interp.", "systems/netcode/replay.", "systems/netcode/timeline.",
		"systems/netcode/transport.",
	},
	"systems/netcode/access": {"systems/netcode/internal/address"},
	"systems/netcode/agones": {"ecs."},
	"systems/netcode/host":   {"ecs", "systems/netcode"},
	"systems/netcode/netcodetest": {
		"ecs", "systems/interpolation.", "systems/netcode.", "systems/netcode/transport",
	},
	"systems/netcode/interp":    {"systems/netcode/internal"},
	"systems/netcode/replay":    {"systems/netcode/internal"},
	"systems/netcode/timeline":  {"systems/netcode/internal"},
	"systems/netcode/transport": {"systems/netcode/internal/address", "systems/netcode/internal/atomicfile", "systems/netcode/transport"},
	"systems/netcode/internal":  {"systems/netcode/internal"},
	"systems/netcode/articles":  {"systems/netcode/internal", "systems/netcode/interp."},
	// imported by tests only
	"systems/netcode/internal/conformance":       nil,
	"systems/netcode/internal/conformance/match": {"components", "ecs", "systems/interpolation.", "systems/netcode"},
	"systems/netcode/internal/testgame":          {"components", "ecs", "systems/interpolation.", "systems/netcode"},

	"render":   {"components", "ecs", "render", "systems/interpolation."},
	"examples": {"components", "ecs", "systems"},
	"demo":     {"components", "demo", "ecs", "internal", "render", "systems"},
}

// measuring are packages of tests that no other package imports.
var measuring = []string{"systems/netcode/internal/conformance"}

// worldless are packages that know neither the engine nor its worlds: they import no arche.
var worldless = []string{
	"internal/affine", "internal/docstest", "internal/markdown", "internal/pointerfree",
	"systems/interpolation/internal/kernel",
	"systems/netcode/access", "systems/netcode/internal", "systems/netcode/interp", "systems/netcode/replay", "systems/netcode/timeline", "systems/netcode/transport",
	"render/offscreen", "render/opengl", "render/record", "render/window",
}

// unsafeIn are the packages that may import unsafe: in the core those over arche's memory and the
// kernels, above it those that talk to graphics libraries.
var unsafeIn = []string{
	"internal/column", "systems/interpolation/internal/kernel",
	"render/offscreen", "render/opengl", "render/opengl/internal/gl", "render/window",
}

// quic is the package that alone imports quic-go, which is heavy and has few users. Only the demo
// imports the package in turn. A game that serves browsers does so itself.
const quic = "systems/netcode/transport/webtransport"

// within reports whether a package is a folder or below it.
func within(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

// ruleOf returns the longest key of imports that fits a package.
func ruleOf(dir string) (key string, found bool) {
	for k := dir; k != "."; k = path.Dir(k) {
		if _, ok := imports[k]; ok {
			return k, true
		}
	}
	return "", false
}

// mayImport reports whether one package may import another.
func mayImport(dir, inner string) bool {
	if slices.ContainsFunc(measuring, func(m string) bool { return within(inner, m) && !within(dir, m) }) {
		return false
	}
	key, _ := ruleOf(dir)
	return slices.ContainsFunc(imports[key], func(to string) bool {
		if alone, only := strings.CutSuffix(to, "."); only {
			return inner == alone
		}
		return within(inner, to)
	})
}

// source is a file of the module.
type source struct {
	name, dir string // from the module's root
	text      string
}

// sources returns the files of the module in Go and in assembly.
func sources(t *testing.T) []source { return sourcesWith(t, false) }

// sourcesWith returns the same, and on request those of the modules below it.
func sourcesWith(t *testing.T, modules bool) (files []source) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(name, filepath.Clean(root)+string(filepath.Separator)))
		switch {
		case d.IsDir() && (rel == "tools" || name != root && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() && name != root && !modules:
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return filepath.SkipDir
			}
		case slices.Contains([]string{".go", ".s", ".h"}, path.Ext(rel)):
			text, err := os.ReadFile(name)
			files = append(files, source{rel, path.Dir(rel), string(text)})
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 300 {
		t.Fatalf("only %d files found", len(files))
	}
	return files
}

// Packages import only what the table allows, and unsafe stands only where it is allowed.
func TestImports(t *testing.T) {
	used := map[string]bool{}
	for _, f := range sources(t) {
		if path.Ext(f.name) != ".go" || strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		key, known := ruleOf(f.dir)
		if !known {
			t.Errorf("%s: its folder is not in the table of imports", f.name)
		}
		used[key] = true
		file, err := parser.ParseFile(token.NewFileSet(), f.name, f.text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			to, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if inner, own := strings.CutPrefix(to, module); own && !mayImport(f.dir, inner) {
				t.Errorf("%s imports %s, which the table of imports does not allow", f.name, inner)
			}
			in := func(folder string) bool { return within(f.dir, folder) }
			isMeasuring := slices.ContainsFunc(append(measuring, "systems/netcode/internal/testgame"), in)
			if strings.HasPrefix(to, "github.com/mlange-42/arche") && !isMeasuring && slices.ContainsFunc(worldless, in) {
				t.Errorf("%s imports %s, but knows no world", f.name, to)
			}
			if strings.HasPrefix(to, "github.com/quic-go/") && f.dir != quic {
				t.Errorf("%s imports %s, which only %s may", f.name, to, quic)
			}
			if to == module+quic && !in("demo") {
				t.Errorf("%s imports %s, which only the demo may", f.name, to)
			}
			if to == "unsafe" && !slices.Contains(unsafeIn, f.dir) {
				t.Errorf("%s imports unsafe, which only %v may", f.name, unsafeIn)
			}
		}
	}
	for key := range imports {
		if !used[key] {
			t.Errorf("the table of imports has %s, which has no files", key)
		}
	}
}

// Only package draw writes the Visual of a table or a row, and the packages below interpolation
// stay small.
func TestOnlyDrawWritesVisuals(t *testing.T) {
	files := map[string]int{}
	written := regexp.MustCompile(`\*\w+(\.\w+)*\.Visual\([^)]*\) =[^=]|\.Visual\(\)\[[^]]*\] =[^=]|:?= \w+\.Visual\(\)$`)
	for _, f := range sources(t) {
		if !within(f.dir, "systems/interpolation") || path.Ext(f.name) != ".go" || strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		files[f.dir]++
		if f.dir == "systems/interpolation/internal/draw" {
			continue
		}
		for k, line := range strings.Split(f.text, "\n") {
			if written.MatchString(line) && !strings.Contains(line, ":= *") {
				t.Errorf("%s:%d writes or keeps a Visual, which only package draw may: %s", f.name, k+1, line)
			}
		}
	}
	for dir, n := range files {
		if dir != "systems/interpolation" && n > 12 {
			t.Errorf("%s has %d files; at most 12", dir, n)
		}
	}
}
