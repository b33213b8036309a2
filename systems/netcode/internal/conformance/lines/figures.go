package lines

import (
	"slices"
	"time"
)

// Figures are the figures of the first client on a line, from the end of the warm-up on unless a
// field's comment states otherwise.
type Figures struct {
	// share of its steps whose view had passed the newest snapshot that was there
	Starved      float64
	Lag50, Lag95 time.Duration // server's present less the time shown
	MeanLag      time.Duration
	// mean lag, relative to that of the least constant delay that does not starve more often
	Oracle float64
	// the same for an oracle whose view stops 100 ms beyond the newest snapshot, like the client's
	Stopped float64
	// share of frames with a body more than half a metre from the truth at the time shown
	Wrong       float64
	Missed      float64       // share of ticks without the player's input
	MissedAtEnd float64       // the same in the last minute
	Clock       time.Duration // greatest error of the server's clock
	CalmClock   time.Duration // the same while round trips have been below 100 ms for 10 s
	// longest recovery of the view after a gap of 0.5 to 1.5 s in the snapshots
	Recovery   time.Duration
	Reconnects float64

	// wait of its own datagrams in the queue in front of the bottleneck
	Queue95, UpQueue95 time.Duration
	Down, Up           float64       // bytes per second on the line, headers included
	Longest            time.Duration // time of one of its packets in the bottleneck
	// index of fairness between both clients on the way down: 1 is even, 1/2 is all for one
	Jain float64

	// The figures whose names begin with Hard are for the time when the line is at its worst, from
	// 5 s after the beginning of that time: see [Case].
	HardQueue95, HardLag99 time.Duration
	HardLongest            time.Duration
	HardUse                float64 // share of the capacity that the client used
	// bytes per second from 5 s after its end on, relative to those before its beginning
	Regained float64
}

// worst keeps the worse value of each figure.
func (f *Figures) worst(o *Figures) {
	for _, p := range [...][2]*time.Duration{
		{&f.Lag50, &o.Lag50}, {&f.Lag95, &o.Lag95}, {&f.MeanLag, &o.MeanLag}, {&f.Clock, &o.Clock}, {&f.CalmClock, &o.CalmClock},
		{&f.Recovery, &o.Recovery}, {&f.Queue95, &o.Queue95}, {&f.UpQueue95, &o.UpQueue95}, {&f.Longest, &o.Longest},
		{&f.HardQueue95, &o.HardQueue95}, {&f.HardLag99, &o.HardLag99}, {&f.HardLongest, &o.HardLongest},
	} {
		*p[0] = max(*p[0], *p[1])
	}
	for _, p := range [...][2]*float64{
		{&f.Starved, &o.Starved}, {&f.Oracle, &o.Oracle}, {&f.Stopped, &o.Stopped}, {&f.Wrong, &o.Wrong}, {&f.Missed, &o.Missed}, {&f.MissedAtEnd, &o.MissedAtEnd},
		{&f.Reconnects, &o.Reconnects},
	} {
		*p[0] = max(*p[0], *p[1])
	}
	for _, p := range [...][2]*float64{{&f.Down, &o.Down}, {&f.Up, &o.Up}, {&f.Jain, &o.Jain}, {&f.HardUse, &o.HardUse}, {&f.Regained, &o.Regained}} {
		*p[0] = min(*p[0], *p[1])
	}
}

func percentile(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(int(p*float64(len(all))), len(all)-1)]
}

func mean(all []time.Duration) time.Duration {
	sum := 0.0
	for _, v := range all {
		sum += v.Seconds()
	}
	return time.Duration(sum / float64(max(len(all), 1)) * float64(time.Second))
}

func share(part, of int) float64 { return float64(part) / float64(max(of, 1)) }
