package conformance

import (
	"fmt"
	"strings"
	"time"
)

// A table row holds the measures of one lane as printed.

var measureHeads = []string{
	"lane", "error rms", "max", "at steps", "rotation", "jump", "roughness", "true", "starved", "lag p50", "p95", "view rate", "teleports",
}

// cells returns the figures in the order of measureHeads.
func (m *Measure) cells(l *Lane) []string {
	views, rotation := "", degrees.Print(m.TurnMax)
	if l.Views() {
		views = fmt.Sprintf("%.3f–%.3f", m.RateMin, m.RateMax)
	}
	jumps := "0"
	if m.Jumped > 0 {
		jumps = fmt.Sprintf("%d wrong", m.Jumped)
	}
	if m.Smeared > 0 {
		jumps = fmt.Sprintf("%d smeared", m.Smeared)
	}
	starved := percents.Print(m.Starved)
	if !l.Starves() {
		starved = ""
	}
	return []string{
		l.Name, metres.Print(m.ErrorRMS), metres.Print(m.ErrorMax), metres.Print(m.StepMax), rotation, metres.Print(m.Jump),
		fmt.Sprintf("%.0f", m.Rough), fmt.Sprintf("%.0f m/s²", m.TrueRough), starved,
		milliseconds(m.Lag50), milliseconds(m.Lag95), views, jumps,
	}
}

func milliseconds(d time.Duration) string {
	if d >= lagBins*lagBin {
		return "> 2 s"
	}
	return millis.Print(d.Seconds())
}

// line returns the lane's line in the Markdown table.
func (o *Outcome) line(lane int) string {
	return "| " + strings.Join(o.Worst[lane].cells(&o.Lanes[lane]), " | ") + " |"
}

// heading returns the heading of a row.
func (o *Outcome) heading() string {
	m := motion(o.Motion)
	return fmt.Sprintf("%s · %s, %s", o.Network.Name, m.ID, m.Title)
}

// about describes how a row was measured.
func (o *Outcome) about() string {
	return fmt.Sprintf("Case %s. %d runs of %.0f s. %s down. `%s`", o.Case, Seeds, o.Length.Seconds(), kilobits.Print(8*o.Bytes), o.Network.line())
}

// line returns the check's line in the Markdown table.
func (c *Check) line() string {
	return "| " + strings.Join([]string{c.Case, c.Condition, c.Lane, c.What, c.Bound, c.Measured, c.Verdict()}, " | ") + " |"
}
