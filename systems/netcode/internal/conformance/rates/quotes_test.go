package rates

import (
	"fmt"
	"slices"

	"github.com/tandem-ecs/tandem/internal/markdown"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// quote is the name of a table that is not measured here, with its copy from docs/conformance.md,
// which `make conformance` writes beside this page.
type quote struct {
	name string
	copy func(report string) (markdown.Table, error)
}

var quotes = []quote{{"kinds", quoteKinds}, {"lines", quoteLines}}

// pickedKinds are the kinds that a game may choose between. The others are there for comparison.
var pickedKinds = []interp.Kind{interp.Default, interp.Linear, interp.Naive, interp.Chase, interp.RacerSpline, interp.ProjectiveBlend, interp.OffsetDecay}

// The beginnings of the headings of the sections that are copied.
const (
	smoothCircle = "### base: 100±10 ms · M2,"
	smoothFlips  = "### base: 100±10 ms · M3,"
	lossyFlips   = "### seeds: 100±10 ms, 15 % loss · M3,"
)

// quoteKinds copies the figures of the kinds of interpolation.
func quoteKinds(report string) (markdown.Table, error) {
	t := markdown.Table{Labels: 2, Head: []string{"kind", "drawn", "lag p50", "circle", "flips", "flips at 15 % loss", "jump at 15 % loss"}}
	drawn := map[interp.Timing]string{interp.Delayed: "the past", interp.Predictive: "the present"}
	for _, k := range pickedKinds {
		row := []string{"`" + k.String() + "`", "newest"}
		if when, ok := drawn[interp.New(k, interp.Config{}).Timing()]; ok {
			row[1] = when
		}
		for _, from := range [...]struct{ heading, column string }{
			{smoothFlips, "lag p50"}, {smoothCircle, "max"}, {smoothFlips, "max"}, {lossyFlips, "max"}, {lossyFlips, "jump"},
		} {
			cell, ok := markdown.Read(report, from.heading).Cell(k.Display(), from.column)
			if !ok {
				return t, fmt.Errorf("rates: conformance.md has no line %q with %q under %q; make it anew first", k.Display(), from.column, from.heading)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// pickedColumns are the columns that matter to a player.
var pickedColumns = []string{"line", "bodies", "lag p50", "p95", "off", "missed", "queue down", "queue up", "back", "reconnects"}

// quoteLines copies the effects on a player of lines whose state changes.
func quoteLines(report string) (markdown.Table, error) {
	all := markdown.Read(report, "## Lines whose state changes")
	t := markdown.Table{Labels: 1, Head: pickedColumns, Rows: make([][]string, len(all.Rows))}
	for _, name := range pickedColumns {
		column := slices.Index(all.Head, name)
		for i, cells := range all.Rows {
			if column < 0 || column >= len(cells) {
				return t, fmt.Errorf("rates: the table of lines in conformance.md has no column %q; make it anew first", name)
			}
			t.Rows[i] = append(t.Rows[i], cells[column])
		}
	}
	if len(t.Rows) == 0 {
		return t, fmt.Errorf("rates: conformance.md has no table of lines; make it anew first")
	}
	return t, nil
}
