package rates

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/internal/markdown"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

var write = flag.Bool("write", false, "measure every row, and write the tables of docs/tuning.md")

const remedy = "run `make conformance` (or go test ./systems/netcode/internal/conformance/rates -write, under a minute) and commit docs/tuning.md"

// between returns the lines of a table on the page.
func between(t *testing.T, page, table string) []string {
	t.Helper()
	from, to, err := find(page, table)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(page[from:to]), "\n")
}

// key returns the beginning of a row's line.
func key(r *row) string { return markdown.Row(r.labels) }

// The tables are the code's. Without -write some rows are measured again, with all their seeds, and
// must be equal to the letter.
func TestTables(t *testing.T) {
	page := conformance.Page(t, "tuning.md")
	if *write {
		filled, err := fill(page, conformance.Page(t, "conformance.md"))
		if err == nil {
			err = os.WriteFile(conformance.Docs+"tuning.md", []byte(filled), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	again := []string{"home/30 Hz/10 Hz", "mobile/60 Hz/60 Hz", "actions/Seeds/10 Hz", "games/strategy/10 Hz/5 Hz/10 Hz/150/Home"}
	if testing.Short() {
		again = again[:1]
	}
	for _, name := range again {
		found := false
		for _, table := range tables() {
			lines := between(t, page, table.name)
			for i := range table.rows {
				if table.name+"/"+strings.Join(table.rows[i].labels, "/") != name {
					continue
				}
				found = true
				alone := table
				alone.rows = table.rows[i : i+1]
				got := markdown.Row(alone.filled(measure(alone.rows)).Rows[0])
				if len(lines) <= i+2 || lines[i+2] != got {
					t.Errorf("table %s: the code now gives\n%s\n%s", table.name, got, remedy)
				}
			}
		}
		if !found {
			t.Errorf("there is no row %s to measure again", name)
		}
	}
}

// The committed page has every row of every table, in order, and nothing else.
func TestCommittedTablesAreComplete(t *testing.T) {
	page := conformance.Page(t, "tuning.md")
	for _, table := range tables() {
		lines := between(t, page, table.name)
		if len(lines) != len(table.rows)+2 {
			t.Errorf("table %s has %d lines, want %d: %s", table.name, len(lines), len(table.rows)+2, remedy)
			continue
		}
		if want := "| " + strings.Join(table.head(), " | ") + " |"; lines[0] != want {
			t.Errorf("table %s begins with %q, want %q: %s", table.name, lines[0], want, remedy)
		}
		for i := range table.rows {
			if !strings.HasPrefix(lines[i+2], key(&table.rows[i])+" ") {
				t.Errorf("table %s, row %d is %q, want %q in front: %s", table.name, i+1, lines[i+2], key(&table.rows[i]), remedy)
			}
		}
	}
}

// The page quotes the kinds of interpolation and the lines from the other page unchanged.
func TestCommittedQuotes(t *testing.T) {
	page, report := conformance.Page(t, "tuning.md"), conformance.Page(t, "conformance.md")
	for _, q := range quotes {
		table, err := q.copy(report)
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Rows) < len(pickedKinds) || len(table.Rows[0]) != len(table.Head) {
			t.Errorf("%s: %d rows, the first with the figures %q", q.name, len(table.Rows), table.Rows[0])
		}
		if got := between(t, page, q.name); strings.Join(got, "\n") != table.String() {
			t.Errorf("the %s are not those of conformance.md: %s", q.name, remedy)
		}
	}
}
