package clocksync

import (
	"cmp"
	"errors"
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Config configures a [Client]. The zero value stands for the documented defaults.
type Config struct {
	// Grid has the ticks of the server and of the engine.
	Grid Grid
	// MaxLead bounds the lead, in both directions. Zero means 5 s.
	MaxLead time.Duration
	// MaxAge bounds how early inputs are to arrive. Zero means no bound.
	MaxAge time.Duration
}

// Client puts the clocks of one connection together: a [Reference] fed with pings, a [Lead] fed
// with the ages that the server reports, and the [Simulation] that follows their sum. The caller
// moves the bytes:
//
//	if c.PingDue(now) { ... }                     once a frame at most: send a ping with now
//	c.Answered(sample)                            when an answer arrives, with its arrival time
//	c.Reported(now, report)                       when a snapshot arrives
//	t := c.Tick(engineTick); c.Sent(t, now)       in every step, when the packet of input t is sent
//	stretch, jump := c.Update(now, engineTime)    once a frame, after the engine's update
//
// A time between two updates in which this machine did not run is a stall: a window that is
// dragged, a level that loads, a suspended process. It is not time on the network. A ping that was
// under way during a stall gives no sample, since the arrival time of its answer is not known.
//
// All times are of one monotonic clock of this machine, so a jump of the wall clock has no effect.
// Create it with [NewClient]. It allocates nothing afterwards and belongs to one goroutine.
type Client struct {
	reference  *Reference
	simulation *Simulation
	lead       *Lead

	pinged            bool
	hurried, lastPing time.Duration
	woke              time.Duration // when the last stall ended
	usual             time.Duration // smoothed length of a frame
	age               Age
	least             time.Duration // of the lead
}

// NewClient returns the clocks of a new connection.
func NewClient(c Config) *Client {
	return &Client{
		reference:  NewReference(),
		simulation: NewSimulation(c.Grid),
		lead:       NewLead(c.Grid, cmp.Or(c.MaxLead, 5*time.Second), cmp.Or(c.MaxAge, math.MaxInt64)),
		woke:       math.MinInt64, usual: time.Second / 60, age: NoAge,
	}
}

// stepForgotten is the step of the server's clock that makes the ages reported during it useless.
// The lead absorbs smaller ones.
const stepForgotten = 50 * time.Millisecond

const (
	pingInterval = 250 * time.Millisecond
	// A new client, and one after a gap, pings faster, so that its clock is right within ten
	// seconds.
	hurriedInterval = 100 * time.Millisecond
	hurryFor        = 10 * time.Second
	// stallGap is the time without a frame after which a client pings faster.
	stallGap = time.Second
	// A frame longer than stallFrame and than stallFrames usual ones is a stall.
	stallFrame  = 250 * time.Millisecond
	stallFrames = 4
)

// stalled reports whether this machine did not run in the time since the last update.
func (c *Client) stalled(since time.Duration) bool {
	return since > max(stallFrame, stallFrames*c.usual)
}

// PingDue reports whether a ping is to be sent now. After true the caller sends one. There are ten
// a second in the first ten seconds and in the ten after a stall or a step of the server's clock,
// otherwise four.
func (c *Client) PingDue(now time.Duration) bool {
	if !c.pinged {
		c.pinged, c.hurried, c.lastPing = true, now, now
		return true
	}
	interval := pingInterval
	if now-c.hurried < hurryFor {
		interval = hurriedInterval
	}
	if now-c.lastPing < interval {
		return false
	}
	// This keeps the mean rate when frames do not divide the interval, and pings do not bunch up.
	c.lastPing = max(c.lastPing+interval, now-interval/2)
	return true
}

// ErrStalled is returned for the answer to a ping during which this machine did not run. The
// arrival time of the answer is not known.
var ErrStalled = errors.New("clocksync: the machine stood still while this ping was under way; drop the sample")

// Answered takes the four stamps of a ping whose answer has arrived. See [Reference.Add]; a sample
// from before the last stall is refused with [ErrStalled].
func (c *Client) Answered(s Sample) (Change, error) {
	if c.lead.framed && c.stalled(s.ClientReceive-c.lead.frameAt) || s.ClientSend < c.woke {
		return Change{}, ErrStalled
	}
	change, err := c.reference.Add(s)
	if change.Step.Abs() > stepForgotten {
		c.lead.Forget()
		c.hurried = s.ClientReceive
	}
	return change, err
}

// Sent records that a packet whose newest input is t was sent now. It does nothing before the
// clocks run. See [Lead.Sent].
func (c *Client) Sent(t tick.Tick, now time.Duration) {
	if c.Synced() {
		c.lead.Sent(t, now)
	}
}

// Reported takes the report on inputs of a snapshot that arrived now. See [Lead.Report].
func (c *Client) Reported(now time.Duration, r Report) {
	if c.lead.Report(now, r, c.reference.Offset(now)) {
		c.age = r.Age
	}
}

// SetRedundancy sets how many packets carry an input. See [Lead.SetRedundancy].
func (c *Client) SetRedundancy(n int) { c.lead.SetRedundancy(n) }

// SetBatch sets how many new inputs a packet carries. See [Lead.SetBatch].
func (c *Client) SetBatch(n int) { c.lead.SetBatch(n) }

// SetDelay sets how many ticks after the present one the newest input runs. See [Lead.SetDelay].
func (c *Client) SetDelay(ticks int) { c.lead.SetDelay(ticks) }

// Synced reports whether the clocks run: three pings were answered, and Update has been called
// since.
func (c *Client) Synced() bool { return c.simulation.started }

// Update returns the stretch to give to the engine until the next call, and the jump of the mapping
// if there was one. now is the real time up to which the engine was updated. Until the reference is
// ready the stretch is 1. See [Simulation.Update].
func (c *Client) Update(now time.Duration, engine EngineTime) (stretch float64, jump ClockJump) {
	if length := now - c.lead.frameAt; c.lead.framed {
		if length > stallGap {
			c.hurried = now
		}
		if c.stalled(length) {
			c.woke = now
		}
		// The usual length grows by little with each frame. So one long frame does not hide the
		// next, and a machine that draws three frames a second still obtains a clock.
		c.usual += (min(length, 2*c.usual+5*time.Millisecond) - c.usual) / 8
	}
	c.lead.Frame(now)
	if !c.reference.Ready() {
		return 1, ClockJump{}
	}
	c.lead.Follow(c.reference.Offset(now), c.reference.MinRTT()/2, c.reference.limit())
	target := c.reference.At(now) + max(c.lead.Lead(), c.least)
	stretch, jump = c.simulation.Update(now, engine, target, c.lead.Hurry())
	if jump.Ticks < 0 {
		c.lead.rewound()
	}
	return stretch, jump
}

// SetLeast makes the simulation run ahead of the reference by a lead at least: the one that the
// inputs to another server of the same ticks need. Zero ends that.
func (c *Client) SetLeast(lead time.Duration) { c.least = lead }

// Ready reports whether enough pings were answered for the clocks to be used.
func (c *Client) Ready() bool { return c.reference.Ready() }

// Continue makes the clocks those of a simulation that has followed another server up to now, whose
// ticks are the same.
func (c *Client) Continue(from *Client) { c.simulation = from.simulation }

// Tick returns the server tick that a step of the engine simulates.
func (c *Client) Tick(engineTick uint64) tick.Tick { return c.simulation.Tick(engineTick) }

// Playback returns the real time at which the engine's normal time will reach an engine time, and
// the reference clock's value at that time, for a step that ends at that engine time.
func (c *Client) Playback(engine time.Duration) (real, reference time.Duration) {
	real = c.simulation.RealAt(engine)
	return real, c.reference.At(real)
}

// Reference returns the reference clock.
func (c *Client) Reference() *Reference { return c.reference }

// Stats are the figures of a [Client] for displays and logs.
type Stats struct {
	RTT, Jitter time.Duration // smoothed round trip, and its mean deviation
	Lead        time.Duration // of the simulation ahead of the reference
	Age         Age           // last reported
}

// Stats returns the present figures.
func (c *Client) Stats() Stats {
	return Stats{RTT: c.reference.rtt.smoothed, Jitter: c.reference.rtt.jitter, Lead: c.lead.Lead(), Age: c.age}
}
