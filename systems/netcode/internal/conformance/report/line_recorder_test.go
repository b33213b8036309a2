package report

import (
	"math"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/match"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

const (
	sessionPacket = 0x53 // first byte of a datagram that carries a snapshot
	// after round trips below it for calmFor the clock has to be accurate
	calmTrip   = 100 * time.Millisecond
	calmFor    = 10 * time.Second
	quiet      = time.Second     // without a datagram also ends the calm
	farOff     = 0.5             // metres; a body with a greater error counts as misplaced
	settling   = 5 * time.Second // time for the rate to follow the line
	lastMinute = time.Minute
)

// lineArrival is the arrival of a snapshot at the client.
type lineArrival struct{ at, stamp time.Duration }

// lineStep is a fixed step of the client.
type lineStep struct{ now, view time.Duration }

// lineFrame is one of the client's pictures.
type lineFrame struct {
	now, lag time.Duration
	shown    bool
}

// lineRecorder records the events of one player in a run of a case. It implements [match.Watcher].
type lineRecorder struct {
	c *lineCase

	// by connection of the client and datagram; below 0: no snapshot
	stamps   [][]time.Duration
	arrivals []lineArrival
	steps    []lineStep
	frames   []lineFrame
	figures  lineFigures

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

// Dialled implements [match.Watcher].
func (r *lineRecorder) Dialled(down, up *linksim.Link) {
	connection := len(r.stamps)
	r.stamps = append(r.stamps, nil)
	down.Observe(func(p linksim.Passage) { r.down(connection, p) })
	up.Observe(r.upwards)
}

// Sent implements [match.Watcher].
func (r *lineRecorder) Sent(connection int, datagram []byte, stamp time.Duration) {
	if datagram[0] != sessionPacket {
		stamp = -1
	}
	r.stamps[connection] = append(r.stamps[connection], stamp)
}

// down records a datagram to the client.
func (r *lineRecorder) down(connection int, p linksim.Passage) {
	r.way(0, p)
	if p.Lost {
		return
	}
	if stamps := r.stamps[connection]; p.Number < uint64(len(stamps)) && stamps[p.Number] >= 0 {
		r.arrivals = append(r.arrivals, lineArrival{p.At, stamps[p.Number]})
	}
	if p.Sent <= match.WarmUp {
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
			r.figures[lineHardLongest] = max(r.figures[lineHardLongest], (p.Left - p.Begun).Seconds())
		}
	case p.Left >= h.until+settling:
		r.after += float64(p.Bytes)
	}
}

// upwards records a datagram from the client.
func (r *lineRecorder) upwards(p linksim.Passage) {
	r.way(1, p)
	if !p.Lost && p.Sent > match.WarmUp {
		r.up = append(r.up, p.Left-p.Sent)
		r.upBytes += float64(p.Bytes)
	}
}

// way records how long a datagram took, and whether round trips are short.
func (r *lineRecorder) way(direction int, p linksim.Passage) {
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

// Turn implements [match.Watcher].
func (r *lineRecorder) Turn(now time.Duration, in prediction.BufferStats) {
	if in.Ticks >= r.inputs.Ticks && now > match.WarmUp { // otherwise it is a new session's
		ticks := int(in.Ticks - r.inputs.Ticks)
		missed := max(ticks-int(in.Received-r.inputs.Received), 0)
		r.ticks, r.missed = r.ticks+ticks, r.missed+missed
		if now > r.c.Length-lastMinute {
			r.endTicks, r.endMissed = r.endTicks+ticks, r.endMissed+missed
		}
	}
	r.inputs = in
}

// Step implements [match.Watcher].
func (r *lineRecorder) Step(now, view time.Duration, playing bool) {
	if playing && view > 0 {
		r.steps = append(r.steps, lineStep{now, view})
	}
}

// Frame implements [match.Watcher].
func (r *lineRecorder) Frame(f *match.Frame) {
	r.reconnects[1] = f.Stats.Reconnects
	if f.Now <= match.WarmUp {
		r.reconnects[0] = f.Stats.Reconnects
	}
	shown := f.Playing && f.View > 0
	r.frames = append(r.frames, lineFrame{f.Now, f.Now - f.Shown, shown})
	if f.Now <= match.WarmUp {
		return
	}
	r.pictures++
	if !shown {
		r.wrong++ // a frame without bodies counts as wrong
		return
	}
	if max(f.Off[match.Straight], f.Off[match.Flips]) > farOff {
		r.wrong++
	}
	if f.Stats.Delay == 0 {
		return // a new session without a clock
	}
	// The client's own figure for its delay, against the true one.
	off := (f.Stats.Delay - (f.Now - f.View)).Abs().Seconds()
	r.figures[lineClock] = max(r.figures[lineClock], off)
	if f.Now-r.restless >= calmFor {
		r.figures[lineCalmClock] = max(r.figures[lineCalmClock], off)
	}
}

func TestClockCountsWhenCalm(t *testing.T) {
	// Round trips are 140 ms until second 20 and 40 ms from then on. The clock is 70 ms off until
	// second 29 and 10 ms from then on.
	f := playMadeUp(func(_ *lineRecorder, now time.Duration, p *linksim.Passage, f *match.Frame) {
		if now < 20*time.Second {
			p.At = now + 70*ms
		}
		f.Stats.Delay += 10 * ms
		if now < 29*time.Second {
			f.Stats.Delay += 60 * ms
		}
	})
	if f[lineClock] != 0.070 || f[lineCalmClock] != 0.010 {
		t.Errorf("the clock is off by %v and %v when calm, want 70 and 10 ms", f[lineClock], f[lineCalmClock])
	}
}

// For ten seconds after a silence the clock may be wrong, since the round trips before it prove
// nothing. A session without a clock has no figure.
func TestClockAfterASilence(t *testing.T) {
	f := playMadeUp(func(_ *lineRecorder, now time.Duration, p *linksim.Passage, f *match.Frame) {
		p.Lost = now > 12*time.Second && now < 20*time.Second
		switch {
		case now < 20*time.Second:
		case now < 21*time.Second:
			f.Stats.Delay = 0
		case now < 30*time.Second:
			f.Stats.Delay += 60 * ms
		default:
			f.Stats.Delay += 10 * ms
		}
	})
	if f[lineClock] != 0.060 || f[lineCalmClock] != 0.010 {
		t.Errorf("the clock is off by %v and %v when calm, want 60 and 10 ms", f[lineClock], f[lineCalmClock])
	}
}

func TestFramesThatAreWrong(t *testing.T) {
	f := playMadeUp(func(_ *lineRecorder, now time.Duration, _ *linksim.Passage, f *match.Frame) {
		switch {
		case now > 20*time.Second && now <= 21*time.Second:
			f.Off[match.Flips] = 0.6
		case now > 21*time.Second && now <= 22*time.Second:
			f.Off[match.Circle] = 0.6 // of 20 m/s
		case now > 22*time.Second && now <= 23*time.Second:
			f.Playing = false
			f.Stats.Reconnects = 1
		}
	})
	if math.Abs(f[lineWrong]-2.0/30) > 0.001 || f[lineReconnects] != 0 {
		t.Errorf("%v wrong and %v reconnects; want a fifteenth and, as none is left at the end, 0", f[lineWrong], f[lineReconnects])
	}
}

// The worse figures of two players behind one bottleneck count. The use of the line is that of both
// together.
func TestMatchMeasuresBoth(t *testing.T) {
	for _, shared := range []bool{false, true} {
		c := &lineCase{Length: madeUpLength, shared: shared, Hard: hardTime{match.WarmUp, madeUpLength, 1000}}
		players := []*lineRecorder{{c: c}}
		if shared {
			players = append(players, &lineRecorder{c: c})
		}
		for client, r := range players {
			bytes := []int{100, 300}[client]
			down := newLink(t)
			r.Dialled(down, newLink(t))
			for i := range int(madeUpLength / tickLength) {
				now := time.Duration(i) * tickLength
				late := time.Duration(client) * 50 * ms
				f := match.Frame{Now: now, Playing: true, Shown: now - madeUpLag - late, View: now - madeUpLag - late}
				r.Sent(0, make([]byte, bytes), now)
				if !down.Push(now, make([]byte, bytes)) {
					t.Fatal("the link is full")
				}
				for _, _, ok := down.Pop(now); ok; _, _, ok = down.Pop(now) {
				}
				r.Turn(now, prediction.BufferStats{Ticks: uint64(i), Received: uint64(i)})
				r.Step(now, f.View, true)
				r.Frame(&f)
			}
		}
		want := lineFigures{lineLag50: madeUpLag.Seconds(), lineDown: 0.1 * tickRate, lineHardUse: 100 * tickRate / 1000}
		if shared {
			want = lineFigures{lineLag50: (madeUpLag + 50*ms).Seconds(), lineDown: 0.1 * tickRate, lineHardUse: 400 * tickRate / 1000, lineJain: 0.8}
		}
		f := worstPlayer(players)
		if f[lineLag50] != want[lineLag50] || math.Abs(f[lineDown]/want[lineDown]-1) > 0.01 || math.Abs(f[lineHardUse]/want[lineHardUse]-1) > 0.01 || math.Abs(f[lineJain]-want[lineJain]) > 0.001 {
			t.Errorf("shared %v: %+v, want %+v", shared, f, want)
		}
	}
}

func newLink(t *testing.T) *linksim.Link {
	t.Helper()
	l, err := linksim.NewLink(linksim.Condition{Delay: madeUpWay})
	if err != nil {
		t.Fatal(err)
	}
	return l
}
