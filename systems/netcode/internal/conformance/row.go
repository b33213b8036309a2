package conformance

import "time"

// Seeds is the number of runs behind every figure. Each figure is the worst of them, unless stated
// otherwise.
const Seeds = 20

// Row is a network and a motion, over which all lanes are compared.
type Row struct {
	Case    string // number in the case list
	Network Network
	Motion  string
	Length  time.Duration
}

// key identifies a row.
func (r *Row) key() string { return r.Network.Name + ", " + r.Motion }

// Outcome is a Row with the worst of each measure over the seeds.
type Outcome struct {
	Row
	Lanes []Lane
	Worst []Measure // by lane
	Bytes float64   // per second, down
}

// lane returns the measures of the lane with a name.
func (o *Outcome) lane(name string) *Measure {
	for i := range o.Lanes {
		if o.Lanes[i].Name == name {
			return &o.Worst[i]
		}
	}
	panic("conformance: no lane is called " + name)
}

const (
	long  = 300 * time.Second
	short = 120 * time.Second
)

// Rows returns all rows in the order of the report.
func Rows() []Row {
	var rows []Row
	add := func(number string, n Network, length time.Duration, ids ...string) {
		for _, id := range ids {
			rows = append(rows, Row{Case: number, Network: n, Motion: id, Length: length})
		}
	}
	add("1", ideal, short, "M1", "M2", "M3", "M4", "M5", "M6")
	add("2", base, short, "M1", "M2", "M3", "M6")
	add("3, 4", at10(base), short, "M2", "M3", "M4", "M5")
	add("5", seeds, long, "M1", "M2", "M3", "M4", "M5", "M6")
	add("5", at10(seeds), short, "M2", "M3", "M5")
	add("6", ordered, short, "M1", "M3")
	add("7", bursts, short, "M1", "M2")
	add("8", jittery, short, "M2", "M3")
	add("10", repeated, short, "M1")
	add("10", shuffled, short, "M3")
	add("19", base, short, "M7")
	add("19", seeds, short, "M7")
	return rows
}

// compute runs all seeds of the rows in the given lanes, and calls done after each run.
func compute(rows []Row, lanes []Lane, done func()) []Outcome {
	results := Worst(rows, Seeds, done, func(r *Row, seed uint64) Result {
		return Run(Spec{Network: r.Network, Motion: motion(r.Motion), Lanes: lanes, Length: r.Length, Seed: seed})
	}, func(worst, other *Result) {
		worst.Bytes = max(worst.Bytes, other.Bytes)
		for i := range worst.Lanes {
			worst.Lanes[i].worst(&other.Lanes[i])
		}
	})
	outcomes := make([]Outcome, len(rows))
	for i, r := range results {
		outcomes[i] = Outcome{Row: rows[i], Lanes: lanes, Worst: r.Lanes, Bytes: r.Bytes}
	}
	return outcomes
}
