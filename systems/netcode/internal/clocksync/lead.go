package clocksync

import (
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Lead finds how far ahead of the reference clock the simulation has to run for inputs to reach the
// server in time. It is the client's half of the command-age feedback. It moves only the target of
// the [Simulation] and never the reference, so the two loops cannot work against each other.
//
//	way    = how early an input was sent - how early it arrived
//	target = jitter + (n-1)*max(b ticks, frame) + (b-1) ticks + frame     n = redundancy, b = batch
//	lead   = way + target - the delay of inputs
//
// A ring holds the time at which each input was sent, so each report gives the exact way of one
// input. Corrections made since then are not part of that way, so no correction is made twice.
// (Netcode for Entities keeps a ring of its last adjustments for this.) There is no integrator, so
// nothing can wind up. The way is the median of the ways of the last two seconds, which leaps up
// only while inputs are late and their ways do not become shorter. The jitter is the difference
// between the way at a quantile and the median. It is taken from a histogram that forgets within
// half a minute (as in WebRTC's NetEq, which plays sound by a quantile of its delays). So neither
// the jitter of the way down nor an outage increases the lead.
//
// The way is measured from the local clock to the server's, so neither an asymmetric path nor an
// error of the reference changes the sum. With 150 ms up and 50 ms down the reference is 50 ms off
// and the way 50 ms shorter. Until there are reports the way is the one set by [Lead.Follow]: half
// of the round trip.
//
// When a third of the inputs have been late for 200 ms, and the newest is late too, the way has
// become longer. Then older ways are dropped, [Lead.Hurry] requests a jump of the simulation, and
// the lead has an extra margin, since a growing queue is likely to grow further.
//
// A lead of more than a second is useful only if the way stays that long, since a queue drains
// before a lead has followed it. So the lead exceeds a second only after the way has been longer
// than a second for two seconds.
//
// Create it with [NewLead]. It holds 40 KB and never allocates afterwards.
type Lead struct {
	grid            Grid
	redundancy      int
	batch           int
	delay           int // ticks
	maxLead, maxAge time.Duration
	sent            [leadRing]sentInput
	any             bool
	newest          tick.Tick // sent

	framed        bool
	frames        int           // of firstFrames, that have counted
	frameAt       time.Duration // when the last one was
	frame, uneven time.Duration // mean length, mean deviation
	usual         time.Duration // mean length, including stalls
	stood         time.Duration // sum of the time of long frames beyond the usual length

	ways    ways
	heard   bool
	report  tick.Tick // the newest reported
	offset  time.Duration
	assumed time.Duration
	margin  time.Duration // within assumed
	hurry   bool
	long    bool          // the way takes more than usualLead
	longAt  time.Duration // since
}

const (
	// quantile is the share of the inputs of the last half minute, outages excluded, whose way is
	// covered by the lead.
	quantile = 0.97
	// usualLead is the greatest lead until longer ways have lasted for longFor.
	usualLead = time.Second
	longFor   = 2 * time.Second
	// believed is the longest way that counts. A longer one means that a clock has stepped, which
	// the reference detects.
	believed = 20 * time.Second
	// firstFrames is of how many first frames the shortest counts as the usual one. Any of them may
	// be a stall: games load something as they begin.
	firstFrames = 3
)

// leadRing is the number of inputs whose send times are kept: 34 s at 60 Hz, and 2 s at 1000 Hz.
const leadRing = 2048

type sentInput struct {
	at    time.Duration // local
	stood time.Duration // Lead.stood then, without the present frame
	tick  tick.Tick
	valid bool
}

// NewLead returns a lead without reports. maxLead bounds it in both directions. maxAge bounds
// [Lead.TargetAge], since a server keeps inputs only for a limited time ahead of their use. An
// input is in three packets, and each packet has one new input, until SetRedundancy and SetBatch
// change that.
func NewLead(grid Grid, maxLead, maxAge time.Duration) *Lead {
	return &Lead{grid: grid, redundancy: 3, batch: 1, maxLead: maxLead, maxAge: maxAge, ways: ways{hurried: math.MinInt64}}
}

// SetRedundancy changes how many packets carry each input, within 1 to 32. So one less may be lost
// in a row. See [Redundancy].
func (l *Lead) SetRedundancy(n int) { l.redundancy = withinRedundancy(n) }

// SetBatch changes how many new inputs a packet carries, within 1 to 64: 1 for a packet per tick, 2
// for 30 packets a second at 60 ticks, 8 for a client that draws 8 frames a second.
func (l *Lead) SetBatch(n int) { l.batch = min(max(n, 1), 64) }

// SetDelay sets how many ticks after the simulation's present one the newest input runs, at least
// 0. The simulation runs ahead by as much less.
func (l *Lead) SetDelay(ticks int) { l.delay = ticks }

// Frame records the time of a frame. Call it once a frame. Inputs wait for the frame that samples
// them, so long and uneven frames need more lead. A single long frame has little weight. A frame
// longer than a quarter of a second is a stall and does not count.
func (l *Lead) Frame(now time.Duration) {
	length := max(0, now-l.frameAt)
	first := !l.framed
	l.stood = l.stoodBy(now)
	l.framed, l.frameAt = true, now
	if !first {
		l.usual += (min(length, l.longest()) - l.usual) / 16
	}
	switch {
	case first || length > 250*time.Millisecond:
	case l.frames < firstFrames:
		if l.frames++; l.frame == 0 || length < l.frame {
			l.frame = length
		}
	default:
		length = min(length, 2*l.frame+5*time.Millisecond)
		l.uneven += ((length - l.frame).Abs() - l.uneven) / 16
		l.frame += (length - l.frame) / 16
	}
}

// longest returns the greatest length of a normal frame. A longer frame is a time in which this
// machine did not run.
func (l *Lead) longest() time.Duration { return 2*l.usual + 5*time.Millisecond }

// stoodBy returns for how long in all this machine did not run, up to a time in the present frame.
func (l *Lead) stoodBy(now time.Duration) time.Duration {
	if length := now - l.frameAt; l.framed && length > l.longest() {
		return l.stood + length - l.usual
	}
	return l.stood
}

// Sent records that a packet whose newest input is t was sent at a local time. Call it once for
// every packet that is sent.
func (l *Lead) Sent(t tick.Tick, now time.Duration) {
	if l.any && !t.IsNewer(l.newest) {
		return // sent before
	}
	l.any, l.newest = true, t
	l.sent[t%leadRing] = sentInput{at: now, stood: l.stood, tick: t, valid: true}
}

// Report takes the report of a snapshot that arrived at a local time, and the reference clock's
// present offset (server minus local time). It reports whether the report was used. A report is not
// used if the age is [NoAge], if the input is no newer than the last one, was not sent or was sent
// too long ago, or if its way took more than 20 s.
func (l *Lead) Report(now time.Duration, r Report, offset time.Duration) bool {
	l.offset = offset
	took, early, ok := l.took(r.Newest, r.Age, now)
	if !ok || r.Newest.IsNewer(l.newest) || l.heard && !r.Newest.IsNewer(l.report) {
		return false
	}
	l.heard, l.report = true, r.Newest
	if (took - offset).Abs() > believed {
		return false
	}
	if long := took-offset > usualLead; long != l.long {
		l.long, l.longAt = long, now
	}
	sent := l.sent[r.Newest%leadRing].at
	if most, least, ok := l.took(r.Newest.Add(-r.Held), r.HeldAge, now); ok && r.Held > 0 && r.Held <= MaxHeld && most-took <= outage {
		// The inputs between these two arrived at once, or one after the other. Their ways lie
		// between the longest way and that of the newest input.
		for i := r.Held; i > 0; i-- {
			between := func(newest, held time.Duration) time.Duration {
				return newest + (held-newest)*time.Duration(i)/time.Duration(r.Held)
			}
			l.ways.add(way{at: now, sent: sent, took: between(took, most), late: between(early, least) < 0})
		}
	}
	l.ways.add(way{at: now, sent: sent, took: took, newest: true, late: early < 0})
	if l.ways.late(now) {
		l.hurry = true
	}
	l.ways.settle(now)
	l.ways.measure(now, quantile)
	return true
}

// took returns how long an input took from the local time at which it was sent to the server time
// at which it arrived, and how early it would have arrived without stalls of this machine. The
// delay by a stall is not part of the way. It is not known exactly, but is at most the length of
// the stall. So of the possible ways the one nearest to the present way counts.
func (l *Lead) took(t tick.Tick, age Age, now time.Duration) (took, early time.Duration, ok bool) {
	s := l.sent[t%leadRing]
	early = age.Duration(l.grid)
	took = l.grid.Edge(Unwrap(t, l.grid.Index(now+l.offset))) - early - s.at
	stood := l.stoodBy(now) - s.stood
	took -= min(max(0, took-(l.Way()+l.offset)), stood)
	return took, early + stood, s.valid && s.tick == t && age != NoAge
}

// Hurry reports whether inputs have been late for so long that the simulation has to jump to its
// target. It returns true once for each such time.
func (l *Lead) Hurry() bool {
	hurry := l.hurry
	l.hurry = false
	return hurry
}

// Way returns the time that inputs take to the server as the reference clock sees it: as reported,
// or as assumed until there are reports.
func (l *Lead) Way() time.Duration {
	if !l.ways.known() {
		return l.assumed
	}
	return l.ways.usual - l.offset
}

// Follow sets the present offset of the reference clock (server minus local time), which also
// applies to older reports. It also sets the way for as long as there are no reports: half of the
// round trip, and a margin for its jitter. Both the margin and [Lead.TargetAge] let inputs arrive
// early, so together they are at most maxAge.
func (l *Lead) Follow(offset, assumed, margin time.Duration) {
	l.margin = min(margin, l.maxAge)
	l.offset, l.assumed = offset, min(max(assumed+l.margin, 0), believed)
}

// Forget drops all reports. Call it when the server's clock has stepped by more than stretching can
// correct. Until both ends have followed the step, ages are useless.
func (l *Lead) Forget() {
	l.rewound()
	l.ways = ways{hurried: math.MinInt64}
}

// rewound prepares for ticks that are sent again, after the simulation has jumped back.
func (l *Lead) rewound() {
	l.heard, l.any, l.hurry = false, false, false
	clear(l.sent[:])
}

// TargetAge returns how early inputs should reach the server on average, if each is sent at the
// edge of its tick. It covers the jitter of the network, n-1 lost packets, the wait for a frame and
// a packet, and the rounding of the age by up to an eighth of a tick. It is at most maxAge.
func (l *Lead) TargetAge() time.Duration {
	step, batch := l.grid.Step(), time.Duration(l.batch)
	frame := l.frame + 2*l.uneven
	lost := time.Duration(l.redundancy-1) * max(batch*step, frame)
	most := l.maxAge
	if !l.ways.known() {
		most -= l.margin
	}
	return min(l.ways.jitter()+lost+(batch-1)*step+frame+step/ageSteps, most)
}

// Lead returns how far ahead of the reference clock the simulation should be, within maxLead in
// both directions.
func (l *Lead) Lead() time.Duration {
	most := l.maxLead
	if !l.long || l.ways.fadeAt-l.longAt < longFor {
		most = min(most, usualLead)
	}
	lead := min(max(l.Way()+l.TargetAge(), -l.maxLead), most)
	if l.delay > 0 {
		// A snapshot must not show a later tick than the simulation's present one. It is made a
		// step ahead, and may be read a frame before the step of its tick.
		least := 2*l.grid.Step() + l.frame + 2*l.uneven
		lead = max(lead-time.Duration(l.delay)*l.grid.Step(), min(lead, least))
	}
	return lead
}
