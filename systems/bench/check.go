package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

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

// compare compares the ratios with those of a page. If one is worse, it calls again to add more
// rounds to the medians.
func (r *results) compare(path string, again func()) error {
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
		fmt.Printf("%s was written on another machine than this one (%s): ratios may be %.0f %% lower\n", path, machine(), 100*(1-keep))
	}
	if strings.Contains(page, busyNote) {
		fmt.Printf("%s was measured while the machine was busy; make bench, in quiet, before you compare\n", path)
	}
	for attempt := 0; ; attempt++ {
		worse, compared := r.worse(table, keep)
		switch {
		case compared == 0:
			return fmt.Errorf("nothing on %s to compare with", path)
		case len(worse) == 0:
			r.print(os.Stdout)
			fmt.Printf("\n%d ratios are as on %s within %.0f %%, or better\n", compared, path, 100*(1-keep))
			return nil
		case attempt == more:
			r.print(os.Stdout)
			note := ""
			if r.busy() {
				note = fmt.Sprintf("\nThe machine was busy with other things (load %.1f), which alone may be why; check again in quiet", r.load)
			}
			return fmt.Errorf("slower than on %s by more than %.0f %%, measured %d times:\n  %s%s", path, 100*(1-keep), more+1, strings.Join(worse, "\n  "), note)
		}
		fmt.Printf("%d of %d ratios look worse; measuring again\n", len(worse), compared)
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
