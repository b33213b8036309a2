package rates

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Seeds is the number of runs behind a row. Each figure is the worst of them.
	Seeds = 3
	// Length is the length of a run, warm-up included.
	Length = 60 * time.Second
)

// Table is one table of docs/tuning.md.
type Table struct {
	Name  string // of its place in the page
	Head  []string
	Rows  []Row
	cells func(f *Figures) []string // the cells after the labels
}

// Row is a setting with the labels in front of its figures.
type Row struct {
	Labels  []string
	Setting Setting
}

// Tables returns all tables.
func Tables() []Table {
	networks := Networks()
	var tables []Table
	for _, n := range networks {
		t := Table{
			Name: strings.ToLower(n.Name),
			Head: []string{"ticks", "snapshots", "lag p50", "p95", "starved", "circle", "flips", "down", "up", "lead", "enemy's age", "rewind"},
			cells: func(f *Figures) []string {
				return []string{
					millis(f.Lag50), millis(f.Lag95), share(f.Starved), metres(f.Circle), metres(f.Flips), perSecond(f.Down), perSecond(f.Up),
					millis(f.Lead), millis(f.Age), millis(f.Rewind),
				}
			},
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

	actions := Table{
		Name: "actions", Head: []string{"network", "packets of inputs", "up", "bytes each", "lead", "enemy's age", "rewind", "missed"},
		cells: func(f *Figures) []string {
			return []string{perSecond(f.Up), fmt.Sprintf("%.0f", f.UpSize), millis(f.Lead), millis(f.Age), millis(f.Rewind), share(f.Missed)}
		},
	}
	for _, n := range networks[1:3] {
		for _, rate := range []int{10, 20, 30, 60} {
			actions.add(Setting{Network: n, TickRate: 60, SnapshotRate: 30, ActionRate: rate}, n.Name, hertz(rate))
		}
	}

	frames := Table{
		Name: "frames", Head: []string{"frames", "lag p50", "lead", "enemy's age", "rewind"},
		cells: func(f *Figures) []string {
			return []string{millis(f.Lag50), millis(f.Lead), millis(f.Age), millis(f.Rewind)}
		},
	}
	for _, rate := range []int{30, 60, 120, 240} {
		frames.add(Setting{Network: networks[1], TickRate: 60, SnapshotRate: 30, FrameRate: rate}, hertz(rate))
	}

	sizes := Table{
		Name: "sizes", Head: []string{"in motion", "bytes of a snapshot", "down"},
		cells: func(f *Figures) []string { return []string{fmt.Sprintf("%.0f", f.DownSize), perSecond(f.Down)} },
	}
	for _, bodies := range []int{3, 18, 48, 98} {
		sizes.add(Setting{Network: networks[1], TickRate: 60, SnapshotRate: 30, Bodies: bodies}, fmt.Sprint(bodies+2))
	}

	games := Table{
		Name: "games", Head: []string{"game", "ticks", "snapshots", "inputs", "in motion", "network", "lag p50", "flips", "enemy's age", "rewind", "down", "up"},
		cells: func(f *Figures) []string {
			return []string{millis(f.Lag50), metres(f.Flips), millis(f.Age), millis(f.Rewind), perSecond(f.Down), perSecond(f.Up)}
		},
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
		for _, n := range []Network{networks[1], networks[3]} {
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

// key returns the beginning of a row's line.
func (r *Row) key() string { return "| " + strings.Join(r.Labels, " | ") + " |" }

// measure runs all seeds of rows from the given number of goroutines and calls done after each run.
// The figures do not depend on the number of goroutines.
func measure(rows []Row, workers int, done func()) ([]Figures, error) {
	all := make([]Figures, len(rows)*Seeds)
	errs := make([]error, len(all))
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(workers, 1) {
		group.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(all); i = next.Add(1) - 1 {
				s := rows[i/Seeds].Setting
				s.Seed = uint64(i%Seeds) + 1
				all[i], errs[i] = Run(s)
				if done != nil {
					done()
				}
			}
		})
	}
	group.Wait()
	figures := make([]Figures, len(rows))
	for i := range all {
		if errs[i] != nil {
			return nil, errs[i]
		}
		figures[i/Seeds].worst(&all[i])
	}
	return figures, nil
}

// Lines measures the table and returns it in Markdown, with progress as in [measure].
func (t *Table) Lines(workers int, done func()) ([]string, error) {
	figures, err := measure(t.Rows, workers, done)
	if err != nil {
		return nil, err
	}
	lines := []string{"| " + strings.Join(t.Head, " | ") + " |", t.rule()}
	for i := range t.Rows {
		lines = append(lines, t.line(i, &figures[i]))
	}
	return lines, nil
}

func (t *Table) rule() string {
	labels := len(t.Rows[0].Labels)
	return "|" + strings.Repeat("---|", labels) + strings.Repeat("---:|", len(t.Head)-labels)
}

func (t *Table) line(row int, f *Figures) string {
	return t.Rows[row].key() + " " + strings.Join(t.cells(f), " | ") + " |"
}

func hertz(rate int) string          { return fmt.Sprintf("%d Hz", rate) }
func millis(d time.Duration) string  { return fmt.Sprintf("%.0f ms", d.Seconds()*1000) }
func share(v float64) string         { return fmt.Sprintf("%.2f %%", 100*v) }
func metres(v float64) string        { return fmt.Sprintf("%.3f m", v) }
func perSecond(bytes float64) string { return fmt.Sprintf("%.1f kB/s", bytes/1000) }
