package report

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// measureHeads are the columns of the tables of all figures.
var measureHeads = []string{
	"lane", "error rms", "max", "at steps", "rotation", "jump", "roughness", "true", "starved", "lag p50", "p95", "view rate", "teleports",
}

// cells returns the figures of a lane in the order of measureHeads.
func (o *outcome) cells(lane int) []string {
	m, l := &o.Worst[lane], &o.Lanes[lane]
	views, starved, teleports := "", "", "0"
	if l.views() {
		views = fmt.Sprintf("%.3f–%.3f", m.RateMin, m.RateMax)
	}
	if l.starves() {
		starved = conformance.Percents.Print(m.Starved)
	}
	if m.Smeared > 0 {
		teleports = fmt.Sprintf("%d smeared", m.Smeared)
	} else if m.Jumped > 0 {
		teleports = fmt.Sprintf("%d wrong", m.Jumped)
	}
	return []string{
		l.Name, conformance.Metres.Print(m.ErrorRMS), conformance.Metres.Print(m.ErrorMax), conformance.Metres.Print(m.StepMax), degrees.Print(m.TurnMax), conformance.Metres.Print(m.Jump),
		fmt.Sprintf("%.0f", m.Rough), fmt.Sprintf("%.0f m/s²", m.TrueRough), starved,
		milliseconds(m.Lag50), milliseconds(m.Lag95), views, teleports,
	}
}

func milliseconds(d time.Duration) string {
	if d >= lagBins*lagBin {
		return "> 2 s"
	}
	return conformance.Millis.Print(d.Seconds())
}

// heading returns the heading of a row.
func (o *outcome) heading() string {
	m := conformance.MotionNamed(o.Motion)
	return fmt.Sprintf("%s · %s, %s", o.Network.Name, m.ID, m.Title)
}

// about describes how a row was measured.
func (o *outcome) about() string {
	return fmt.Sprintf("Case %s. %d runs of %.0f s. %s down. `%s`", o.Case, laneSeeds, o.Length.Seconds(), kilobits.Print(8*o.Bytes), o.Network.line())
}

// short names a lane in a narrow column.
func (l *lane) short() string {
	switch l.Clock {
	case clockReference:
		return "on View"
	case clockMirror:
		return "Mirror"
	case clockLog5:
		return "Log #5"
	case clockLocal:
		return "local"
	}
	return articles.Name(l.Kind)
}

// glance is a measure that is shown in one table for all rows and lanes.
type glance struct {
	title string
	value func(m *measures, l *lane) (v float64, ok bool)
	unit  conformance.Unit
	good  float64 // values up to this are good, and three times as much is bad
}

var glances = []glance{
	{"worst jump in a frame, metres", func(m *measures, _ *lane) (float64, bool) { return m.Jump, true }, conformance.Unit{Format: "%.3f", Factor: 1}, 0.05},
	{"greatest error, metres", func(m *measures, _ *lane) (float64, bool) { return m.ErrorMax, true }, conformance.Unit{Format: "%.3f", Factor: 1}, 0.05},
	{"starved frames, per cent", func(m *measures, l *lane) (float64, bool) { return m.Starved, l.starves() }, conformance.Unit{Format: "%.2f", Factor: 100}, 0.008},
	{"median lag, milliseconds", func(m *measures, l *lane) (float64, bool) { return m.Lag50.Seconds(), l.Clock != clockLocal }, conformance.Unit{Format: "%.0f", Factor: 1000}, 0.240},
}

// heat returns the table of a glance.
func (r *report) heat(g *glance) heat {
	h := heat{Title: g.title, Head: []string{"condition"}}
	for _, l := range allLanes() {
		h.Head = append(h.Head, l.short())
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		cells := []heatCell{{Text: o.key()}}
		for l := range o.Lanes {
			cells = append(cells, g.cell(&o.Worst[l], &o.Lanes[l]))
		}
		h.Rows = append(h.Rows, cells)
	}
	return h
}

// cell returns a lane's figure. It is empty if the lane has none.
func (g *glance) cell(m *measures, l *lane) heatCell {
	v, ok := g.value(m, l)
	switch text := g.unit.Print(v); {
	case !ok:
		return heatCell{}
	case v <= g.good*1.001:
		return heatCell{text, 1}
	case v <= 3*g.good:
		return heatCell{text, 2}
	default:
		return heatCell{text, 3}
	}
}
