package lines

import (
	"os"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/internal/markdown"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

const remedy = "run `make conformance` and commit docs/conformance.md and docs/conformance.html"

func read(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../../../../../docs/" + name)
	if err != nil {
		t.Fatalf("%v: %s", err, remedy)
	}
	return string(page)
}

// The committed page has every case and every bound, and nothing else.
func TestCommittedSectionIsComplete(t *testing.T) {
	_, section, found := strings.Cut(read(t, "conformance.md"), "\n## "+title+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found || !strings.Contains(section, markdown.Wrap(lead)) {
		t.Fatalf("conformance.md has no section %q: %s", title, remedy)
	}
	if !strings.Contains(read(t, "conformance.html"), title) {
		t.Errorf("conformance.html has no section %q: %s", title, remedy)
	}
	cases, bounds := Cases(), 0
	for i := range cases {
		c := &cases[i]
		if start := "\n| " + strings.Join(c.row(&Figures{})[:2], " | ") + " | "; strings.Count(section, start) != 1 {
			t.Errorf("the page does not have a line %q: %s", start, remedy)
		}
		for _, check := range c.checks(&Figures{}) {
			bounds++
			if start := "\n" + markdown.Row(check.Cells()[:5]) + " "; !strings.Contains(section, start) {
				t.Errorf("the page does not have the bound %q: %s", start, remedy)
			}
		}
	}
	if n := strings.Count(section, "\n| ") - 2; n != len(cases)+bounds {
		t.Errorf("%d lines in the section, want %d: %s", n, len(cases)+bounds, remedy)
	}
}

// The committed figures match the code. Some cases are played again, with all seeds, and must be
// equal to the letter.
func TestCommittedFiguresAreTheCodes(t *testing.T) {
	if testing.Short() {
		t.Skip("plays twenty minutes")
	}
	page := read(t, "conformance.md")
	var again []Case
	for _, c := range Cases() {
		if c.Name == "clean" || c.Name == "upload" || c.Name == "handover" {
			again = append(again, c)
		}
	}
	for i, f := range measure(again, nil) {
		if line := "\n| " + strings.Join(again[i].row(&f), " | ") + " |\n"; !strings.Contains(page, line) {
			t.Errorf("the page does not have the line%s%s", line, remedy)
		}
	}
}

func TestSectionHasAllCases(t *testing.T) {
	r := &conformance.Report{}
	cases := Cases()
	seen := map[string]bool{}
	section := newSection(cases, make([]Figures, len(cases)))
	if len(section.Rows) != len(cases) {
		t.Errorf("%d lines for %d cases", len(section.Rows), len(cases))
	}
	for i, row := range section.Rows {
		if key := cases[i].key(); len(row) != len(section.Head) || seen[key] {
			t.Errorf("%s has %d columns, want %d, or is there twice", key, len(row), len(section.Head))
		} else {
			seen[key] = true
		}
	}
	r.Sections = append(r.Sections, section)
	if failed := r.Failed(); len(failed) == 0 || len(failed) == len(section.Checks) {
		t.Errorf("of figures that are all 0 %d bounds of %d are missed", len(failed), len(section.Checks))
	}
}
