package report

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// laneSeeds is the number of runs behind every figure. Each figure is the worst of them, unless
// stated otherwise.
const laneSeeds = 20

// row is a network and a motion, over which all lanes are compared.
type row struct {
	Case    string // number in the case list
	Network network
	Motion  string
	Length  time.Duration
}

// key identifies a row.
func (r *row) key() string { return r.Network.Name + ", " + r.Motion }

// outcome is a row with the worst of each measure over the seeds.
type outcome struct {
	row
	Lanes []lane
	Worst []measures // by lane
	Bytes float64    // per second, down
}

// lane returns the measures of the lane with a name.
func (o *outcome) lane(name string) *measures {
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

// laneRows returns all rows in the order of the report.
func laneRows() []row {
	var rows []row
	add := func(number string, n network, length time.Duration, ids ...string) {
		for _, id := range ids {
			rows = append(rows, row{Case: number, Network: n, Motion: id, Length: length})
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

// compute runs all seeds of the rows in the given lanes.
func compute(rows []row, lanes []lane) []outcome {
	results := conformance.Worst(rows, laneSeeds, func(r *row, seed uint64) runResult {
		return runLanes(runSpec{Network: r.Network, Motion: conformance.MotionNamed(r.Motion), Lanes: lanes, Length: r.Length, Seed: seed})
	}, func(worst, other *runResult) {
		worst.Bytes = max(worst.Bytes, other.Bytes)
		for i := range worst.Lanes {
			worst.Lanes[i].worst(&other.Lanes[i])
		}
	})
	outcomes := make([]outcome, len(rows))
	for i, r := range results {
		outcomes[i] = outcome{row: rows[i], Lanes: lanes, Worst: r.Lanes, Bytes: r.Bytes}
	}
	return outcomes
}
