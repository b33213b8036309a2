package rates

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/internal/markdown"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

const (
	// Seeds is the number of runs behind a row. Each figure is the worst of them.
	Seeds = 3
	// Length is the length of a run, warm-up included.
	Length = 60 * time.Second
)

// Table is one table of docs/tuning.md.
type Table struct {
	Name   string // of its place in the page
	Labels []string
	Picked []int // the figures behind the labels
	Rows   []Row
}

// Row is a setting with the labels in front of its figures.
type Row struct {
	Labels  []string
	Setting Setting
}

// Tables returns all tables.
func Tables() []Table {
	networks := Networks()
	home := networks[1]
	var tables []Table
	for _, n := range networks {
		t := Table{
			Name: strings.ToLower(n.Name), Labels: []string{"ticks", "snapshots"},
			Picked: []int{Lag50, Lag95, Starved, CircleOff, FlipsOff, Down, Up, Lead, Age, Rewind},
		}
		for _, rate := range []int{30, 60} {
			for _, snapshots := range []int{10, 20, 30, 60} {
				if snapshots <= rate {
					t.add(Setting{Network: n, TickRate: rate, SnapshotRate: snapshots}, hertz(rate), hertz(snapshots))
				}
			}
		}
		tables = append(tables, t)
	}

	actions := Table{Name: "actions", Labels: []string{"network", "packets of inputs"}, Picked: []int{Up, UpSize, Lead, Age, Rewind, Missed}}
	for _, n := range networks[1:3] {
		for _, rate := range []int{10, 20, 30, 60} {
			actions.add(Setting{Network: n, TickRate: 60, SnapshotRate: 30, ActionRate: rate}, n.Name, hertz(rate))
		}
	}

	frames := Table{Name: "frames", Labels: []string{"frames"}, Picked: []int{Lag50, Lead, Age, Rewind}}
	for _, rate := range []int{30, 60, 120, 240} {
		frames.add(Setting{Network: home, TickRate: 60, SnapshotRate: 30, FrameRate: rate}, hertz(rate))
	}

	sizes := Table{Name: "sizes", Labels: []string{"in motion"}, Picked: []int{DownSize, Down}}
	for _, bodies := range []int{3, 18, 48, 98} {
		sizes.add(Setting{Network: home, TickRate: 60, SnapshotRate: 30, Bodies: bodies}, fmt.Sprint(bodies+2))
	}

	games := Table{
		Name: "games", Labels: []string{"game", "ticks", "snapshots", "inputs", "in motion", "network"},
		Picked: []int{Lag50, FlipsOff, Age, Rewind, Down, Up},
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
		for _, n := range []Network{home, networks[3]} {
			games.add(Setting{Network: n, TickRate: g.ticks, SnapshotRate: g.snapshots, ActionRate: g.inputs, Bodies: g.bodies},
				g.name, hertz(g.ticks), hertz(g.snapshots), hertz(g.inputs), fmt.Sprint(g.bodies+2), n.Name)
		}
	}
	return append(tables, actions, frames, sizes, games)
}

func (t *Table) add(s Setting, labels ...string) {
	s.Length = Length
	t.Rows = append(t.Rows, Row{labels, s})
}

func hertz(rate int) string { return fmt.Sprintf("%d Hz", rate) }

// head returns the head of the table.
func (t *Table) head() []string { return slices.Concat(t.Labels, columns.Heads(t.Picked)) }

// filled returns the table with the figures of its rows.
func (t *Table) filled(figures []Figures) markdown.Table {
	m := markdown.Table{Labels: len(t.Labels), Head: t.head()}
	for i, row := range t.Rows {
		m.Rows = append(m.Rows, slices.Concat(row.Labels, columns.Print(figures[i][:], t.Picked)))
	}
	return m
}

// measure runs all seeds of rows and calls done after each run.
func measure(rows []Row, done func()) []Figures {
	return conformance.Worst(rows, Seeds, done, func(row *Row, seed uint64) Figures {
		s := row.Setting
		s.Seed = seed
		f, err := Run(s)
		if err != nil {
			panic(err) // the settings are this package's own
		}
		return f
	}, func(worst, other *Figures) { columns.Worst(worst[:], other[:]) })
}
