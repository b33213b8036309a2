package clocksync

import (
	"fmt"
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/tick"
)

// LeadConfig configures a [Lead]. The zero value stands for the documented defaults.
type LeadConfig struct {
	// Rate is the server's tick rate in steps per second. Zero means [DefaultRate]. 1 to 1000.
	Rate int
	// Redundancy is n: how many packets carry each input, so that n-1 in a row may be lost. Zero means 3. 1 to 32. See [Redundancy]
	// and [Lead.SetRedundancy].
	Redundancy int
	// Batch is how many new inputs a packet brings: 1 for a packet per tick, 2 for 30 packets a second at 60 ticks, 8 for a client
	// that draws 8 frames a second. Zero means 1. 1 to 64. See [Lead.SetBatch].
	Batch int
	// JitterFactor is how many mean deviations of the round trip an input may come later than the average one. Zero means 2, which
	// covers a uniform jitter. Above 0, at most 10.
	JitterFactor float64
	// TimeConstant is how fast the lead follows what is measured: to 1/e of the difference. Zero means 500 ms. 10 ms to 1 min.
	TimeConstant time.Duration
	// MaxLead bounds the lead. Zero means 1 s. 1 ms to 10 s.
	MaxLead time.Duration
	// MaxAge bounds [Lead.TargetAge]: a server keeps inputs only so far ahead of their use, and an [Age] tells only so much. Zero means no bound. Above 0 at least
	// 1 ms.
	MaxAge time.Duration
}

func (c LeadConfig) withDefaults() (LeadConfig, error) {
	if c.Redundancy == 0 {
		c.Redundancy = 3
	}
	if c.Batch == 0 {
		c.Batch = 1
	}
	if c.JitterFactor == 0 {
		c.JitterFactor = 2
	}
	if c.TimeConstant == 0 {
		c.TimeConstant = 500 * time.Millisecond
	}
	if c.MaxLead == 0 {
		c.MaxLead = time.Second
	}
	if c.MaxAge == 0 {
		c.MaxAge = math.MaxInt64
	}
	switch {
	case c.Redundancy != withinRedundancy(c.Redundancy):
		return c, fmt.Errorf("clocksync: LeadConfig.Redundancy is %d; use 1 to %d packets", c.Redundancy, maxRedundancy)
	case c.Batch < 1 || c.Batch > 64:
		return c, fmt.Errorf("clocksync: LeadConfig.Batch is %d; use 1 to 64 inputs", c.Batch)
	case !(c.JitterFactor > 0 && c.JitterFactor <= 10):
		return c, fmt.Errorf("clocksync: LeadConfig.JitterFactor is %v; use a number above 0 and up to 10", c.JitterFactor)
	case c.TimeConstant < 10*time.Millisecond || c.TimeConstant > time.Minute:
		return c, fmt.Errorf("clocksync: LeadConfig.TimeConstant is %v; use 10 ms to 1 min", c.TimeConstant)
	case c.MaxLead < time.Millisecond || c.MaxLead > 10*time.Second:
		return c, fmt.Errorf("clocksync: LeadConfig.MaxLead is %v; use 1 ms to 10 s", c.MaxLead)
	case c.MaxAge < time.Millisecond:
		return c, fmt.Errorf("clocksync: LeadConfig.MaxAge is %v; use 1 ms or more", c.MaxAge)
	}
	return c, nil
}

// maxRedundancy is the most packets that carry an input.
const maxRedundancy = 32

func withinRedundancy(n int) int { return min(max(n, 1), maxRedundancy) }

// Redundancy returns how many packets have to carry each input for at most one in a thousand to be missed, if packets are lost
// independently with a probability of loss: the least n with loss^n <= 0.001, from 1 to 32. At 15 % it is 4.
func Redundancy(loss float64) int {
	if !(loss > 0) {
		return 1
	}
	n, all := 1, loss
	for all > 0.001 && n < maxRedundancy {
		all *= loss
		n++
	}
	return n
}

