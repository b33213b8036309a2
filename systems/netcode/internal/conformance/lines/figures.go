package lines

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// These are the figures of the first client on a line, from the end of the warm-up on unless a
// comment states otherwise. Times are in seconds. The first ones, up to Reconnects, are the columns
// of the table.
const (
	Starved = iota // share of its steps whose view had passed the newest snapshot that was there
	Lag50          // server's present less the time shown
	Lag95          // the same, 95th percentile
	// mean lag, relative to that of the least constant delay that does not starve more often
	Oracle
	// share of frames with a body more than half a metre from the truth at the time shown
	Wrong
	Missed      // share of ticks without the player's input
	MissedAtEnd // the same in the last minute
	Clock       // greatest error of the server's clock
	CalmClock   // the same while round trips have been below 100 ms for 10 s
	Queue95     // wait of its own datagrams in the queue in front of the bottleneck
	UpQueue95
	Down       // kilobytes per second on the line, headers included
	Recovery   // longest recovery of the view after a gap of 0.5 to 1.5 s in the snapshots
	Reconnects // sessions after the first

	Stopped // Oracle for one whose view stops 100 ms beyond the newest snapshot, like the client's
	Up
	Jain // index of fairness between both clients on the way down: 1 is even, 1/2 is all for one

	// The figures whose names begin with Hard are for the time when the line is at its worst, from
	// 5 s after the beginning of that time: see [Case].
	HardQueue95
	HardLag99
	HardLongest // time of one of its packets in the bottleneck
	HardUse     // share of the capacity that the client used
	// bytes per second from 5 s after the end of that time, relative to those before its beginning
	Regained
	figureCount
)

// Figures are the figures by their numbers.
type Figures [figureCount]float64

var (
	factors   = conformance.Unit{Format: "%.2f", Factor: 1}
	kilobytes = conformance.Unit{Format: "%.1f kB/s", Factor: 1}

	columns = conformance.Columns{
		Starved:     {Head: "starved", Unit: conformance.Percents},
		Lag50:       {Head: "lag p50", Unit: conformance.Millis},
		Lag95:       {Head: "p95", Unit: conformance.Millis},
		Oracle:      {Head: "oracle", Unit: factors},
		Wrong:       {Head: "off", Unit: conformance.Percents},
		Missed:      {Head: "missed", Unit: conformance.Percents},
		MissedAtEnd: {Head: "at the end", Unit: conformance.Percents},
		Clock:       {Head: "clock", Unit: conformance.Millis},
		CalmClock:   {Head: "when calm", Unit: conformance.Millis},
		Queue95:     {Head: "queue down", Unit: conformance.Millis},
		UpQueue95:   {Head: "queue up", Unit: conformance.Millis},
		Down:        {Head: "down", Unit: kilobytes, Least: true},
		Recovery:    {Head: "back", Unit: conformance.Seconds},
		Reconnects:  {Head: "reconnects", Unit: conformance.Counts},
		Stopped:     {Unit: factors},
		Up:          {Unit: kilobytes, Least: true},
		Jain:        {Unit: factors, Least: true},
		HardQueue95: {Unit: conformance.Millis},
		HardLag99:   {Unit: conformance.Millis},
		HardLongest: {Unit: conformance.Millis},
		HardUse:     {Unit: conformance.Percents, Least: true},
		Regained:    {Unit: conformance.Percents, Least: true},
	}
)

// worst keeps the worse value of each figure.
func (f *Figures) worst(o *Figures) { columns.Worst(f[:], o[:]) }

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
