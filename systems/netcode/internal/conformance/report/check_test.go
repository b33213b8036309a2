package report

import (
	"strconv"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// bound is a limit of a measured figure.
type bound struct {
	Lane, What string
	Unit       conformance.Unit
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

// check is one bound of one case, with the measured figure of the worst seed.
type check struct {
	bound
	Case, Condition string
	Measured        string
	Held            bool
}

// check compares a figure with the bound. It compares the figures as printed too, so verdict and
// print agree.
func (b bound) check(number, condition string, value float64) check {
	measured := b.Unit.Print(value)
	held := b.Compare || measured == b.Unit.Print(b.Limit)
	if b.Least {
		held = held || value >= b.Limit
	} else {
		held = held || value <= b.Limit
	}
	return check{b, number, condition, measured, held}
}

// Text returns the bound as printed. It is empty for a figure that is given for comparison.
func (b bound) Text() string {
	switch {
	case b.Compare:
		return ""
	case b.Least:
		return "≥ " + b.Unit.Print(b.Limit)
	}
	return "≤ " + b.Unit.Print(b.Limit)
}

// number returns the number of the case, for sorting.
func (c check) number() int {
	n, err := strconv.Atoi(c.Case)
	if err != nil {
		panic("conformance: case " + c.Case + " is no number")
	}
	return n
}

// OK reports whether the check has the expected outcome.
func (c check) OK() bool { return c.Held != c.Control }

// Verdict returns one word for the outcome.
func (c check) Verdict() string {
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
func (c check) Cells() []string {
	verdict := c.Verdict()
	if !c.OK() {
		verdict = "**" + verdict + "**"
	}
	return []string{c.Case, c.Condition, c.Lane, c.What, c.Text(), c.Measured, verdict}
}

// These are the units of this report alone.
var (
	tenthsOfMillimetres = conformance.Unit{Format: "%.1f mm", Factor: 1000}
	millimetres         = conformance.Unit{Format: "%.0f mm", Factor: 1000}
	tenths              = conformance.Unit{Format: "%.1f ms", Factor: 1000} // of seconds
	factors             = conformance.Unit{Format: "%.3f", Factor: 1}
	degrees             = conformance.Unit{Format: "%.1f°", Factor: 1}
	kilobits            = conformance.Unit{Format: "%.1f kbit/s", Factor: 1e-3}
)

func TestVerdicts(t *testing.T) {
	b := bound{Lane: "x", What: "y", Unit: conformance.Metres, Limit: 0.05}
	for _, tt := range []struct {
		value float64
		b     bound
		ok    bool
		text  string
	}{
		{0.05, b, true, "holds"},
		{0.0504, b, true, "holds"}, // as printed
		{0.06, b, false, "**misses**"},
		{0.06, bound{Unit: conformance.Metres, Limit: 0.05, Control: true}, true, "fails, as it must"},
		{0.04, bound{Unit: conformance.Metres, Limit: 0.05, Control: true}, false, "**does not fail**"},
		{0.04, bound{Unit: conformance.Metres, Limit: 0.05, Least: true}, false, "**misses**"},
		{0.06, bound{Unit: conformance.Metres, Limit: 0.05, Least: true}, true, "holds"},
		{9, bound{Unit: conformance.Metres, Compare: true}, true, "for comparison"},
	} {
		c := tt.b.check("1", "c", tt.value)
		if c.OK() != tt.ok || c.Cells()[6] != tt.text {
			t.Errorf("%v against %+v: %v, %q, want %v, %q", tt.value, tt.b, c.OK(), c.Cells()[6], tt.ok, tt.text)
		}
	}
}
