package bench

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/internal/markdown"
)

const (
	// margin is the loss that a ratio may have. Medians of one machine's runs differ by up to a
	// tenth, at a million entities and for two threads by a quarter.
	margin = 0.7
	// foreignMargin is the margin on another processor than that of the page. Its memory and
	// vectors give other ratios.
	foreignMargin = 0.4
	// more is how often everything is measured again before a loss is believed.
	more = 2
)

// compare compares the ratios with those of a page and writes the result. If one is worse, it calls
// again to add more rounds to the medians.
func (r *results) compare(out io.Writer, path string, again func()) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	table := markdown.Read(string(text), "## How many times faster")
	if table.Head == nil {
		return fmt.Errorf("%s has no table of ratios; write it with -page", path)
	}
	page := strings.Join(strings.Fields(string(text)), " ") // lines may break anywhere
	keep := margin
	if !strings.Contains(page, machine()) {
		keep = foreignMargin
		fmt.Fprintf(out, "%s was written on another machine than this one (%s): ratios may be %.0f %% lower\n", path, machine(), 100*(1-keep))
	}
	if strings.Contains(page, busyNote) {
		fmt.Fprintf(out, "%s was measured while the machine was busy; make bench, in quiet, before you compare\n", path)
	}
	for attempt := 0; ; attempt++ {
		worse, compared := r.worse(table, keep)
		switch {
		case compared == 0:
			return fmt.Errorf("nothing on %s to compare with", path)
		case len(worse) == 0:
			r.print(out)
			fmt.Fprintf(out, "\n%d ratios are as on %s within %.0f %%, or better\n", compared, path, 100*(1-keep))
			return nil
		case attempt == more:
			r.print(out)
			note := ""
			if r.busy() {
				note = fmt.Sprintf("\nThe machine was busy with other things (load %.1f), which alone may be why; check again in quiet", r.load)
			}
			return fmt.Errorf("slower than on %s by more than %.0f %%, measured %d times:\n  %s%s", path, 100*(1-keep), more+1, strings.Join(worse, "\n  "), note)
		}
		fmt.Fprintf(out, "%d of %d ratios look worse; measuring again\n", len(worse), compared)
		again()
	}
}

// worse describes the ratios that are worse than those of a table by more than the margin. It
// returns how many were compared, too.
func (r *results) worse(table markdown.Table, keep float64) (worse []string, compared int) {
	for _, q := range r.ratios() {
		for _, n := range r.sizes {
			cell, _ := table.Cell(q.name, head(n))
			was, err := strconv.ParseFloat(strings.Trim(cell, "*"), 64)
			is, ok := r.ratio(q, n)
			if err != nil || !ok || was == 0 {
				continue
			}
			compared++
			if is < was*keep {
				worse = append(worse, fmt.Sprintf("%s at %d: %.2f, was %.2f", q.name, n, is, was))
			}
		}
	}
	return worse, compared
}

func TestCompare(t *testing.T) {
	path := written(t, measured(2))
	for _, test := range []struct {
		name   string
		tandem float64
		later  []float64 // of the rounds that are measured again
		load   float64
		passes bool
		again  int
	}{
		{"as it was", 2, nil, 0, true, 0},
		{"faster", 1, nil, 0, true, 0},
		{"a fifth slower", 2.4, nil, 0, true, 0},
		{"half as fast", 4, []float64{4, 4}, 0, false, 2},
		{"half as fast, on a busy machine", 4, []float64{4, 4}, 1000, false, 2},
		{"half as fast, by accident", 4, []float64{2, 2}, 0, true, 2},
	} {
		again := 0
		r := measured(test.tandem)
		r.load = test.load
		err := r.compare(t.Output(), path, func() {
			for _, n := range []int{1000, 100_000} {
				for _, pct := range []string{"100", "10", "1"} {
					scale := map[string]float64{"100": 1, "10": 0.1, "1": 0.01}[pct]
					r.add("tandem.frame."+pct+"pct", n, scale*test.later[again])
				}
			}
			again++
		})
		if (err == nil) != test.passes || again != test.again {
			t.Errorf("%s: %v after measuring %d times again, want an error: %v, after %d times", test.name, err, again, !test.passes, test.again)
		}
		if said := err != nil && strings.Contains(err.Error(), "busy"); said != (test.load > 0) {
			t.Errorf("%s: the error %q says that the machine was busy: %v", test.name, err, said)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty.md")
	if err := os.WriteFile(empty, []byte("# Nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := measured(2).compare(t.Output(), empty, nil); err == nil {
		t.Error("a page without a table is no error")
	}
}

// A page that was written before a row existed does not hold the row to anything, and a row that no
// longer exists is not checked.
func TestCompareWithAnOlderPage(t *testing.T) {
	const row = "a mgl32.Vec4 by interpolation.NewLinear"
	path := written(t, measured(2))
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "| "+row) {
		t.Fatalf("the page has no row of %q", row)
	}
	older := strings.Replace(string(page), "| "+row, "| a row of old", 1)
	if err := os.WriteFile(path, []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := measured(2).compare(t.Output(), path, nil); err != nil {
		t.Error(err)
	}
}