// Lead is the client's half of the command-age feedback: it finds how far ahead of the reference clock the simulation has to run
// for inputs to reach the server in time. It moves only the target of the [Simulation]; the reference is not touched, so the two
// loops cannot fight.
//
//	way    = how early an input was sent - how early it arrived
//	target = JitterFactor*jitter + (n-1)*max(b ticks, frame) + (b-1) ticks + frame     n = Redundancy, b = Batch
//	lead   = way + target
//
// The way up is measured as the reference sees it, so paths need not be symmetric: with 150 ms up and 50 ms down the reference is
// 50 ms off and the way 50 ms shorter, and the sum is right. Until the first report the way is what [Lead.Assume] says: half of the
// round trip.
//
// What was corrected since an input was sent is on its way and must not be corrected again. (Netcode for Entities keeps a ring of
// its last adjustments for this.) Here a ring holds how early each input was sent, averaged exactly like the server averages how
// early the same inputs arrive; subtracting the two cancels every adjustment, in flight or arrived. There is no integrator, so
// nothing can wind up.
//
// An age that is saturated says only that the way is shorter or longer than it seems, and counts as long as that is news. A target
// beyond 16 ticks, as a client at 8 frames a second has it, is therefore held by the way last measured.
//
// Create it with [NewLead]. It holds 8 KB and never allocates afterwards.
type Lead struct {
	config LeadConfig
	grid   Grid
	ring   [leadRing]sentInput
	newest tick.Tick // sent
	early  meanAge   // of the edges of ticks less the local times at which they were sent

	framed        bool
	frameAt       time.Duration // when the last one was
	frame, uneven time.Duration // mean length, mean deviation

	known   bool
	way     time.Duration
	assumed time.Duration
	report  sentInput // the newest reported
	at      time.Duration

	jitter   float64 // ns, slowly falling
	heard    bool    // whether jitter was ever set
	jitterAt time.Duration
}

// leadCredit is how far from what was assumed a first report may be to be believed at once. What pings and inputs travel alike is assumed rightly, so one that is
// further off is rather about inputs that were held up.
const leadCredit = 50 * time.Millisecond

// leadRing is how many inputs are remembered: 8 s at 60 Hz, and half a second at 1000.
const leadRing = 512

type sentInput struct {
	tick  tick.Tick
	valid bool
	mean  time.Duration // of early, up to this tick
}

// NewLead returns a lead without reports, or an error that names the bad field of the configuration.
func NewLead(config LeadConfig) (*Lead, error) {
	grid, err := NewGrid(config.Rate)
	if err != nil {
		return nil, err
	}
	config, err = config.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Lead{config: config, grid: grid}, nil
}

// SetRedundancy changes how many packets carry each input, within 1 to 32.
func (l *Lead) SetRedundancy(n int) { l.config.Redundancy = withinRedundancy(n) }

// SetBatch changes how many new inputs a packet brings, within 1 to 64.
func (l *Lead) SetBatch(n int) { l.config.Batch = min(max(n, 1), 64) }

// SetJitter takes the mean deviation of the round trip at a local time. A greater one counts within a second, a smaller one within
// ten.
func (l *Lead) SetJitter(now, jitter time.Duration) {
	fresh := float64(max(0, jitter))
	if !l.heard {
		l.heard, l.jitterAt, l.jitter = true, now, fresh
		return
	}
	tau := 10.0
	if fresh > l.jitter {
		tau = 1
	}
	l.jitter += (fresh - l.jitter) * -math.Expm1(-max(0, (now-l.jitterAt).Seconds())/tau)
	l.jitterAt = now
}

// Frame takes the time of a frame. Inputs wait for the frame that samples them, so long and uneven frames need more lead. Call it
// once a frame. A single long frame hardly counts, and one beyond a quarter of a second, which is a stall, not at all.
func (l *Lead) Frame(now time.Duration) {
	length := max(0, now-l.frameAt)
	first := !l.framed
	l.framed, l.frameAt = true, now
	switch {
	case first || length > 250*time.Millisecond:
	case l.frame == 0:
		l.frame = length
	default:
		length = min(length, 2*l.frame+5*time.Millisecond)
		l.uneven += (magnitude(length-l.frame) - l.uneven) / 16
		l.frame += (length - l.frame) / 16
	}
}

