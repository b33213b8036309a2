package lines

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

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

var head = []string{
	"line", "bodies", "starved", "lag p50", "p95", "oracle", "off", "missed", "at the end", "clock", "when calm", "queue down", "queue up", "down", "back", "reconnects",
}

// Add plays every case and adds a section to the report. The given number of goroutines play the
// runs. The figures do not depend on their number. done may be nil, and is called from any of these
// goroutines after each of [Runs] runs.
func Add(r *conformance.Report, workers int, done func()) {
	cases := Cases()
	r.Sections = append(r.Sections, newSection(cases, measure(cases, workers, done)))
}

func newSection(cases []Case, figures []Figures) conformance.Section {
	s := conformance.Section{Title: title, Lead: lead, Terms: terms, Head: head}
	for i := range cases {
		s.Rows = append(s.Rows, cases[i].row(&figures[i]))
		for j := range cases[i].bounds {
			s.Checks = append(s.Checks, cases[i].check(j, &figures[i]))
		}
	}
	return s
}

// Runs is the number of runs that [Add] plays.
func Runs() int { return len(Cases()) * Seeds }

// measure plays cases with all seeds.
func measure(cases []Case, workers int, done func()) []Figures {
	all := make([]Figures, len(cases)*Seeds)
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(workers, 1) {
		group.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(all); i = next.Add(1) - 1 {
				all[i] = Measure(&cases[i/Seeds], uint64(i%Seeds)+1)
				if done != nil {
					done()
				}
			}
		})
	}
	group.Wait()
	worst := make([]Figures, len(cases))
	for i := range worst {
		worst[i] = all[i*Seeds]
		for s := range all[i*Seeds : (i+1)*Seeds] {
			worst[i].worst(&all[i*Seeds+s])
		}
	}
	return worst
}

// key returns the name of a case in the tables.
func (c *Case) key() string { return fmt.Sprintf("%s, %d bodies", c.Name, c.bodies()) }

func (c *Case) bodies() int {
	if c.Bodies == 0 {
		return 18
	}
	return c.Bodies
}

// row returns the figures in the order of head.
func (c *Case) row(f *Figures) []string {
	wait := func(d time.Duration) string { return millis.Print(d.Seconds()) }
	return []string{
		c.Name + ": " + c.Text, fmt.Sprint(c.bodies()), percents.Print(f.Starved), wait(f.Lag50), wait(f.Lag95), factors.Print(f.Oracle),
		percents.Print(f.Wrong), percents.Print(f.Missed), percents.Print(f.MissedAtEnd), wait(f.Clock), wait(f.CalmClock), wait(f.Queue95), wait(f.UpQueue95),
		fmt.Sprintf("%.1f kB/s", f.Down/1000), secs.Print(f.Recovery.Seconds()), counts.Print(f.Reconnects),
	}
}

// check compares the figures with a bound of the case.
func (c *Case) check(number int, f *Figures) conformance.Check {
	b := &c.bounds[number]
	check := conformance.Check{Case: c.Number, Condition: c.key(), Lane: "the whole product", What: b.what, Why: b.why}
	return check.Against(b.unit, b.value(f), b.limit, b.least)
}

var (
	percents = conformance.Unit{Format: "%.2f %%", Factor: 100}
	millis   = conformance.Unit{Format: "%.0f ms", Factor: 1000} // of seconds
	secs     = conformance.Unit{Format: "%.1f s", Factor: 1}
	factors  = conformance.Unit{Format: "%.2f", Factor: 1}
	counts   = conformance.Unit{Format: "%.0f", Factor: 1}
)
