package conformance

import (
	"bytes"
	"encoding/xml"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/internal/markdown"
)

const remedy = "run `make conformance` and commit docs/conformance.md and docs/conformance.html"

func committed(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../../../docs/conformance.md")
	if err != nil {
		t.Fatalf("%v: %s", err, remedy)
	}
	return string(page)
}

// The committed page matches the code. Some rows and cases are computed again, in full, and must be
// equal to the letter.
func TestCommittedFiguresAreTheCodes(t *testing.T) {
	page := committed(t)
	again := func(names []string, length time.Duration, pick func(r *Row) bool) {
		var rows []Row
		for _, r := range Rows() {
			if r.Length <= length && pick(&r) {
				rows = append(rows, r)
			}
		}
		if len(rows) == 0 {
			t.Fatal("no row picked")
		}
		for _, o := range compute(rows, lanes(names...), nil) {
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
		again([]string{tandem}, short, func(r *Row) bool { return r.key() == "base: 100±10 ms, 10 Hz, M3" })
		return
	}
	again([]string{tandem, mirror, log5}, long, func(r *Row) bool { return r.Network.Name == seeds.Name && r.Motion == "M3" })
	again([]string{tandem, onView, linear, hermite, racerSpline, offsetDecay}, short, func(r *Row) bool {
		return r.key() == "base: 100±10 ms, 10 Hz, M3" || r.Network.Name == bursts.Name && r.Motion == "M1"
	})
	again([]string{tandem}, short, func(r *Row) bool { return r.Network.Down.Ordered || r.Motion == "M7" || r.Network.Down.Jitter == 50*ms })

	var list []special
	for _, s := range specials() {
		switch s.number {
		case "7", "21", "25", "26", "27", "30", "41", "42":
			list = append(list, s)
		}
	}
	for _, c := range runSpecials(list, nil) {
		if line := markdown.Row(c.Cells()); !strings.Contains(page, line+"\n") {
			t.Errorf("the page does not have the line\n%s\n%s", line, remedy)
		}
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
	page := committed(t)
	rows := Rows()
	_, all, _ := strings.Cut(page, "\n## All figures\n")
	if n := strings.Count(all, "\n### "); n != len(rows) {
		t.Errorf("%d rows on the page, %d in the code: %s", n, len(rows), remedy)
	}
	for i := range rows {
		o := Outcome{Row: rows[i]}
		section := sectionOf(page, o.heading())
		for _, l := range Lanes() {
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
	blank := make([]Outcome, len(rows))
	for i := range blank {
		blank[i] = Outcome{Row: rows[i], Lanes: Lanes(), Worst: make([]Measure, len(Lanes()))}
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

// The suite has every case that the list marks as run.
func TestCasesAreCovered(t *testing.T) {
	found := map[string]bool{}
	for _, r := range Rows() {
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
	page, err := os.ReadFile("../../../../docs/conformance.html")
	if err != nil {
		t.Fatalf("%v: %s", err, remedy)
	}
	if bad := regexp.MustCompile(`(?i)<script|<link|<img|https?://|@import|url\(|NaN|ZgotmplZ`).Find(page); bad != nil {
		t.Errorf("the page contains %q", bad)
	}
	if n := bytes.Count(page, []byte("<svg ")); n < 20 {
		t.Errorf("%d diagrams, want at least 20", n)
	}
	// Between two charts the page is XML, except for its void elements.
	for _, svg := range regexp.MustCompile(`(?s)<svg .*?</svg>`).FindAll(page, -1) {
		d := xml.NewDecoder(bytes.NewReader(svg))
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

// A report of a few rows renders as Markdown and as HTML.
func TestReportRenders(t *testing.T) {
	row := Row{Case: "2", Network: base, Motion: "M2", Length: 8 * time.Second}
	r := &Report{Outcomes: compute([]Row{row}, Lanes(), nil)}
	r.Checks = rowBounds(r.Outcomes)
	if len(r.Checks) != 4 {
		t.Fatalf("%d bounds for case 2, want 4", len(r.Checks))
	}
	r.Checks = append(r.Checks,
		Bound{Lane: tandem, What: "a bound <missed>", Unit: Metres, Limit: 1, Why: "Because."}.Check("99", "x", 2),
		Bound{Lane: tandem, What: "a bound that holds", Unit: Metres, Limit: 2, Why: "Another."}.Check("99", "x", 1),
		Bound{Lane: log5, What: "a control", Unit: Metres, Limit: 1, Control: true}.Check("99", "x", 2))
	r.Sections = []Section{{
		Title: "Lines", Lead: "Said first.", Terms: []Term{{"lag", "how old"}}, Head: []string{"line", "lag"}, Rows: [][]string{{"thin", "9 ms"}},
		Checks: []Check{
			Bound{Lane: "all", What: "a line's bound", Unit: Metres, Limit: 1}.Check("50", "thin", 2),
			Bound{Lane: "all", What: "another", Unit: Metres, Limit: 3}.Check("50", "thin", 2),
		},
	}}
	if failed := r.Failed(); len(failed) != 2 || failed[1].What != "a line's bound" {
		t.Errorf("failed: %+v", failed)
	}
	var markdown bytes.Buffer
	if err := r.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"5 bounds hold, 1 are missed. 1 negative controls fail as they must.",
		"| 99 | x | Tandem (default) | a bound <missed> | ≤ 1.000 m | 2.000 m | **misses** |",
		"| 99 | x | Seed: Log #5 | a control | ≤ 1.000 m | 2.000 m | fails, as it must |",
		"Missed or restated, and why:\n\n- Case 99, x: a bound <missed> is 2.000 m, bound ≤ 1.000 m. Because.\n- Case 99, x: a bound that holds is 1.000 m, bound ≤ 2.000 m. Another.\n\n## ",
		"- Case 50, thin: a line's bound is 2.000 m, bound ≤ 1.000 m.\n",
		"### base: 100±10 ms · M2, circle of 20 m at 20 m/s",
		"\n## Lines\n\nSaid first.\n\n- **lag**: how old\n\n| line | lag |\n|---|---:|\n| thin | 9 ms |\n",
		"1 bounds of these lines hold, 1 are missed.",
		"| 50 | thin | all | a line's bound | ≤ 1.000 m | 2.000 m | **misses** |",
	} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("the Markdown page does not say %q", want)
		}
	}
	list := scenes()
	p := newPlot(&list[0])
	if len(p.Charts) != 3 || len(p.Charts[0].Curves) != 4 || len(p.Legend) != 4 || !p.Charts[2].Last {
		t.Errorf("the first plot has %d charts, %d curves and %d names", len(p.Charts), len(p.Charts[0].Curves), len(p.Legend))
	}
	var html bytes.Buffer
	if err := htmlPage.Execute(&html, page{Checks: r.Checks, All: r.all(), Sections: r.Sections, Plots: []plot{p}, Glances: []heat{r.heat(&glances[0])}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(html.String(), "<td>9 ms</td>") || !strings.Contains(html.String(), "a line&#39;s bound") {
		t.Error("the HTML page does not have the section")
	}
	if !strings.Contains(html.String(), "a bound &lt;missed&gt;") || strings.Contains(html.String(), "ZgotmplZ") {
		t.Error("the HTML page does not escape, or escapes too much")
	}
}

func TestTicksAreRound(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		n      int
		want   string
	}{
		{0, 1, 4, "0 0.5 1"}, {0, 0.26, 4, "0 0.1 0.2"}, {10, 12.5, 10, "10 10.5 11 11.5 12 12.5"}, {-3, 21, 4, "0 10 20"}, {0, 60, 4, "0 20 40 60"},
	} {
		var got []string
		for _, v := range ticks(tt.lo, tt.hi, tt.n) {
			got = append(got, number(v))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("ticks of %v to %v: %s, want %s", tt.lo, tt.hi, s, tt.want)
		}
	}
}

// A path leaves out points on a straight line, and no others.
func TestPathKeepsCorners(t *testing.T) {
	identity := func(v float64) float64 { return v }
	got := path([]float64{0, 10, 20, 30, 40}, []float64{0, 10, 20, 10, 0}, identity, identity)
	if got != "M0 0L20 20L40 0" {
		t.Errorf("path %q", got)
	}
}

func TestVerdicts(t *testing.T) {
	b := Bound{Lane: "x", What: "y", Unit: Metres, Limit: 0.05}
	for _, tt := range []struct {
		value float64
		b     Bound
		ok    bool
		text  string
	}{
		{0.05, b, true, "holds"},
		{0.0504, b, true, "holds"}, // as printed
		{0.06, b, false, "**misses**"},
		{0.06, Bound{Unit: Metres, Limit: 0.05, Control: true}, true, "fails, as it must"},
		{0.04, Bound{Unit: Metres, Limit: 0.05, Control: true}, false, "**does not fail**"},
		{0.04, Bound{Unit: Metres, Limit: 0.05, Least: true}, false, "**misses**"},
		{0.06, Bound{Unit: Metres, Limit: 0.05, Least: true}, true, "holds"},
		{9, Bound{Unit: Metres, Compare: true}, true, "for comparison"},
	} {
		c := tt.b.Check("1", "c", tt.value)
		if c.OK() != tt.ok || c.Cells()[6] != tt.text {
			t.Errorf("%v against %+v: %v, %q, want %v, %q", tt.value, tt.b, c.OK(), c.Cells()[6], tt.ok, tt.text)
		}
	}
}
