package report

import (
	"bytes"
	_ "embed"
	htmltemplate "html/template"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/tandem-ecs/tandem/internal/markdown"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/plot"
)

var (
	//go:embed page.html
	htmlSource string
	//go:embed page.md
	markdownSource string

	functions = map[string]any{
		"count": count,
		"noted": noted,
		"row":   markdown.Row,
		"style": func() htmltemplate.CSS { return htmltemplate.CSS(plot.Style) },
		"table": func(head []string, rows [][]string) markdown.Table {
			return markdown.Table{Labels: 1, Head: head, Rows: rows}
		},
	}

	htmlPage     = htmltemplate.Must(htmltemplate.New("page").Funcs(functions).Parse(htmlSource))
	markdownPage = template.Must(template.New("page").Funcs(functions).Parse(markdownSource))
)

// page is the data of both templates.
type page struct {
	Seeds, TickRate int
	WarmUp          float64
	Headline        []headline
	Checks, All     []check // those of the report, and with those of its sections
	Sections        []section
	Glances         []heat
	Plots           []figure
	Heads           []string
	Rows            []figures
}

// headline is a figure in large type.
type headline struct{ Figure, Text, Beside string }

// heat is a table of one measure, which the HTML page colours.
type heat struct {
	Title string
	Head  []string
	Rows  [][]heatCell
}

// heatCell is a figure and its grade: 0 none, 1 good, 2 middling, 3 bad.
type heatCell struct {
	Text  string
	Level int
}

// Texts returns the table without its grades.
func (h heat) Texts() (rows [][]string) {
	for _, cells := range h.Rows {
		var texts []string
		for _, c := range cells {
			texts = append(texts, c.Text)
		}
		rows = append(rows, texts)
	}
	return rows
}

// figures is one row of the report with all its measures.
type figures struct {
	Heading, About string
	Lines          [][]string
}

// markdown returns the report as a Markdown page.
func (r *report) markdown() (string, error) {
	var b strings.Builder
	err := markdownPage.Execute(&b, r.page())
	return markdown.Wrap(b.String()), err
}

// html returns the report as one self-contained HTML page. It runs the scenes for the plots.
func (r *report) html() (string, error) {
	p, list := r.page(), scenes()
	p.Plots = make([]figure, len(list))
	conformance.Parallel(len(list), func(i int) { p.Plots[i] = newPlot(&list[i]) })
	var b strings.Builder
	err := htmlPage.Execute(&b, p)
	return b.String(), err
}

// page returns the data of the pages, without the plots.
func (r *report) page() *page {
	p := &page{
		Seeds: laneSeeds, TickRate: tickRate, WarmUp: warmUp.Seconds(), Headline: r.headlines(),
		Checks: r.Checks, All: r.all(), Sections: r.Sections, Heads: measureHeads,
	}
	for _, g := range glances {
		p.Glances = append(p.Glances, r.heat(&g))
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		f := figures{Heading: o.heading(), About: o.about()}
		for l := range o.Lanes {
			f.Lines = append(f.Lines, o.cells(l))
		}
		p.Rows = append(p.Rows, f)
	}
	return p
}

// headlines returns the most important figures at the seeds' own condition.
func (r *report) headlines() []headline {
	key := (&row{Network: seeds, Motion: "M3"}).key()
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.key() != key {
			continue
		}
		ours, seed, other := o.lane(tandem), o.lane(log5), o.lane(mirror)
		tile := func(text string, print func(m *measures) string) headline {
			// number and unit stay together
			whole := func(m *measures) string { return strings.ReplaceAll(print(m), " ", "\u00a0") }
			return headline{whole(ours), text, "Mirror " + whole(other) + ", Log\u00a0#5 " + whole(seed)}
		}
		return []headline{
			tile("of the frames starve", func(m *measures) string { return conformance.Percents.Print(m.Starved) }),
			tile("median lag of the view", func(m *measures) string { return milliseconds(m.Lag50) }),
			tile("worst jump in a frame", func(m *measures) string { return conformance.Metres.Print(m.Jump) }),
			tile("error, rms", func(m *measures) string { return conformance.Metres.Print(m.ErrorRMS) }),
		}
	}
	return nil
}

// A report of a few rows renders as Markdown and as HTML.
func TestReportRenders(t *testing.T) {
	circle := row{Case: "2", Network: base, Motion: "M2", Length: 8 * time.Second}
	r := &report{Outcomes: compute([]row{circle}, allLanes())}
	r.Checks = rowBounds(r.Outcomes)
	if len(r.Checks) != 4 {
		t.Fatalf("%d bounds for case 2, want 4", len(r.Checks))
	}
	r.Checks = append(r.Checks,
		bound{Lane: tandem, What: "a bound <missed>", Unit: conformance.Metres, Limit: 1, Why: "Because."}.check("99", "x", 2),
		bound{Lane: tandem, What: "a bound that holds", Unit: conformance.Metres, Limit: 2, Why: "Another."}.check("99", "x", 1),
		bound{Lane: log5, What: "a control", Unit: conformance.Metres, Limit: 1, Control: true}.check("99", "x", 2))
	r.Sections = []section{{
		Title: "Lines", Lead: "Said first.", Terms: []term{{"lag", "how old"}}, Head: []string{"line", "lag"}, Rows: [][]string{{"thin", "9 ms"}},
		Checks: []check{
			bound{Lane: "all", What: "a line's bound", Unit: conformance.Metres, Limit: 1}.check("50", "thin", 2),
			bound{Lane: "all", What: "another", Unit: conformance.Metres, Limit: 3}.check("50", "thin", 2),
		},
	}}
	if failed := r.failed(); len(failed) != 2 || failed[1].What != "a line's bound" {
		t.Errorf("failed: %+v", failed)
	}
	text, err := r.markdown()
	if err != nil {
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
		if !strings.Contains(text, want) {
			t.Errorf("the Markdown page does not say %q", want)
		}
	}
	list := scenes()
	p := newPlot(&list[0])
	if len(p.Charts) != 3 || len(p.Charts[0].Curves) != 4 || len(p.Legend) != 4 || !p.Charts[2].Last {
		t.Errorf("the first plot has %d charts, %d curves and %d names", len(p.Charts), len(p.Charts[0].Curves), len(p.Legend))
	}
	var html bytes.Buffer
	if err := htmlPage.Execute(&html, page{Checks: r.Checks, All: r.all(), Sections: r.Sections, Plots: []figure{p}, Glances: []heat{r.heat(&glances[0])}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(html.String(), "<td>9 ms</td>") || !strings.Contains(html.String(), "a line&#39;s bound") {
		t.Error("the HTML page does not have the section")
	}
	if !strings.Contains(html.String(), "a bound &lt;missed&gt;") || strings.Contains(html.String(), "ZgotmplZ") {
		t.Error("the HTML page does not escape, or escapes too much")
	}
}
