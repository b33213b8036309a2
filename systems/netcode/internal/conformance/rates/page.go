package rates

import (
	"fmt"
	"strings"

	"github.com/tandem-ecs/tandem/internal/markdown"
)

// marks returns the lines on the page before and after a table.
func marks(table string) (begin, end string) {
	return "<!-- table " + table + ": written by make conformance -->", "<!-- end of table " + table + " -->"
}

// Fill measures every table again and returns the page with the new tables. It copies the kinds of
// interpolation and the lines from a report, the text of docs/conformance.md. It calls done, which
// may be nil, from any goroutine after each of [Runs] runs. An error names the missing part and its
// page.
func Fill(page, report string, done func()) (string, error) {
	var err error
	for _, q := range quotes {
		table, err := q.copy(report)
		if err != nil {
			return "", err
		}
		if page, err = put(page, q.name, table); err != nil {
			return "", err
		}
	}
	tables := Tables()
	var rows []Row
	for _, t := range tables {
		if _, _, err := find(page, t.Name); err != nil {
			return "", err // before the measurements, which take long
		}
		rows = append(rows, t.Rows...)
	}
	figures := measure(rows, done)
	for _, t := range tables {
		if page, err = put(page, t.Name, t.filled(figures)); err != nil {
			return "", err
		}
		figures = figures[len(t.Rows):]
	}
	return page, nil
}

// find returns the beginning and the end of the text between a table's marks.
func find(page, table string) (from, to int, err error) {
	begin, end := marks(table)
	from, to = strings.Index(page, begin), strings.Index(page, end)
	if from < 0 || to < from || strings.Count(page, begin) > 1 {
		return 0, 0, fmt.Errorf("rates: the page needs the lines\n%s\n%s\nonce, in this order, for the table to go between", begin, end)
	}
	return from + len(begin), to, nil
}

// put returns the page with a table between its marks.
func put(page, name string, table markdown.Table) (string, error) {
	from, to, err := find(page, name)
	if err != nil {
		return "", err
	}
	return page[:from] + "\n\n" + table.String() + "\n\n" + page[to:], nil
}

// Runs is the number of runs that [Fill] makes.
func Runs() int {
	n := 0
	for _, t := range Tables() {
		n += len(t.Rows) * Seeds
	}
	return n
}
