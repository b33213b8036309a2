package rates

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/internal/markdown"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// marks returns the lines on the page before and after a table.
func marks(table string) (begin, end string) {
	return "<!-- table " + table + ": written by make conformance -->", "<!-- end of table " + table + " -->"
}

// fill measures every table again and returns the page with the new tables. It copies the kinds of
// interpolation and the lines from a report, the text of docs/conformance.md. An error names the
// missing part and its page.
func fill(page, report string) (string, error) {
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
	all := tables()
	var rows []row
	for _, t := range all {
		if _, _, err := find(page, t.name); err != nil {
			return "", err // before the measurements, which take long
		}
		rows = append(rows, t.rows...)
	}
	found := measure(rows)
	for _, t := range all {
		if page, err = put(page, t.name, t.filled(found)); err != nil {
			return "", err
		}
		found = found[len(t.rows):]
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

func TestFillSaysWhatIsMissing(t *testing.T) {
	report := conformance.Page(t, "conformance.md")
	if _, err := fill("", ""); err == nil || !strings.Contains(err.Error(), "conformance.md has no line") {
		t.Errorf("without a report: %v", err)
	}
	if _, err := fill("", report); err == nil || !strings.Contains(err.Error(), "<!-- table kinds") {
		t.Errorf("an empty page: %v", err)
	}
	begin, end := marks("kinds")
	if _, err := fill(begin+"\n"+end, report); err == nil || !strings.Contains(err.Error(), "<!-- table lines") {
		t.Errorf("a page without the other tables: %v", err)
	}
	first, last := marks("lines")
	if _, err := fill(begin+"\n"+end+"\n"+first+"\n"+last, report); err == nil || !strings.Contains(err.Error(), "<!-- table lan") {
		t.Errorf("a page without the tables that are measured: %v", err)
	}
	if _, err := put("a\n"+end+"\n"+begin+"\nb", "kinds", markdown.Table{}); err == nil {
		t.Error("marks in the wrong order are taken")
	}
	if got, err := put("a\n"+begin+"\nold\n"+end+"\nb", "kinds", markdown.Table{Head: []string{"new"}}); err != nil || got != fmt.Sprintf("a\n%s\n\n| new |\n|---:|\n\n%s\nb", begin, end) {
		t.Errorf("put gives %q, %v", got, err)
	}
}
