package lines

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/rates"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

const (
	sessionPacket = 0x53 // first byte of a datagram that carries a snapshot
	tickLength    = time.Second / tickRate
	// after round trips below it for calmFor the clock has to be accurate
	calmTrip   = 100 * time.Millisecond
	calmFor    = 10 * time.Second
	quiet      = time.Second     // without a datagram also ends the calm
	farOff     = 0.5             // metres; a body with a greater error counts as misplaced
	settling   = 5 * time.Second // time for the rate to follow the line
	lastMinute = time.Minute
)

// arrival is the arrival of a snapshot at the client.
type arrival struct{ at, stamp time.Duration }

// step is a fixed step of the client.
type step struct{ now, view time.Duration }

// frame is one of the client's pictures.
type frame struct {
	now, lag time.Duration
	shown    bool
}

// recorder records the events of one player in a run of a case. It implements [rates.Watcher].
type recorder struct {
	c *Case

	// by connection of the client and datagram; below 0: no snapshot
	stamps   [][]time.Duration
	arrivals []arrival
	steps    []step
	frames   []frame
	figures  Figures

	ways      [2]time.Duration // the last ones down and up, including the wait in the queue
	newest    time.Duration    // when the last datagram arrived
	restless  time.Duration    // when the line was last not calm
	queue, up []time.Duration
	hardQueue []time.Duration
	before    float64 // bytes before the hard time
	hard      float64 // in it
	after     float64

	inputs              prediction.BufferStats
	ticks, missed       int
	endTicks, endMissed int
	wrong, pictures     int
	reconnects          [2]uint64 // at the end of the warm-up, and now
	upBytes, downBytes  float64
}

// Dialled implements [rates.Watcher].
func (r *recorder) Dialled(down, up *linksim.Link) {
	connection := len(r.stamps)
	r.stamps = append(r.stamps, nil)
	down.Observe(func(p linksim.Passage) { r.down(connection, p) })
	up.Observe(r.upwards)
}

// Sent implements [rates.Watcher].
func (r *recorder) Sent(connection int, datagram []byte, stamp time.Duration) {
	if datagram[0] != sessionPacket {
		stamp = -1
	}
	r.stamps[connection] = append(r.stamps[connection], stamp)
}

// down records a datagram to the client.
func (r *recorder) down(connection int, p linksim.Passage) {
	r.way(0, p)
	if p.Lost {
		return
	}
	if stamps := r.stamps[connection]; p.Number < uint64(len(stamps)) && stamps[p.Number] >= 0 {
		r.arrivals = append(r.arrivals, arrival{p.At, stamps[p.Number]})
	}
	if p.Sent <= rates.WarmUp {
		return
	}
	wait := p.Left - p.Sent
	r.queue = append(r.queue, wait)
	r.downBytes += float64(p.Bytes)
	switch h := r.c.Hard; {
	case h.until == 0:
	case p.Left < h.from:
		r.before += float64(p.Bytes)
	case p.Left >= h.from+settling && p.Left < h.until:
		r.hard += float64(p.Bytes)
		r.hardQueue = append(r.hardQueue, wait)
		if p.Sent >= h.from+settling {
			r.figures[HardLongest] = max(r.figures[HardLongest], (p.Left - p.Begun).Seconds())
		}
	case p.Left >= h.until+settling:
		r.after += float64(p.Bytes)
	}
}

// upwards records a datagram from the client.
func (r *recorder) upwards(p linksim.Passage) {
	r.way(1, p)
	if !p.Lost && p.Sent > rates.WarmUp {
		r.up = append(r.up, p.Left-p.Sent)
		r.upBytes += float64(p.Bytes)
	}
}

// way records how long a datagram took, and whether round trips are short.
func (r *recorder) way(direction int, p linksim.Passage) {
	if p.Lost {
		return
	}
	r.ways[direction] = p.At - p.Sent
	if p.At > r.newest+quiet {
		r.restless = max(r.restless, p.At)
	}
	r.newest = max(r.newest, p.At)
	if r.ways[0]+r.ways[1] > calmTrip {
		r.restless = max(r.restless, p.At)
	}
}

// Turn implements [rates.Watcher].
func (r *recorder) Turn(now time.Duration, in prediction.BufferStats) {
	if in.Ticks >= r.inputs.Ticks && now > rates.WarmUp { // otherwise it is a new session's
		ticks := int(in.Ticks - r.inputs.Ticks)
		missed := max(ticks-int(in.Received-r.inputs.Received), 0)
		r.ticks, r.missed = r.ticks+ticks, r.missed+missed
		if now > r.c.Length-lastMinute {
			r.endTicks, r.endMissed = r.endTicks+ticks, r.endMissed+missed
		}
	}
	r.inputs = in
}

// Step implements [rates.Watcher].
func (r *recorder) Step(now, view time.Duration, playing bool) {
	if playing && view > 0 {
		r.steps = append(r.steps, step{now, view})
	}
}

// Frame implements [rates.Watcher].
func (r *recorder) Frame(f *rates.Frame) {
	r.reconnects[1] = f.Stats.Reconnects
	if f.Now <= rates.WarmUp {
		r.reconnects[0] = f.Stats.Reconnects
	}
	shown := f.Playing && f.View > 0
	r.frames = append(r.frames, frame{f.Now, f.Now - f.Shown, shown})
	if f.Now <= rates.WarmUp {
		return
	}
	r.pictures++
	if !shown {
		r.wrong++ // a frame without bodies counts as wrong
		return
	}
	if max(f.Off[rates.Straight], f.Off[rates.Flips]) > farOff {
		r.wrong++
	}
	if f.Stats.Delay == 0 {
		return // a new session without a clock
	}
	// The client's own figure for its delay, against the true one.
	off := (f.Stats.Delay - (f.Now - f.View)).Abs().Seconds()
	r.figures[Clock] = max(r.figures[Clock], off)
	if f.Now-r.restless >= calmFor {
		r.figures[CalmClock] = max(r.figures[CalmClock], off)
	}
}
