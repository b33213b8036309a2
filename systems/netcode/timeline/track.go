package timeline

import (
	"math"
	"slices"
	"sort"
	"time"
)

// Track is a part of a timeline: the line, the own player, a body, or the machine.
type Track struct {
	Name   string
	Slices []Slice // by their begin; they may overlap
	Marks  []Mark  // by their time
	Charts []Chart
}

// Slice is something that lasts.
type Slice struct {
	Name     string
	From, To time.Duration
	Text     string // details; may be empty
	Bad      bool   // it explains a fault of the picture
}

// Mark is something that happens at once.
type Mark struct {
	Name string
	At   time.Duration
	Text string // details; may be empty
	Bad  bool   // it explains a fault of the picture
}

// Chart is lines on one axis.
type Chart struct {
	Name, Unit string
	Lines      []Line
}

// Range returns the ends of the chart's axis for a part of the time, which include zero. A few
// steps far above the others, such as those through a portal, are beyond it.
func (c *Chart) Range(from, to time.Duration) (lo, hi float64) {
	var joined []float64
	for i := range c.Lines {
		for _, p := range c.Lines[i].within(from, to) {
			if math.IsInf(p.Value, 0) || p.Value != p.Value {
				continue
			}
			lo, hi = min(lo, p.Value), max(hi, p.Value)
			if !c.Lines[i].Dots {
				joined = append(joined, p.Value)
			}
		}
	}
	if len(c.Lines) == 1 && len(joined) > 0 {
		slices.Sort(joined)
		if most := joined[len(joined)*98/100]; most > 0 && hi > 4*most {
			hi = 1.3 * most
		}
	}
	if hi-lo < 1e-6 {
		hi = lo + 1
	}
	return lo, hi
}

// Line is a value over time, by its times.
type Line struct {
	Name   string // empty in a chart of one line
	Dots   bool   // single measurements, which are not joined
	Points []Point
}

// within returns the points of a part of the time.
func (l *Line) within(from, to time.Duration) []Point {
	i := sort.Search(len(l.Points), func(i int) bool { return l.Points[i].At >= from })
	end := sort.Search(len(l.Points), func(i int) bool { return l.Points[i].At > to })
	return l.Points[i:max(i, end)]
}

// Point is a value at a time. A value of NaN ends the line that leads to it.
type Point struct {
	At    time.Duration
	Value float64
}

// snapshotName is the name of the slices that a snapshot is under way. They overlap.
const snapshotName = "snapshot"

// order is the order of rows.
var order = [...]string{
	snapshotName, "lost", "view waits", "connection", "spawned", "frame", "sample", "stands", "starved", "held", "teleported", "corrected",
	"input missed", "clock jump", "long frame", "time dropped", "ended",
}

// Rows returns the names of the track's slices and marks, in the order in which pictures show them.
func (t *Track) Rows() (names []string) {
	for _, name := range order {
		if slices.ContainsFunc(t.Slices, func(s Slice) bool { return s.Name == name }) || slices.ContainsFunc(t.Marks, func(m Mark) bool { return m.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}
