package conformance

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// page is the data of the template.
type page struct {
	Seeds                  int
	WarmUp                 float64
	Held, Missed, Controls int
	Headline               []headline
	Checks                 []Check
	Noted                  []Check
	Sections               []Section
	Lanes                  []string
	Glances                []heat
	Plots                  []plot
	Heads                  []string
	Rows                   []figures
}

// headline is a figure in large type.
type headline struct{ Figure, Text, Beside string }

// heat is a coloured table of one measure.
type heat struct {
	Title string
	Rows  []heatRow
}

type heatRow struct {
	Name  string
	Cells []heatCell
}

// heatCell is a figure and its grade: 0 none, 1 good, 2 middling, 3 bad.
type heatCell struct {
	Text  string
	Level int
}

// figures is one row of the report with all its measures.
type figures struct {
	Heading, About string
	Lines          [][]string
}

// WritePage writes the report as one self-contained HTML page. It runs the scenes again for the
// plots.
func (r *Report) WritePage(out io.Writer, workers int) error {
	p := page{Seeds: Seeds, WarmUp: WarmUp.Seconds(), Checks: r.Checks, Noted: r.noted(), Sections: r.Sections, Heads: measureHeads, Headline: r.headlines()}
	p.Held, p.Missed, p.Controls = r.count()
	for _, l := range Lanes() {
		p.Lanes = append(p.Lanes, l.short())
	}
	for g := range glances {
		p.Glances = append(p.Glances, r.heat(&glances[g]))
	}
	list := scenes()
	p.Plots = make([]plot, len(list))
	parallel(len(list), workers, func(i int) { p.Plots[i] = newPlot(&list[i]) })
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		f := figures{Heading: o.heading(), About: o.about()}
		for l := range o.Lanes {
			f.Lines = append(f.Lines, o.Worst[l].cells(&o.Lanes[l]))
		}
		p.Rows = append(p.Rows, f)
	}
	return pageTemplate.Execute(out, p)
}

func (r *Report) heat(g *glance) heat {
	h := heat{Title: g.title}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		row := heatRow{Name: o.key()}
		for l := range o.Lanes {
			c := heatCell{Text: g.print(&o.Worst[l], &o.Lanes[l])}
			if v, ok := g.value(&o.Worst[l], &o.Lanes[l]); ok {
				switch {
				case v <= g.good*1.001:
					c.Level = 1
				case v <= 3*g.good:
					c.Level = 2
				default:
					c.Level = 3
				}
			}
			row.Cells = append(row.Cells, c)
		}
		h.Rows = append(h.Rows, row)
	}
	return h
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
			tile("of the frames starve", func(m *Measure) string { return percents.Print(m.Starved) }),
			tile("median lag of the view", func(m *Measure) string { return milliseconds(m.Lag50) }),
			tile("worst jump in a frame", func(m *Measure) string { return metres.Print(m.Jump) }),
			tile("error, rms", func(m *Measure) string { return metres.Print(m.ErrorRMS) }),
		}
	}
	return nil
}
