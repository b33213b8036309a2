package lines

import (
	"fmt"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// Seeds is the number of runs behind a line of the table. Each figure is the worst of them.
const Seeds = 3

const (
	title = "Lines whose state changes"
	lead  = "A server and two clients, the whole product, on lines with queues, flows and outages (package linksim has most of them by name). " +
		"The first client is measured, and both where they are behind one bottleneck: of their figures the worse is given. 20 or more entities are in motion, with 60 ticks and 30 snapshots a second. " +
		"Every figure is the worst of 3 runs, whose first ten seconds do not count."
)

var terms = []conformance.Term{
	{Name: "starved", Text: "share of the client's steps whose view had passed the newest snapshot."},
	{Name: "lag", Text: "server's present less the time shown. oracle: its mean against that of the least constant delay that starves no more."},
	{Name: "off", Text: "share of the frames that draw a body of 6 m/s more than half a metre from where it was at the time shown."},
	{Name: "missed", Text: "share of the ticks without the player's input, and of those in the last minute."},
	{Name: "clock", Text: "greatest error of the client's idea of the server's clock, and while round trips had been below 100 ms for 10 s."},
	{Name: "queue", Text: "95th percentile of how long the client's own datagrams took to pass the bottleneck, down and up."},
	{Name: "down", Text: "bytes with IPv4, UDP and DTLS."},
	{Name: "back", Text: "longest time until the view was where it usually is, after gaps of 0.5 to 1.5 s in the snapshots, and after the silence."},
}

// Add plays every case and adds a section to the report. done may be nil, and is called from any
// goroutine after each of [Runs] runs.
func Add(r *conformance.Report, done func()) {
	cases := Cases()
	r.Sections = append(r.Sections, newSection(cases, measure(cases, done)))
}

// Runs is the number of runs that [Add] plays.
func Runs() int { return len(Cases()) * Seeds }

// measure plays cases with all seeds.
func measure(cases []Case, done func()) []Figures {
	return conformance.Worst(cases, Seeds, done, Measure, (*Figures).worst)
}

// picked are the figures of the table.
func picked() (list []int) {
	for i := range Reconnects + 1 {
		list = append(list, i)
	}
	return list
}

func newSection(cases []Case, figures []Figures) conformance.Section {
	s := conformance.Section{Title: title, Lead: lead, Terms: terms, Head: slices.Concat([]string{"line", "bodies"}, columns.Heads(picked()))}
	for i := range cases {
		s.Rows = append(s.Rows, cases[i].row(&figures[i]))
		s.Checks = append(s.Checks, cases[i].checks(&figures[i])...)
	}
	return s
}

// key returns the name of a case in the tables.
func (c *Case) key() string { return fmt.Sprintf("%s, %d bodies", c.Name, c.bodies()) }

func (c *Case) bodies() int {
	if c.Bodies == 0 {
		return 18
	}
	return c.Bodies
}

// row returns the line of the table.
func (c *Case) row(f *Figures) []string {
	return slices.Concat([]string{c.Name + ": " + c.Text, fmt.Sprint(c.bodies())}, columns.Print(f[:], picked()))
}

// checks compares the figures with the bounds of the case.
func (c *Case) checks(f *Figures) (checks []conformance.Check) {
	for _, b := range c.bounds {
		checks = append(checks, b.Check(c.Number, c.key(), f[b.figure]))
	}
	return checks
}
