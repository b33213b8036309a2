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
	// Redundancy is n: how many packets carry each input, so that n-1 in a row may be lost. Zero means 3. 1 to 32. See
	// [Redundancy] and [Lead.SetRedundancy].
	Redundancy int
	// Batch is how many new inputs a packet brings: 1 for a packet per tick, 2 for 30 packets a second at 60 ticks, 8 for a client that draws
	// 8 frames a second. Zero means 1. 1 to 64. See [Lead.SetBatch].
	Batch int
	// JitterFactor is how many mean deviations of the round trip an input may come later than the average one. Zero means 2, which covers
	// a uniform jitter. Above 0, at most 10.
	JitterFactor float64
	// TimeConstant is how fast the lead follows what is measured: to 1/e of the difference. Zero means 500 ms. 10 ms to 1 min.
	TimeConstant time.Duration
	// MaxLead bounds the lead. Zero means 1 s. 1 ms to 10 s.
	MaxLead time.Duration
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
	switch {
	case c.Redundancy < 1 || c.Redundancy > 32:
		return c, fmt.Errorf("clocksync: LeadConfig.Redundancy is %d; use 1 to 32 packets", c.Redundancy)
	case c.Batch < 1 || c.Batch > 64:
		return c, fmt.Errorf("clocksync: LeadConfig.Batch is %d; use 1 to 64 inputs", c.Batch)
	case !(c.JitterFactor > 0 && c.JitterFactor <= 10):
		return c, fmt.Errorf("clocksync: LeadConfig.JitterFactor is %v; use a number above 0 and up to 10", c.JitterFactor)
	case c.TimeConstant < 10*time.Millisecond || c.TimeConstant > time.Minute:
		return c, fmt.Errorf("clocksync: LeadConfig.TimeConstant is %v; use 10 ms to 1 min", c.TimeConstant)
	case c.MaxLead < time.Millisecond || c.MaxLead > 10*time.Second:
		return c, fmt.Errorf("clocksync: LeadConfig.MaxLead is %v; use 1 ms to 10 s", c.MaxLead)
	}
	return c, nil
}

// Redundancy returns how many packets have to carry each input for at most one in a thousand to be missed, if packets are lost independently
// with a probability of loss: the least n with loss^n <= 0.001, from 1 to 32. At 15 % it is 4.
func Redundancy(loss float64) int {
	if !(loss > 0) {
		return 1
	}
	n, all := 1, loss
	for all > 0.001 && n < 32 {
		all *= loss
		n++
	}
	return n
}

// Lead is the client's half of the command-age feedback: it finds how far ahead of the reference clock the simulation has to run for inputs
// to reach the server in time. It moves only the target of the [Simulation]; the reference is not touched, so the two loops cannot fight.
//
//	way    = how early an input was sent - how early it arrived
//	target = JitterFactor*jitter + (n-1)*max(b ticks, frame) + (b-1) ticks + frame     n = Redundancy, b = Batch
//	lead   = way + target
//
// The way up is measured as the reference sees it, so paths need not be symmetric: with 150 ms up and 50 ms down the reference is 50 ms
// off and the way 50 ms shorter, and the sum is right. Until the first report the way is taken for half of the round trip.
//
// What was corrected since an input was sent is on its way and must not be corrected again. (Netcode for Entities keeps a ring of its last
// adjustments for this.) Here a ring holds how early each input was sent, averaged exactly like the server averages how early the same
// inputs arrive; subtracting the two cancels every adjustment, in flight or arrived. There is no integrator, so nothing can wind up.
//
// Create it with [NewLead]. It holds 16 KB and never allocates afterwards.
type Lead struct {
	config LeadConfig
	grid   Grid
	ring   [leadRing]sentInput
	sent   sentInput // the newest

	frames        int           // seen, up to 2
	frameAt       time.Duration // when the last one was
	frame, uneven time.Duration // mean length, mean deviation

	known  bool
	way    time.Duration
	report sentInput // the newest reported
	at     time.Duration

	jitter   float64 // ns, slowly falling
	heard    bool    // whether jitter was ever set
	jitterAt time.Duration
}

// leadRing is how many inputs are remembered: 8 s at 60 Hz, and half a second at 1000.
const leadRing = 512

