package report

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// lineSeeds is the number of runs behind a line of the table. Each figure is the worst of them.
const lineSeeds = 3

const (
	lineTitle = "Lines whose state changes"
	lineLead  = "A server and two clients, the whole product, on lines with queues, flows and outages (package linksim has most of them by name). " +
		"The first client is measured, and both where they are behind one bottleneck: of their figures the worse is given. 20 or more entities are in motion, with 60 ticks and 30 snapshots a second. " +
		"Every figure is the worst of 3 runs, whose first ten seconds do not count."
)

var lineTerms = []term{
	{Name: "starved", Text: "share of the client's steps whose view had passed the newest snapshot."},
	{Name: "lag", Text: "server's present less the time shown. oracle: its mean against that of the least constant delay that starves no more."},
	{Name: "off", Text: "share of the frames that draw a body of 6 m/s more than half a metre from where it was at the time shown."},
	{Name: "missed", Text: "share of the ticks without the player's input, and of those in the last minute."},
	{Name: "clock", Text: "greatest error of the client's idea of the server's clock, and while round trips had been below 100 ms for 10 s."},
	{Name: "queue", Text: "95th percentile of how long the client's own datagrams took to pass the bottleneck, down and up."},
	{Name: "down", Text: "bytes with IPv4, UDP and DTLS."},
	{Name: "back", Text: "longest time until the view was where it usually is, after gaps of 0.5 to 1.5 s in the snapshots, and after the silence."},
}

// measureLines plays cases with all seeds.
func measureLines(cases []lineCase) []lineFigures {
	return conformance.Worst(cases, lineSeeds, playLine, (*lineFigures).worst)
}

// linePicked are the figures of the table.
func linePicked() (list []int) {
	for i := range lineReconnects + 1 {
		list = append(list, i)
	}
	return list
}

func newLineSection(cases []lineCase, figures []lineFigures) section {
	s := section{Title: lineTitle, Lead: lineLead, Terms: lineTerms, Head: slices.Concat([]string{"line", "bodies"}, lineColumns.Heads(linePicked()))}
	for i := range cases {
		s.Rows = append(s.Rows, cases[i].row(&figures[i]))
		s.Checks = append(s.Checks, cases[i].checks(&figures[i])...)
	}
	return s
}

// key returns the name of a case in the tables.
func (c *lineCase) key() string { return fmt.Sprintf("%s, %d bodies", c.Name, c.bodies()) }

func (c *lineCase) bodies() int {
	if c.Bodies == 0 {
		return 18
	}
	return c.Bodies
}

// row returns the line of the table.
func (c *lineCase) row(f *lineFigures) []string {
	return slices.Concat([]string{c.Name + ": " + c.Text, fmt.Sprint(c.bodies())}, lineColumns.Print(f[:], linePicked()))
}

// checks compares the figures with the bounds of the case.
func (c *lineCase) checks(f *lineFigures) (checks []check) {
	for _, b := range c.bounds {
		checks = append(checks, b.check(c.Number, c.key(), f[b.figure]))
	}
	return checks
}

func TestSectionHasAllCases(t *testing.T) {
	r := &report{}
	cases := lineCases()
	seen := map[string]bool{}
	section := newLineSection(cases, make([]lineFigures, len(cases)))
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
	if failed := r.failed(); len(failed) == 0 || len(failed) == len(section.Checks) {
		t.Errorf("of figures that are all 0 %d bounds of %d are missed", len(failed), len(section.Checks))
	}
}
