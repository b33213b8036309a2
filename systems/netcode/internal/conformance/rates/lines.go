package rates

import (
	"fmt"
	"slices"
	"strings"
)

// linesTable is the name of the table that is copied from the section of docs/conformance.md about
// lines whose state changes.
const linesTable = "lines"

// pickedColumns are the columns that matter to a player.
var pickedColumns = []string{"line", "bodies", "lag p50", "p95", "off", "missed", "queue down", "queue up", "back", "reconnects"}

// lineLines copies the effects of lines on a player from the page that `make conformance` writes
// beside this one.
func lineLines(conformance string) ([]string, error) {
	_, section, _ := strings.Cut(conformance, "\n## Lines whose state changes\n")
	_, section, found := strings.Cut(section, "\n| line | ")
	if !found {
		return nil, fmt.Errorf("rates: conformance.md has no table of lines; make it anew first")
	}
	section, _, _ = strings.Cut("| line | "+section, "\n\n")
	var lines []string
	var columns []int
	for i, line := range strings.Split(section, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		switch {
		case i == 0:
			for _, name := range pickedColumns {
				column := slices.Index(cells, name)
				if column < 0 {
					return nil, fmt.Errorf("rates: the table of lines in conformance.md has no column %q", name)
				}
				columns = append(columns, column)
			}
		case i == 1: // the rule
			lines = append(lines, "|---|"+strings.Repeat("---:|", len(columns)-1))
			continue
		case len(cells) <= slices.Max(columns):
			return nil, fmt.Errorf("rates: the line %q of conformance.md has %d figures", line, len(cells))
		}
		var picked []string
		for _, c := range columns {
			picked = append(picked, cells[c])
		}
		lines = append(lines, "| "+strings.Join(picked, " | ")+" |")
	}
	return lines, nil
}
