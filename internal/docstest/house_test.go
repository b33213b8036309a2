package docstest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/tandem-ecs/tandem/"

// arrows are the imports that packages of the core may have of each other, tests apart.
var arrows = map[string][]string{
	"ecs":                  nil,
	"components":           {"internal/record"},
	"internal/affine":      {"components"},
	"internal/alive":       nil,
	"internal/column":      nil,
	"internal/coretest":    {"components", "ecs", "systems/interpolation"},
	"internal/docstest":    nil,
	"internal/pointerfree": nil,
	"internal/record":      nil,
	"internal/resource":    nil,
	"systems/motion":       {"components", "ecs"},
	"systems/hierarchy": {
		"components", "ecs", "internal/affine", "internal/alive", "internal/column", "internal/resource",
		"systems/hierarchy/internal/tree", "systems/interpolation",
	},
	"systems/hierarchy/internal/tree": nil,
	"systems/interpolation": {
		"components", "ecs", "internal/column", "internal/pointerfree", "internal/record", "internal/resource",
		"systems/interpolation/internal/capture", "systems/interpolation/internal/draw", "systems/interpolation/internal/kernel",
		"systems/interpolation/internal/offset", "systems/interpolation/internal/samples",
	},
	"systems/interpolation/internal/capture": {
		"components", "internal/column", "internal/record", "systems/interpolation/internal/draw",
		"systems/interpolation/internal/kernel", "systems/interpolation/internal/offset", "systems/interpolation/internal/samples",
	},
	"systems/interpolation/internal/draw": {
		"ecs", "internal/column", "systems/interpolation/internal/offset", "systems/interpolation/internal/samples",
	},
	"systems/interpolation/internal/kernel":     {"components", "internal/record"},
	"systems/interpolation/internal/offset":     {"components"},
	"systems/interpolation/internal/samples":    {"components", "internal/column", "internal/record", "systems/interpolation/internal/kernel"},
	"systems/interpolation/internal/scalarpeer": {"components", "systems/interpolation/internal/kernel"},
}

// unsafeIn are the packages of the core that may import unsafe.
var unsafeIn = []string{"internal/column", "systems/interpolation/internal/kernel"}

// Imports in the core are those of the table, unsafe stands only where it is allowed, and the
// packages below interpolation stay small. Only package draw writes what a table or a row has as
// its Visual.
func TestHouseRules(t *testing.T) {
	seen := map[string]bool{}
	files := map[string]int{}
	written := regexp.MustCompile(`\*\w+(\.\w+)*\.Visual\([^)]*\) =[^=]|\.Visual\(\)\[[^]]*\] =[^=]|:?= \w+\.Visual\(\)$`)
	for _, top := range []string{"ecs", "components", "internal", "systems/motion", "systems/hierarchy", "systems/interpolation"} {
		err := filepath.WalkDir(root+top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			dir := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(name), filepath.Clean(root)+"/"))
			allowed, known := arrows[dir]
			if !known {
				t.Errorf("%s is not in the table of arrows", dir)
			}
			seen[dir] = true
			files[dir]++
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, i := range file.Imports {
				path, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					return err
				}
				if inner, own := strings.CutPrefix(path, module); own && !slices.Contains(allowed, inner) {
					t.Errorf("%s imports %s, which the table of arrows does not allow", name, inner)
				}
				if path == "unsafe" && !slices.Contains(unsafeIn, dir) {
					t.Errorf("%s imports unsafe", name)
				}
			}
			if dir != "systems/interpolation/internal/draw" && strings.HasPrefix(dir, "systems/interpolation") {
				text, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				for k, line := range strings.Split(string(text), "\n") {
					if written.MatchString(line) && !strings.Contains(line, ":= *") {
						t.Errorf("%s:%d writes or keeps a Visual, which only package draw may: %s", name, k+1, line)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for dir := range arrows {
		if !seen[dir] && dir != "internal/docstest" {
			t.Errorf("the table of arrows has %s, which does not exist", dir)
		}
	}
	for dir, n := range files {
		if strings.HasPrefix(dir, "systems/interpolation/") && n > 12 {
			t.Errorf("%s has %d files; at most 12", dir, n)
		}
	}
}
