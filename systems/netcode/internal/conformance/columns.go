package conformance

import (
	"fmt"
	"slices"
	"time"
)

// Unit formats a figure. Figures are rounded so that the last bit of a floating-point operation is
// not visible.
type Unit struct {
	Format string
	Factor float64 // by which a figure is multiplied
}

// These are the units that several pages have.
var (
	Metres    = Unit{"%.3f m", 1}
	Percents  = Unit{"%.2f %%", 100}
	Millis    = Unit{"%.0f ms", 1000} // of seconds
	Seconds   = Unit{"%.1f s", 1}
	Counts    = Unit{"%.0f", 1}
	Kilobytes = Unit{"%.1f kB/s", 1}
)

// Print returns a figure in the unit.
func (u Unit) Print(v float64) string { return fmt.Sprintf(u.Format, v*u.Factor) }

// Column is one kind of figure of a run.
type Column struct {
	Head  string // of its column in tables
	Unit  Unit
	Least bool // the least value is the worst
}

// Columns are the kinds of figures of a run, in the order of the figures.
type Columns []Column

// Worst keeps the worse value of each figure in the first list.
func (c Columns) Worst(worst, other []float64) {
	for i := range worst {
		if c[i].Least {
			worst[i] = min(worst[i], other[i])
		} else {
			worst[i] = max(worst[i], other[i])
		}
	}
}

// Heads returns the heads of some of the columns.
func (c Columns) Heads(picked []int) (heads []string) {
	for _, i := range picked {
		heads = append(heads, c[i].Head)
	}
	return heads
}

// Print returns the figures of some of the columns as printed.
func (c Columns) Print(figures []float64, picked []int) (cells []string) {
	for _, i := range picked {
		cells = append(cells, c[i].Unit.Print(figures[i]))
	}
	return cells
}

// Percentile returns a percentile of durations, which it sorts. Of none it is zero.
func Percentile(all []time.Duration, share float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(int(share*float64(len(all))), len(all)-1)]
}
