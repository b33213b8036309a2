package conformance

import (
	"fmt"
	"strconv"
)

// Bound is what a measured figure must satisfy.
type Bound struct {
	Lane, What string
	Unit       Unit
	Limit      float64
	Least      bool // a lower bound

	// Control marks a negative control: an algorithm as in its source. It has to miss the bound.
	// Otherwise the bound proves nothing.
	Control bool

	// Compare marks a figure without a bound, given beside others.
	Compare bool

	// Why is the reason why a bound is missed or restated, if it is known.
	Why string
}

// Check is one bound of one case, with the measured figure of the worst seed.
type Check struct {
	Bound
	Case, Condition string
	Measured        string
	Held            bool
}

// Check compares a figure with the bound. It compares the figures as printed too, so verdict and
// print agree.
func (b Bound) Check(number, condition string, value float64) Check {
	measured := b.Unit.Print(value)
	held := b.Compare || measured == b.Unit.Print(b.Limit)
	if b.Least {
		held = held || value >= b.Limit
	} else {
		held = held || value <= b.Limit
	}
	return Check{b, number, condition, measured, held}
}

// Text returns the bound as printed. It is empty for a figure that is given for comparison.
func (b Bound) Text() string {
	switch {
	case b.Compare:
		return ""
	case b.Least:
		return "≥ " + b.Unit.Print(b.Limit)
	}
	return "≤ " + b.Unit.Print(b.Limit)
}

// number returns the number of the case, for sorting.
func (c Check) number() int {
	n, err := strconv.Atoi(c.Case)
	if err != nil {
		panic("conformance: case " + c.Case + " is no number")
	}
	return n
}

// OK reports whether the check has the expected outcome.
func (c Check) OK() bool { return c.Held != c.Control }

// Verdict returns one word for the outcome.
func (c Check) Verdict() string {
	switch {
	case c.Compare:
		return "for comparison"
	case c.Control && !c.Held:
		return "fails, as it must"
	case c.Control:
		return "does not fail"
	case c.Held:
		return "holds"
	}
	return "misses"
}

// Cells returns the check's cells in the tables of bounds.
func (c Check) Cells() []string {
	verdict := c.Verdict()
	if !c.OK() {
		verdict = "**" + verdict + "**"
	}
	return []string{c.Case, c.Condition, c.Lane, c.What, c.Text(), c.Measured, verdict}
}

// Unit formats a figure. Figures are rounded so that the last bit of a floating-point operation is
// not visible.
type Unit struct {
	Format string
	Factor float64 // by which a figure is multiplied
}

// These are the units of the figures.
var (
	Metres              = Unit{"%.3f m", 1}
	tenthsOfMillimetres = Unit{"%.1f mm", 1000}
	millimetres         = Unit{"%.0f mm", 1000}
	Percents            = Unit{"%.2f %%", 100}
	Millis              = Unit{"%.0f ms", 1000} // of seconds
	tenths              = Unit{"%.1f ms", 1000}
	Seconds             = Unit{"%.1f s", 1}
	factors             = Unit{"%.3f", 1}
	Counts              = Unit{"%.0f", 1}
	degrees             = Unit{"%.1f°", 1}
	kilobits            = Unit{"%.1f kbit/s", 1e-3}
)

// Print returns a figure in the unit.
func (u Unit) Print(v float64) string { return fmt.Sprintf(u.Format, v*u.Factor) }
