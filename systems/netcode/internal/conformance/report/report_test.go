package report

import (
	"encoding/xml"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/internal/markdown"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// report holds all results of the suite.
type report struct {
	Outcomes []outcome
	Checks   []check
	Sections []section // of other measurements
}

// section is a table of other measurements, with bounds of its own.
type section struct {
	Title, Lead string
	Terms       []term // of the columns
	Head        []string
	Rows        [][]string
	Checks      []check
}

// term is a word and its meaning.
type term struct{ Name, Text string }

// all returns the checks of the report and of its sections.
func (r *report) all() []check {
	all := slices.Clone(r.Checks)
	for _, s := range r.Sections {
		all = append(all, s.Checks...)
	}
	return all
}

// failed returns the checks with the wrong outcome: missed bounds, and controls that do not miss
// their bounds.
func (r *report) failed() []check { return slices.DeleteFunc(r.all(), check.OK) }

// noted returns the checks with the wrong outcome, and those whose bound has a reason.
func noted(checks []check) []check {
	return slices.DeleteFunc(slices.Clone(checks), func(c check) bool { return c.OK() && c.Why == "" })
}

// tally is a number of bounds that hold, of those that are missed, and of controls that fail.
type tally struct{ Held, Missed, Controls int }

func count(checks []check) (t tally) {
	for _, c := range checks {
		switch {
		case c.Compare:
		case !c.OK():
			t.Missed++
		case c.Control:
			t.Controls++
		default:
			t.Held++
		}
	}
	return t
}

// measureAll runs every row in every lane, every special case and every line.
func measureAll() *report {
	outcomes := compute(laneRows(), allLanes())
	checks := append(rowBounds(outcomes), runSpecials(specials())...)
	slices.SortStableFunc(checks, func(a, b check) int { return a.number() - b.number() })
	cases := lineCases()
	return &report{Outcomes: outcomes, Checks: checks, Sections: []section{newLineSection(cases, measureLines(cases))}}
}

var write = flag.Bool("write", false, "measure everything, and write docs/conformance.md and docs/conformance.html")

const remedy = "run `make conformance` and commit docs/conformance.md and docs/conformance.html"

// The report is the code's. Without -write some rows, cases and lines are measured again, in full,
// and must be equal to the letter.
func TestReport(t *testing.T) {
	if *write {
		writeReport(t)
		return
	}
	page := conformance.Page(t, "conformance.md")
	again := func(names []string, length time.Duration, pick func(r *row) bool) {
		var rows []row
		for _, r := range laneRows() {
			if r.Length <= length && pick(&r) {
				rows = append(rows, r)
			}
		}
		if len(rows) == 0 {
			t.Fatal("no row picked")
		}
		for _, o := range compute(rows, lanes(names...)) {
			section := sectionOf(page, o.heading())
			if !strings.Contains(section, o.about()) {
				t.Errorf("%s: the page does not say %q: %s", o.heading(), o.about(), remedy)
			}
			for i := range o.Lanes {
				if line := markdown.Row(o.cells(i)); !strings.Contains(section, line+"\n") {
					t.Errorf("%s: the page does not have the line\n%s\n%s", o.heading(), line, remedy)
				}
			}
		}
	}
	if testing.Short() {
		again([]string{tandem}, short, func(r *row) bool { return r.key() == "base: 100±10 ms, 10 Hz, M3" })
		return
	}
	again([]string{tandem, mirror, log5}, long, func(r *row) bool { return r.Network.Name == seeds.Name && r.Motion == "M3" })
	again([]string{tandem, onView, linear, hermite, racerSpline, offsetDecay}, short, func(r *row) bool {
		return r.key() == "base: 100±10 ms, 10 Hz, M3" || r.Network.Name == bursts.Name && r.Motion == "M1"
	})
	again([]string{tandem}, short, func(r *row) bool { return r.Network.Down.Ordered || r.Motion == "M7" || r.Network.Down.Jitter == 50*ms })

	var list []special
	for _, s := range specials() {
		switch s.number {
		case "7", "21", "25", "26", "27", "30", "41", "42":
			list = append(list, s)
		}
	}
	for _, c := range runSpecials(list) {
		if line := markdown.Row(c.Cells()); !strings.Contains(page, line+"\n") {
			t.Errorf("the page does not have the line\n%s\n%s", line, remedy)
		}
	}

	var played []lineCase
	for _, c := range lineCases() {
		if c.Name == "clean" || c.Name == "handover" {
			played = append(played, c)
		}
	}
	for i, f := range measureLines(played) {
		if line := markdown.Row(played[i].row(&f)); !strings.Contains(page, "\n"+line+"\n") {
			t.Errorf("the page does not have the line\n%s\n%s", line, remedy)
		}
	}
}

// writeReport measures everything and writes both pages. A bound that is missed is part of them. A
// negative control that does not fail is an error.
func writeReport(t *testing.T) {
	r := measureAll()
	for name, print := range map[string]func() (string, error){"conformance.md": r.markdown, "conformance.html": r.html} {
		page, err := print()
		if err == nil {
			err = os.WriteFile(conformance.Docs+name, []byte(page), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range r.failed() {
		log := t.Logf
		if c.Control {
			log = t.Errorf
		}
		log("case %s, %s, %s: %s is %s, bound %s", c.Case, c.Condition, c.Lane, c.What, c.Measured, c.Text())
	}
}

// sectionOf returns the part of the page below a heading of the third level.
func sectionOf(page, heading string) string {
	_, after, _ := strings.Cut(page, "\n### "+heading+"\n")
	section, _, _ := strings.Cut(after, "\n### ")
	return section
}

// The committed page has every row and every bound, and nothing else.
func TestCommittedPageIsComplete(t *testing.T) {
	page := conformance.Page(t, "conformance.md")
	rows := laneRows()
	_, all, _ := strings.Cut(page, "\n## All figures\n")
	if n := strings.Count(all, "\n### "); n != len(rows) {
		t.Errorf("%d rows on the page, %d in the code: %s", n, len(rows), remedy)
	}
	for i := range rows {
		o := outcome{row: rows[i]}
		section := sectionOf(page, o.heading())
		for _, l := range allLanes() {
			if strings.Count(section, "\n| "+l.Name+" |") != 1 {
				t.Errorf("%s: no line for %s: %s", o.heading(), l.Name, remedy)
			}
		}
	}
	bounds := 0
	for _, s := range specials() {
		for _, b := range s.bounds {
			bounds++
			if start := "| " + s.number + " | " + s.condition + " | " + b.Lane + " | " + b.What + " | "; !strings.Contains(page, start) {
				t.Errorf("the page does not have %q: %s", start, remedy)
			}
		}
	}
	blank := make([]outcome, len(rows))
	for i := range blank {
		blank[i] = outcome{row: rows[i], Lanes: allLanes(), Worst: make([]measures, len(allLanes()))}
	}
	for _, c := range rowBounds(blank) {
		bounds++
		if start := "| " + c.Case + " | " + c.Condition + " | " + c.Lane + " | " + c.What + " | " + c.Text() + " | "; !strings.Contains(page, start) {
			t.Errorf("the page does not have %q: %s", start, remedy)
		}
	}
	_, table, _ := strings.Cut(page, "\n## Bounds\n")
	table, _, _ = strings.Cut(table, "\n##")
	if n := strings.Count(table, "\n| ") - 1; n != bounds {
		t.Errorf("%d bounds on the page, %d in the code: %s", n, bounds, remedy)
	}
	if markdown.Wrap(page) != page {
		t.Errorf("the page's lines are not wrapped: %s", remedy)
	}
	if strings.Contains(page, "does not fail") {
		t.Error("a negative control does not fail: the bound that it stands for proves nothing")
	}
}

// The committed page has every case and every bound, and nothing else.
func TestCommittedSectionIsComplete(t *testing.T) {
	_, section, found := strings.Cut(conformance.Page(t, "conformance.md"), "\n## "+lineTitle+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found || !strings.Contains(section, markdown.Wrap(lineLead)) {
		t.Fatalf("conformance.md has no section %q: %s", lineTitle, remedy)
	}
	if !strings.Contains(conformance.Page(t, "conformance.html"), lineTitle) {
		t.Errorf("conformance.html has no section %q: %s", lineTitle, remedy)
	}
	cases, bounds := lineCases(), 0
	for i := range cases {
		c := &cases[i]
		if start := "\n| " + strings.Join(c.row(&lineFigures{})[:2], " | ") + " | "; strings.Count(section, start) != 1 {
			t.Errorf("the page does not have a line %q: %s", start, remedy)
		}
		for _, check := range c.checks(&lineFigures{}) {
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

// The suite has every case that the list marks as run.
func TestCasesAreCovered(t *testing.T) {
	found := map[string]bool{}
	for _, r := range laneRows() {
		for _, n := range strings.Split(r.Case, ", ") {
			found[n] = true
		}
	}
	for _, s := range specials() {
		found[s.number] = true
	}
	for _, n := range strings.Fields("1 2 3 4 5 6 7 8 10 11 12 13 15 19 21 22 23 24 25 26 27 28 30 41 42 44") {
		if !found[n] {
			t.Errorf("case %s is not run", n)
		}
	}
}

// The committed HTML page needs no outside resources and is well formed.
func TestCommittedHTML(t *testing.T) {
	page := conformance.Page(t, "conformance.html")
	if bad := regexp.MustCompile(`(?i)<script|<link|<img|https?://|@import|url\(|NaN|ZgotmplZ`).FindString(page); bad != "" {
		t.Errorf("the page contains %q", bad)
	}
	if n := strings.Count(page, "<svg "); n < 20 {
		t.Errorf("%d diagrams, want at least 20", n)
	}
	// Between two charts the page is XML, except for its void elements.
	for _, svg := range regexp.MustCompile(`(?s)<svg .*?</svg>`).FindAllString(page, -1) {
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); err != nil {
				if err.Error() != "EOF" {
					t.Fatalf("a diagram is malformed: %v", err)
				}
				break
			}
		}
	}
}
