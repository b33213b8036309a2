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

	// Control marks a negative control: an algorithm as in its source. It has to miss the bound, or
	// the bound proves nothing.
	Control bool

	// Why gives the reason for which a bound is not met, where it is known.
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

// OK reports whether the check came out as it should.
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

// unit formats a figure. Figures are rounded so far that the last bit of a floating-point operation
// does not show.
type unit struct {
	format string
	factor float64
}

var (
	metres              = unit{"%.3f m", 1}
	tenthsOfMillimetres = unit{"%.1f mm", 1000}
	percents            = unit{"%.2f %%", 100}
	millis              = unit{"%.0f ms", 1000} // of seconds
	tenths              = unit{"%.1f ms", 1000}
	secs                = unit{"%.1f s", 1}
	factors             = unit{"%.3f", 1}
	counts              = unit{"%.0f", 1}
	degrees             = unit{"%.1f°", 1}
	kilobits            = unit{"%.1f kbit/s", 1e-3}
)

func (u unit) print(v float64) string { return fmt.Sprintf(u.format, v*u.factor) }

// bound is what a measured figure must satisfy.
type bound struct {
	lane, what string
	unit       unit
	limit      float64
	least      bool // a lower bound
	control    bool
	compare    bool // no bound at all
	why        string
}

// check compares a figure with the bound. It rounds the figure as printed first, so that verdict
// and print agree.
func (b bound) check(number, condition string, value float64) Check {
	c := Check{
		Case: number, Condition: condition, Lane: b.lane, What: b.what, Control: b.control, Why: b.why,
		Measured: b.unit.print(value),
	}
	if b.compare {
		c.Bound, c.Held, c.Compare = "", true, true
	} else if b.least {
		c.Bound = "≥ " + b.unit.print(b.limit)
		c.Held = value >= b.limit || c.Measured == b.unit.print(b.limit)
	} else {
		c.Bound = "≤ " + b.unit.print(b.limit)
		c.Held = value <= b.limit || c.Measured == b.unit.print(b.limit)
	}
	return c
}
