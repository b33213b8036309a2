package conformance

import (
	"fmt"
	"io"
	"strings"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
)

const markdownIntro = `# Conformance

How remote bodies look under bad networks, measured. This page is written by ` + "`make conformance`" + `; a test fails when it no longer matches what the
code does. [conformance.html](conformance.html) is the same with plots.

Every figure is the worst of %d seeds. A run is a server at %d Hz with 30 snapshots a second (10 where it says so), real packets (package snapshot: positions in
steps of 1/2048 m, velocities of 1/64 m/s, changes against what is acknowledged), a simulated path both ways (package linksim) and a client at 60 fixed
steps and 60 frames a second on a clock of its own. The first %.0f s are left out. Time is virtual: nothing depends on the machine.

## What is measured

- **error**: distance of the picture from the truth at the time that it claims to show. A delayed view claims its view time, a predicting one the present, the
  naive and the chasing one the newest snapshot's time. *At steps*: the same where the view was sampled, without what blending between two fixed
  steps adds; the last lane, a body simulated locally, has nothing but that.
- **rotation**: greatest angle from the truth.
- **jump**: how much further the body moved in a frame than its greatest speed within a quarter of a second explains.
- **roughness**: rms second difference of the drawn positions, beside that of the true ones.
- **starved**: share of the frames whose view had passed the newest snapshot.
- **lag**: server's present less the time shown. **view rate**: slowest and fastest speed of the view while it does not wait for data.
- **teleports**: frames drawn as teleports where the truth has none, or drawn on the way of a teleport.

## Lanes

Lanes of the default's pipeline are sampled once per fixed step, at its end, and blended linearly between two steps, as every body of the engine is. Mirror
and Log #5 draw once per frame, as their originals do. "Default on articles.View" is the default with its delay behind the reference clock instead of behind the
arrivals. "Seed" and "Hermite, plain" are negative controls: they keep the faults of their sources.

Cases that are not here are tests of their packages (late joins, slots that change hands, resumed sessions, relevance, malformed and huge packets, fuzzed
decoders, replays, strangers, rewinding, refused builds, allocations) or need sockets (floods of hellos, forged handshakes and records). Package netcode's tests run
most of them, and 22 to 24, 41 and 42 once more, through the server's and the client's plugin; a test's comment says which case it is.
`

const checksHead = "| case | condition | lane | measure | bound | measured | |\n|---|---|---|---|---|---|---|\n"

// WriteMarkdown writes the report as a Markdown page.
func (r *Report) WriteMarkdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, markdownIntro, Seeds, TickRate, WarmUp.Seconds())

	held, missed, controls := r.count()
	fmt.Fprintf(&b, "\n## Bounds\n\n%d bounds hold, %d are missed. %d negative controls fail as they must.\n\n", held, missed, controls)
	b.WriteString(checksHead)
	for i := range r.Checks {
		b.WriteString(r.Checks[i].line() + "\n")
	}
	b.WriteString(notes(r.Checks))
	for _, s := range r.Sections {
		b.WriteString(s.markdown())
	}

	for _, g := range glances {
		fmt.Fprintf(&b, "\n## At a glance: %s\n\n| condition |", g.title)
		for _, l := range Lanes() {
			b.WriteString(" " + l.short() + " |")
		}
		b.WriteString("\n|---|" + strings.Repeat("---:|", len(Lanes())) + "\n")
		for i := range r.Outcomes {
			o := &r.Outcomes[i]
			b.WriteString("| " + o.key() + " |")
			for l := range o.Lanes {
				b.WriteString(" " + g.print(&o.Worst[l], &o.Lanes[l]) + " |")
			}
			b.WriteString("\n")
		}
	}

	b.WriteString("\n## All figures\n")
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", o.heading(), o.about())
		b.WriteString("| " + strings.Join(measureHeads, " | ") + " |\n|---|" + strings.Repeat("---:|", len(measureHeads)-1) + "\n")
		for l := range o.Lanes {
			b.WriteString(o.line(l) + "\n")
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// markdown returns the section as Markdown.
func (s *Section) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", s.Title, s.Lead)
	for _, t := range s.Terms {
		fmt.Fprintf(&b, "- **%s**: %s\n", t.Name, t.Text)
	}
	fmt.Fprintf(&b, "\n| %s |\n|---|%s\n", strings.Join(s.Head, " | "), strings.Repeat("---:|", len(s.Head)-1))
	for _, row := range s.Rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	missed := len(s.Failed())
	fmt.Fprintf(&b, "\n%d bounds of these lines hold, %d are missed.\n\n%s", len(s.Checks)-missed, missed, checksHead)
	for i := range s.Checks {
		b.WriteString(s.Checks[i].line() + "\n")
	}
	b.WriteString(notes(s.Checks))
	return b.String()
}

// notes returns the list of bounds that are missed or restated, empty if there is none.
func notes(checks []Check) string {
	list := noted(checks)
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nMissed or restated, and why:\n\n")
	for _, c := range list {
		line := fmt.Sprintf("- Case %s, %s: %s is %s, bound %s. %s", c.Case, c.Condition, c.What, c.Measured, c.Bound, c.Why)
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}

// count returns how many bounds hold, how many are missed, and how many controls fail.
func (r *Report) count() (held, missed, controls int) {
	for i := range r.Checks {
		switch c := &r.Checks[i]; {
		case c.Compare:
		case !c.OK():
			missed++
		case c.Control:
			controls++
		default:
			held++
		}
	}
	return held, missed, controls
}

// short names a lane in a narrow column.
func (l *Lane) short() string {
	switch l.Clock {
	case Reference:
		return "on View"
	case Mirror:
		return "Mirror"
	case Log5:
		return "Log #5"
	case Local:
		return "local"
	}
	return articles.Name(l.Kind)
}

// glance is a measure that is shown in one table for all rows and lanes.
type glance struct {
	title string
	value func(m *Measure, l *Lane) (v float64, ok bool)
	unit  Unit
	good  float64 // values up to this are good, and three times as much is bad
}

var glances = []glance{
	{"worst jump in a frame, metres", func(m *Measure, _ *Lane) (float64, bool) { return m.Jump, true }, Unit{"%.3f", 1}, 0.05},
	{"greatest error, metres", func(m *Measure, _ *Lane) (float64, bool) { return m.ErrorMax, true }, Unit{"%.3f", 1}, 0.05},
	{"starved frames, per cent", func(m *Measure, l *Lane) (float64, bool) {
		return m.Starved, l.Starves()
	}, Unit{"%.2f", 100}, 0.008},
	{"median lag, milliseconds", func(m *Measure, l *Lane) (float64, bool) { return m.Lag50.Seconds(), l.Clock != Local }, Unit{"%.0f", 1000}, 0.240},
}

func (g *glance) print(m *Measure, l *Lane) string {
	v, ok := g.value(m, l)
	if !ok {
		return ""
	}
	return g.unit.Print(v)
}
