package rates

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/internal/markdown"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/match"
)

const (
	// seeds is the number of runs behind a row. Each figure is the worst of them.
	seeds = 3
	// length is the length of a run, warm-up included.
	length = 60 * time.Second
)

// table is one table of docs/tuning.md.
type table struct {
	name   string // of its place in the page
	labels []string
	picked []int // the figures behind the labels
	rows   []row
}

// row is a setting with the labels in front of its figures.
type row struct {
	labels  []string
	setting match.Setting
}

// tables returns all tables.
func tables() []table {
	nets := networks()
	home := nets[1]
	var all []table
	for _, n := range nets {
		t := table{
			name: strings.ToLower(n.Name), labels: []string{"ticks", "snapshots"},
			picked: []int{lag50, lag95, starved, circleOff, flipsOff, down, up, lead, age, rewind},
		}
		for _, rate := range []int{30, 60} {
			for _, snapshots := range []int{10, 20, 30, 60} {
				if snapshots <= rate {
					t.add(match.Setting{Network: n, TickRate: rate, SnapshotRate: snapshots}, hertz(rate), hertz(snapshots))
				}
			}
		}
		all = append(all, t)
	}

	actions := table{name: "actions", labels: []string{"network", "packets of inputs"}, picked: []int{up, upSize, lead, age, rewind, missed}}
	for _, n := range nets[1:3] {
		for _, rate := range []int{10, 20, 30, 60} {
			actions.add(match.Setting{Network: n, TickRate: 60, SnapshotRate: 30, ActionRate: rate}, n.Name, hertz(rate))
		}
	}

	frames := table{name: "frames", labels: []string{"frames"}, picked: []int{lag50, lead, age, rewind}}
	for _, rate := range []int{30, 60, 120, 240} {
		frames.add(match.Setting{Network: home, TickRate: 60, SnapshotRate: 30, FrameRate: rate}, hertz(rate))
	}

	sizes := table{name: "sizes", labels: []string{"in motion"}, picked: []int{downSize, down}}
	for _, bodies := range []int{3, 18, 48, 98} {
		sizes.add(match.Setting{Network: home, TickRate: 60, SnapshotRate: 30, Bodies: bodies}, fmt.Sprint(bodies+2))
	}

	games := table{
		name: "games", labels: []string{"game", "ticks", "snapshots", "inputs", "in motion", "network"},
		picked: []int{lag50, flipsOff, age, rewind, down, up},
	}
	for _, g := range []struct {
		name                             string
		ticks, snapshots, inputs, bodies int
	}{
		{"shooter", 60, 60, 60, 14},
		{"racer", 60, 30, 60, 10},
		{"sandbox", 30, 15, 30, 58},
		{"strategy", 10, 5, 10, 148},
	} {
		for _, n := range []match.Network{home, nets[3]} {
			games.add(match.Setting{Network: n, TickRate: g.ticks, SnapshotRate: g.snapshots, ActionRate: g.inputs, Bodies: g.bodies},
				g.name, hertz(g.ticks), hertz(g.snapshots), hertz(g.inputs), fmt.Sprint(g.bodies+2), n.Name)
		}
	}
	return append(all, actions, frames, sizes, games)
}

func (t *table) add(s match.Setting, labels ...string) {
	s.Length = length
	t.rows = append(t.rows, row{labels, s})
}

func hertz(rate int) string { return fmt.Sprintf("%d Hz", rate) }

// head returns the head of the table.
func (t *table) head() []string { return slices.Concat(t.labels, columns.Heads(t.picked)) }

// filled returns the table with the figures of its rows.
func (t *table) filled(found []figures) markdown.Table {
	m := markdown.Table{Labels: len(t.labels), Head: t.head()}
	for i, r := range t.rows {
		m.Rows = append(m.Rows, slices.Concat(r.labels, columns.Print(found[i][:], t.picked)))
	}
	return m
}

// measure runs all seeds of rows.
func measure(rows []row) []figures {
	return conformance.Worst(rows, seeds, func(r *row, seed uint64) figures {
		s := r.setting
		s.Seed = seed
		f, err := play(s)
		if err != nil {
			panic(err) // the settings are this package's own
		}
		return f
	}, func(worst, other *figures) { columns.Worst(worst[:], other[:]) })
}
