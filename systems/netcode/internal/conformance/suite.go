package conformance

import "slices"

// Report holds all results of the suite.
type Report struct {
	Outcomes []Outcome
	Checks   []Check
	Sections []Section // of other measurements
}

// Section is a table of other measurements, with bounds of its own.
type Section struct {
	Title, Lead string
	Terms       []Term // of the columns
	Head        []string
	Rows        [][]string
	Checks      []Check
}

// Term is a word and its meaning.
type Term struct{ Name, Text string }

// all returns the checks of the report and of its sections.
func (r *Report) all() []Check {
	all := slices.Clone(r.Checks)
	for _, s := range r.Sections {
		all = append(all, s.Checks...)
	}
	return all
}

// Failed returns the checks with the wrong outcome: missed bounds, and controls that do not miss
// their bounds.
func (r *Report) Failed() []Check { return slices.DeleteFunc(r.all(), Check.OK) }

// noted returns the checks with the wrong outcome, and those whose bound has a reason.
func noted(checks []Check) []Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return c.OK() && c.Why == "" })
}

// tally is a number of bounds that hold, of those that are missed, and of controls that fail.
type tally struct{ Held, Missed, Controls int }

func count(checks []Check) (t tally) {
	for _, c := range checks {
		switch {
		case c.Compare:
		case !c.OK():
			t.Missed++
		case c.Control:
			t.Controls++
		default:
			t.Held++
		}
	}
	return t
}

// Runs is the number of runs that [RunAll] makes.
func Runs() int { return (len(Rows()) + len(specials())) * Seeds }

// RunAll runs every row in every lane and every special case. It calls done, which may be nil, from
// any goroutine after each of [Runs] runs.
func RunAll(done func()) *Report {
	outcomes := compute(Rows(), Lanes(), done)
	checks := append(rowBounds(outcomes), runSpecials(specials(), done)...)
	slices.SortStableFunc(checks, func(a, b Check) int { return a.number() - b.number() })
	return &Report{Outcomes: outcomes, Checks: checks}
}

// runSpecials runs special cases over all seeds.
func runSpecials(list []special, done func()) (checks []Check) {
	worst := Worst(list, Seeds, done, func(s *special, seed uint64) []float64 {
		if s.once && seed > 1 {
			return nil
		}
		return s.run(seed)
	}, func(worst, other *[]float64) {
		for i, v := range *other {
			(*worst)[i] = max((*worst)[i], v)
		}
	})
	for i, s := range list {
		for j, b := range s.bounds {
			checks = append(checks, b.Check(s.number, s.condition, worst[i][j]))
		}
	}
	return checks
}
