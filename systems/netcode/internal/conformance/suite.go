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

// Failed returns the checks with the wrong outcome: missed bounds, and controls that do not miss
// their bounds.
func (r *Report) Failed() []Check {
	failed := failed(r.Checks)
	for i := range r.Sections {
		failed = append(failed, r.Sections[i].Failed()...)
	}
	return failed
}

// Failed returns the section's checks with the wrong outcome.
func (s *Section) Failed() []Check { return failed(s.Checks) }

func failed(checks []Check) []Check {
	var failed []Check
	for _, c := range checks {
		if !c.OK() {
			failed = append(failed, c)
		}
	}
	return failed
}

// noted returns the checks for the page's notes, including those of the sections: bounds with a
// reason, and checks with the wrong outcome.
func (r *Report) noted() []Check {
	list := noted(r.Checks)
	for i := range r.Sections {
		list = append(list, noted(r.Sections[i].Checks)...)
	}
	return list
}

// noted returns the checks with the wrong outcome, and those whose bound has a reason.
func noted(checks []Check) []Check {
	var noted []Check
	for _, c := range checks {
		if !c.OK() || c.Why != "" {
			noted = append(noted, c)
		}
	}
	return noted
}

// RunAll runs every row in every lane and every special case, on the given number of goroutines. It
// calls progress with the finished share. progress may be nil and must be safe for concurrent use.
// The report does not depend on the number of goroutines.
func RunAll(workers int, progress func(done, of int)) *Report {
	rows, special := Rows(), specials()
	of := (len(rows) + len(special)) * Seeds
	count := counter{of: of, report: progress}
	outcomes := compute(rows, Lanes(), workers, count.one)
	r := &Report{Outcomes: outcomes, Checks: rowBounds(outcomes)}
	r.Checks = append(r.Checks, runSpecials(special, workers, count.one)...)
	slices.SortStableFunc(r.Checks, func(a, b Check) int { return a.number() - b.number() })
	return r
}

// runSpecials runs special cases over all seeds.
func runSpecials(list []special, workers int, done func()) []Check {
	values := make([][]float64, len(list)*Seeds)
	parallel(len(values), workers, func(i int) {
		if s := &list[i/Seeds]; !s.once || i%Seeds == 0 {
			values[i] = s.run(uint64(i%Seeds) + 1)
		}
		if done != nil {
			done()
		}
	})
	var checks []Check
	for i := range list {
		s := &list[i]
		for j, b := range s.bounds {
			worst := values[i*Seeds][j]
			for _, v := range values[i*Seeds : (i+1)*Seeds] {
				if v == nil {
					continue
				}
				if b.least {
					worst = min(worst, v[j])
				} else {
					worst = max(worst, v[j])
				}
			}
			checks = append(checks, b.check(s.number, s.condition, worst))
		}
	}
	return checks
}
