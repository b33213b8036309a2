package report

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// These are the figures of the first client on a line, from the end of the warm-up on unless a
// comment states otherwise. Times are in seconds. The first ones, up to lineReconnects, are the
// columns of the table.
const (
	// share of its steps whose view had passed the newest snapshot that was there
	lineStarved = iota
	lineLag50   // server's present less the time shown
	lineLag95   // the same, 95th percentile
	// mean lag, relative to that of the least constant delay that does not starve more often
	lineOracle
	// share of frames with a body more than half a metre from the truth at the time shown
	lineWrong
	lineMissed      // share of ticks without the player's input
	lineMissedAtEnd // the same in the last minute
	lineClock       // greatest error of the server's clock
	lineCalmClock   // the same while round trips have been below 100 ms for 10 s
	lineQueue95     // wait of its own datagrams in the queue in front of the bottleneck
	lineUpQueue95
	lineDown       // kilobytes per second on the line, headers included
	lineRecovery   // longest recovery of the view after a gap of 0.5 to 1.5 s in the snapshots
	lineReconnects // sessions after the first

	// lineOracle for one whose view stops 100 ms beyond the newest snapshot, like the client's
	lineStopped
	lineUp
	// index of fairness between both clients on the way down: 1 is even, 1/2 is all for one
	lineJain

	// The figures whose names begin with lineHard are for the time when the line is at its worst,
	// from 5 s after the beginning of that time: see [lineCase].
	lineHardQueue95
	lineHardLag99
	lineHardLongest // time of one of its packets in the bottleneck
	lineHardUse     // share of the capacity that the client used
	// bytes per second from 5 s after the end of that time, relative to those before its beginning
	lineRegained
	lineFigureCount
)

// lineFigures are the figures by their numbers.
type lineFigures [lineFigureCount]float64

var (
	ratios = conformance.Unit{Format: "%.2f", Factor: 1}

	lineColumns = conformance.Columns{
		lineStarved:     {Head: "starved", Unit: conformance.Percents},
		lineLag50:       {Head: "lag p50", Unit: conformance.Millis},
		lineLag95:       {Head: "p95", Unit: conformance.Millis},
		lineOracle:      {Head: "oracle", Unit: ratios},
		lineWrong:       {Head: "off", Unit: conformance.Percents},
		lineMissed:      {Head: "missed", Unit: conformance.Percents},
		lineMissedAtEnd: {Head: "at the end", Unit: conformance.Percents},
		lineClock:       {Head: "clock", Unit: conformance.Millis},
		lineCalmClock:   {Head: "when calm", Unit: conformance.Millis},
		lineQueue95:     {Head: "queue down", Unit: conformance.Millis},
		lineUpQueue95:   {Head: "queue up", Unit: conformance.Millis},
		lineDown:        {Head: "down", Unit: conformance.Kilobytes, Least: true},
		lineRecovery:    {Head: "back", Unit: conformance.Seconds},
		lineReconnects:  {Head: "reconnects", Unit: conformance.Counts},
		lineStopped:     {Unit: ratios},
		lineUp:          {Unit: conformance.Kilobytes, Least: true},
		lineJain:        {Unit: ratios, Least: true},
		lineHardQueue95: {Unit: conformance.Millis},
		lineHardLag99:   {Unit: conformance.Millis},
		lineHardLongest: {Unit: conformance.Millis},
		lineHardUse:     {Unit: conformance.Percents, Least: true},
		lineRegained:    {Unit: conformance.Percents, Least: true},
	}
)

// worst keeps the worse value of each figure.
func (f *lineFigures) worst(o *lineFigures) { lineColumns.Worst(f[:], o[:]) }

func percentile(all []time.Duration, p float64) float64 {
	return conformance.Percentile(all, p).Seconds()
}

func mean(all []time.Duration) time.Duration {
	sum := 0.0
	for _, v := range all {
		sum += v.Seconds()
	}
	return time.Duration(sum / float64(max(len(all), 1)) * float64(time.Second))
}

func share(part, of int) float64 { return float64(part) / float64(max(of, 1)) }

// The worse of two values is kept for every figure, from either run.
func TestWorstLineFigures(t *testing.T) {
	a := lineFigures{lineLag95: 2, lineMissed: 0.1, lineJain: 0.9, lineHardUse: 1, lineRegained: 1}
	b := lineFigures{lineLag95: 1, lineMissed: 0.2, lineJain: 1, lineHardUse: 0.5, lineRegained: 0.7}
	c := b
	b.worst(&a)
	a.worst(&c)
	if a != b || a[lineLag95] != 2 || a[lineMissed] != 0.2 || a[lineJain] != 0.9 || a[lineHardUse] != 0.5 || a[lineRegained] != 0.7 {
		t.Errorf("%+v and %+v", a, b)
	}
}
