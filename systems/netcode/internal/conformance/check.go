package conformance

import (
	"fmt"
	"strconv"
)

// Check is one bound of one case, with the measured figure of the worst seed.
type Check struct {
	Case      string
	Condition string
	Lane      string
	What      string
	Bound     string
	Measured  string
	Held      bool

	// Control marks a negative control: an algorithm as in its source. It has to miss the bound.
	// Otherwise the bound proves nothing.
	Control bool

	// Why is the reason why a bound is not met, if it is known.
	Why string

	// Compare marks a figure without a bound, given beside others.
	Compare bool
}

// number returns the number of the case, for sorting.
func (c *Check) number() int {
	n, err := strconv.Atoi(c.Case)
	if err != nil {
		panic("conformance: case " + c.Case + " is no number")
	}
	return n
}

// OK reports whether the check has the expected outcome.
func (c *Check) OK() bool { return c.Held != c.Control }

// Verdict returns one word for the outcome.
func (c *Check) Verdict() string {
	switch {
	case c.Compare:
		return "for comparison"
	case c.Control && !c.Held:
		return "fails, as it must"
	case c.Control:
		return "**does not fail**"
	case c.Held:
		return "holds"
	}
	return "**misses**"
}

// Unit formats a figure. Figures are rounded so that the last bit of a floating-point operation is
// not visible.
type Unit struct {
	Format string
	Factor float64 // by which a figure is multiplied
}

var (
	metres              = Unit{"%.3f m", 1}
	tenthsOfMillimetres = Unit{"%.1f mm", 1000}
	percents            = Unit{"%.2f %%", 100}
	millis              = Unit{"%.0f ms", 1000} // of seconds
	tenths              = Unit{"%.1f ms", 1000}
	secs                = Unit{"%.1f s", 1}
	factors             = Unit{"%.3f", 1}
	counts              = Unit{"%.0f", 1}
	degrees             = Unit{"%.1f°", 1}
	kilobits            = Unit{"%.1f kbit/s", 1e-3}
)

// Print returns a figure in the unit.
func (u Unit) Print(v float64) string { return fmt.Sprintf(u.Format, v*u.Factor) }

// bound is what a measured figure must satisfy.
type bound struct {
	lane, what string
	unit       Unit
	limit      float64
	least      bool // a lower bound
	control    bool
	compare    bool // no bound at all
	why        string
}

// check compares a figure with the bound.
func (b bound) check(number, condition string, value float64) Check {
	c := Check{Case: number, Condition: condition, Lane: b.lane, What: b.what, Control: b.control, Why: b.why}
	if b.compare {
		c.Measured, c.Held, c.Compare = b.unit.Print(value), true, true
		return c
	}
	return c.Against(b.unit, value, b.limit, b.least)
}

// Against returns the check of a figure against a limit, which is a lower limit if least is set. It
// compares the figures as printed too, so verdict and print agree.
func (c Check) Against(u Unit, value, limit float64, least bool) Check {
	c.Measured, c.Bound, c.Held = u.Print(value), "≤ "+u.Print(limit), value <= limit
	if least {
		c.Bound, c.Held = "≥ "+u.Print(limit), value >= limit
	}
	c.Held = c.Held || c.Measured == u.Print(limit)
	return c
}