// Sent remembers that a packet whose newest input is t was sent at a local time, when the reference clock's offset (server minus
// local time) was offset. Call it once for every packet that is sent. Inputs that the server will take for absurd, like those of
// the frame in which a machine wakes up, are left out here as there.
func (l *Lead) Sent(t tick.Tick, now, offset time.Duration) {
	if l.early.n > 0 && !t.IsNewer(l.newest) {
		return // sent before
	}
	edge := l.grid.Edge(Unwrap(t, l.grid.Index(now+offset)))
	if magnitude(edge-(now+offset)-l.Way()) > ageLimit {
		return
	}
	l.early.add(now, edge-now)
	l.newest = t
	l.ring[t%leadRing] = sentInput{tick: t, valid: l.early.settled(), mean: l.early.mean}
}

// Report takes the age from a snapshot that arrived at a local time, the newest input that it includes, and the reference clock's
// present offset (server minus local time). It reports whether the age could be used: it cannot if it is [NoAge], no news, or about
// an input that was not sent or too long ago.
func (l *Lead) Report(now time.Duration, t tick.Tick, age Age, offset time.Duration) bool {
	s := l.ring[t%leadRing]
	if age == NoAge || !s.valid || s.tick != t || t.IsNewer(l.newest) {
		return false
	}
	if l.report.valid && !t.IsNewer(l.report.tick) {
		return false
	}
	way := s.mean - offset - age.Duration(l.grid)
	way = min(max(way, -l.config.MaxLead), l.config.MaxLead)
	elapsed := min(max(0, now-l.at), time.Second)
	l.report, l.at = s, now
	switch {
	case age == math.MaxInt8 && way >= l.Way() || age == -math.MaxInt8 && way <= l.Way():
		// Saturated: the true way is shorter or longer than this, which is no news.
	case !l.known && magnitude(way-l.assumed) <= leadCredit:
		l.known, l.way = true, way
	default:
		l.known, l.way = true, l.Way()
		part := -math.Expm1(-elapsed.Seconds() / l.config.TimeConstant.Seconds())
		l.way += time.Duration(part * float64(way-l.way))
	}
	return true
}

// Way returns the time that inputs take to the server as the reference clock sees it: as reported, or as assumed until there is a
// report.
func (l *Lead) Way() time.Duration {
	if !l.known {
		return l.assumed
	}
	return l.way
}

// Assume sets the way for as long as there is no report: half of the round trip.
func (l *Lead) Assume(way time.Duration) { l.assumed = min(max(way, 0), l.config.MaxLead) }

// Forget forgets what was reported, and has to be called when the server's clock or the simulation's steps by more than stretching
// makes up for: until all have noticed, ages mean nothing. The next report is believed at once, if it is within 50 ms of what is assumed.
func (l *Lead) Forget() {
	l.known, l.early, l.report.valid = false, meanAge{}, false
	clear(l.ring[:])
}

// stalled has to be called when this machine has stood still: what was sent before may have been held up with it.
func (l *Lead) stalled() { clear(l.ring[:]) }

// TargetAge returns how early inputs should reach the server on the average, if each were sent at the edge of its tick: early
// enough for the jitter of the network, for n-1 lost packets, for the wait for a frame and a packet, and for an eighth of a tick
// that the age may be rounded; at most MaxAge.
func (l *Lead) TargetAge() time.Duration {
	step, batch := l.grid.Step(), time.Duration(l.config.Batch)
	frame := l.frame + 2*l.uneven
	lost := time.Duration(l.config.Redundancy-1) * max(batch*step, frame)
	return min(time.Duration(l.config.JitterFactor*l.jitter)+lost+(batch-1)*step+frame+step/ageSteps, l.config.MaxAge)
}

// Lead returns how far ahead of the reference clock the simulation should be, within 0 and MaxLead.
func (l *Lead) Lead() time.Duration {
	return min(max(l.Way()+l.TargetAge(), 0), l.config.MaxLead)
}
