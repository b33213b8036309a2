package lines

import (
	"slices"
	"time"
)

// Figures are the figures of the first client on a line, from the end of the warm-up on unless a
// field says otherwise.
type Figures struct {
	// share of its steps whose view had passed the newest snapshot that was there
	Starved      float64
	Lag50, Lag95 time.Duration // server's present less the time shown
	MeanLag      time.Duration
	// mean lag against that of the least constant delay that starves no more
	Oracle float64
	// likewise where the oracle's view stops 100 ms beyond the newest snapshot, as the client's
	// does
	Stopped float64
	// share of frames with a body more than half a metre from the truth at the time shown
	Wrong       float64
	Missed      float64       // share of ticks without the player's input
	MissedAtEnd float64       // likewise in the last minute
	Clock       time.Duration // greatest error of the server's clock
	CalmClock   time.Duration // likewise while round trips have been below 100 ms for 10 s
	// longest until the view was back after a gap of 0.5 to 1.5 s in the snapshots
	Recovery   time.Duration
	Reconnects float64

	// wait of its own datagrams in the queue in front of the bottleneck
	Queue95, UpQueue95 time.Duration
	Down, Up           float64       // bytes per second on the line, headers included
	Longest            time.Duration // that one of its packets took to pass the bottleneck
	// index of how evenly both clients shared the way down: 1 is even, 1/2 is one of them all
	Jain float64

	// While the line is at its worst, from 5 s after that has begun: see [Case].
	HardQueue95, HardLag99 time.Duration
	HardLongest            time.Duration
	HardUse                float64 // share of the capacity that the client used
	// bytes per second from 5 s after its end on, against those before it began
	Regained float64
}

// worst keeps of each figure the worse one.
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
