package rates

import (
	"fmt"
	"strings"
)

// marks returns the lines on the page before and after a table.
func marks(table string) (begin, end string) {
	return "<!-- table " + table + ": written by make conformance -->", "<!-- end of table " + table + " -->"
}

// Fill measures every table again and returns the page with the new tables. It copies the kinds of
// interpolation and the lines from the argument conformance, the text of docs/conformance.md. done
// may be nil, and is called from any goroutine after each of [Runs] runs. An error names the
// missing part and its page.
func Fill(page, conformance string, workers int, done func()) (string, error) {
	kinds, err := kindLines(conformance)
	if err != nil {
		return "", err
	}
	if page, err = put(page, kindsTable, kinds); err != nil {
		return "", err
	}
	lines, err := lineLines(conformance)
	if err != nil {
		return "", err
	}
	if page, err = put(page, linesTable, lines); err != nil {
		return "", err
	}
	tables := Tables()
	for i := range tables {
		if _, _, err := find(page, tables[i].Name); err != nil {
			// before the measurements, which take long
			return "", err
		}
	}
	for i := range tables {
		lines, err := tables[i].Lines(workers, done)
		if err != nil {
			return "", err
		}
		if page, err = put(page, tables[i].Name, lines); err != nil {
			return "", err
		}
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

func put(page, table string, lines []string) (string, error) {
	from, to, err := find(page, table)
	if err != nil {
		return "", err
	}
	return page[:from] + "\n\n" + strings.Join(lines, "\n") + "\n\n" + page[to:], nil
}

// Runs is the number of runs that [Fill] makes.
func Runs() int {
	n := 0
	for _, t := range Tables() {
		n += len(t.Rows) * Seeds
	}
	return n
}
