package conformance

import (
	_ "embed"
	htmltemplate "html/template"
	"io"
	"strings"
	"text/template"

	"github.com/tandem-ecs/tandem/internal/markdown"
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
	Checks, All     []Check // those of the report, and with those of its sections
	Sections        []Section
	Glances         []heat
	Plots           []plot
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

// WriteMarkdown writes the report as a Markdown page.
func (r *Report) WriteMarkdown(out io.Writer) error {
	var b strings.Builder
	if err := markdownPage.Execute(&b, r.page()); err != nil {
		return err
	}
	_, err := io.WriteString(out, markdown.Wrap(b.String()))
	return err
}

// WriteHTML writes the report as one self-contained HTML page. It runs the scenes again for the
// plots.
func (r *Report) WriteHTML(out io.Writer) error {
	p, list := r.page(), scenes()
	p.Plots = make([]plot, len(list))
	parallel(len(list), func(i int) { p.Plots[i] = newPlot(&list[i]) })
	return htmlPage.Execute(out, p)
}

// page returns the data of the pages, without the plots.
func (r *Report) page() *page {
	p := &page{
		Seeds: Seeds, TickRate: TickRate, WarmUp: WarmUp.Seconds(), Headline: r.headlines(),
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
func (r *Report) headlines() []headline {
	key := (&Row{Network: seeds, Motion: "M3"}).key()
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.key() != key {
			continue
		}
		ours, seed, other := o.lane(tandem), o.lane(log5), o.lane(mirror)
		tile := func(text string, print func(m *Measure) string) headline {
			// number and unit stay together
			whole := func(m *Measure) string { return strings.ReplaceAll(print(m), " ", "\u00a0") }
			return headline{whole(ours), text, "Mirror " + whole(other) + ", Log\u00a0#5 " + whole(seed)}
		}
		return []headline{
			tile("of the frames starve", func(m *Measure) string { return Percents.Print(m.Starved) }),
			tile("median lag of the view", func(m *Measure) string { return milliseconds(m.Lag50) }),
			tile("worst jump in a frame", func(m *Measure) string { return Metres.Print(m.Jump) }),
			tile("error, rms", func(m *Measure) string { return Metres.Print(m.ErrorRMS) }),
		}
	}
	return nil
}