type sentInput struct {
	tick  tick.Tick
	valid bool
	mean  time.Duration // of the edges of this and earlier ticks less the local time at which they were sent
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
func (l *Lead) SetRedundancy(n int) { l.config.Redundancy = min(max(n, 1), 32) }

// SetBatch changes how many new inputs a packet brings, within 1 to 64.
func (l *Lead) SetBatch(n int) { l.config.Batch = min(max(n, 1), 64) }

// SetJitter takes the mean deviation of the round trip at a local time. A greater one counts within a second, a smaller one within ten.
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

// Frame takes the time of a frame. Inputs wait for the frame that samples them, so long and uneven frames need more lead. Call it once a frame.
func (l *Lead) Frame(now time.Duration) {
	length := min(max(0, now-l.frameAt), time.Second)
	first := l.frames == 0
	l.frameAt = now
	l.frames = min(l.frames+1, 2)
	switch {
	case first: // nothing to measure from
	case l.frame == 0:
		l.frame = length
	default:
		l.uneven += (magnitude(length-l.frame) - l.uneven) / 32
		l.frame += (length - l.frame) / 32
	}
}

// Sent remembers that a packet whose newest input is t was sent at a local time. Call it once for every packet that is sent.
func (l *Lead) Sent(t tick.Tick, now, simulation time.Duration) {
	s := sentInput{tick: t, valid: true}
	s.mean = l.grid.Edge(Unwrap(t, l.grid.Index(simulation))) - now
	if l.sent.valid {
		s.mean = l.sent.mean + (s.mean-l.sent.mean)/(1<<ageShift)
	}
	l.sent = s
	l.ring[t%leadRing] = s
}

// Jumped has to be told when the simulation's clock jumps. After a jump back, ticks are sent anew, and what was remembered of them is void.
func (l *Lead) Jumped(jump ClockJump) {
	if jump.Ticks >= 0 {
		return
	}
	l.sent.valid, l.report.valid = false, false
	clear(l.ring[:])
}

// Report takes the age from a snapshot that arrived at a local time, the newest input that it includes, and the reference clock's present
// offset (server minus local time). It reports whether the age could be used: it cannot if it is [NoAge], no news, or about an input that
// was not sent or too long ago.
func (l *Lead) Report(now time.Duration, t tick.Tick, age Age, offset time.Duration) bool {
	s := l.ring[t%leadRing]
	if age == NoAge || !s.valid || s.tick != t || t.IsNewer(l.sent.tick) {
		return false
	}
	if l.report.valid && !t.IsNewer(l.report.tick) {
		return false
	}
	way := s.mean - offset - age.Duration(l.grid)
	way = min(max(way, -l.config.MaxLead), l.config.MaxLead)
	if !l.known {
		l.known, l.way = true, way
	} else {
		elapsed := min(max(0, now-l.at), time.Second)
		part := -math.Expm1(-elapsed.Seconds() / l.config.TimeConstant.Seconds())
		l.way += time.Duration(part * float64(way-l.way))
	}
	l.report, l.at = s, now
	return true
}

// Way returns the time that inputs take to the server as the reference clock sees it, and whether it was ever reported.
func (l *Lead) Way() (way time.Duration, known bool) { return l.way, l.known }

// TargetAge returns how early inputs should reach the server on the average, if each were sent at the edge of its tick: early enough for the
// jitter of the network, for n-1 lost packets, for the wait for a frame and a packet, and for an eighth of a tick that the age may be rounded.
func (l *Lead) TargetAge() time.Duration {
	step, batch := l.grid.Step(), time.Duration(l.config.Batch)
	frame := l.frame + 2*l.uneven
	lost := time.Duration(l.config.Redundancy-1) * max(batch*step, frame)
	return time.Duration(l.config.JitterFactor*l.jitter) + lost + (batch-1)*step + frame + step/ageSteps
}

// Lead returns how far ahead of the reference clock the simulation should be, within 0 and MaxLead. rtt is the round-trip time to halve
// until the first report.
func (l *Lead) Lead(rtt time.Duration) time.Duration {
	way := l.way
	if !l.known {
		way = rtt / 2
	}
	return min(max(way+l.TargetAge(), 0), l.config.MaxLead)
}
