package articles

import (
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
)

// TickPLL is the corrected form of [PLL], the phase-locked loop of Multiplayer Platformer Log #5.
// It needs only the server's updates and no pings. Its time is the server's time less the average
// way down. That is enough for drawing, but not for sending inputs.
//
// Updates carry their ticks, so lost, repeated and reordered ones have no effect. The loop is
// proportional and integral with gains per second:
//
//	error = edge(tick) - time         when an update arrives
//	rate  = 1 + drift + clamp(error(t) / 500 ms, -0.05, +0.05)
//	drift += error * elapsed / (500 ms * 60 s)
//
// where error(t) is the rest of the error while the clock makes up for it. So the response is the
// same at 10 and at 60 updates a second and does not overshoot in a pause. Against wind-up the
// drift stays within 2500 ppm and does not change while the slew is at its limit. Of updates that
// arrive within 5 ms of each other, as after a stall, only the newest counts.
//
// Create it with [NewTickPLL]. Between jumps its time never runs backwards, as long as the times
// passed in do not.
type TickPLL struct {
	grid    clocksync.Grid
	state   pllState
	started bool
	// beforeAt is the arrival of the update before the newest burst, and beforeDrift is the drift
	// before that burst.
	beforeAt    time.Duration
	beforeDrift float64

	strange int           // updates in a row beyond pllSnap
	off     time.Duration // the error of the last of them
	doubted time.Duration // and its arrival
}

type pllState struct {
	at    time.Duration // local time of the newest update
	value time.Duration // server time at that time
	err   float64       // ns that the clock was behind then, after value
	drift float64
	index int64
}

const (
	// pllTime is the time in which a phase error decays to 1/e of itself. pllIntegral is how slowly
	// the frequency follows a lasting phase error.
	pllTime     = 500 * time.Millisecond
	pllIntegral = 60 * time.Second
	// pllSlew is how much faster or slower than real time the clock may run to make up for a phase
	// error. pllDrift bounds the estimated frequency error.
	pllSlew  = 0.05
	pllDrift = 0.0025
	// pllSnap is the phase error above which three updates in a row reset the clock.
	pllSnap  = 500 * time.Millisecond
	pllBurst = 5 * time.Millisecond
	// pllMemory bounds the time over which one error accumulates drift.
	pllMemory = time.Second
	// pllKnee is the error in ns below which the slew is not at its limit.
	pllKnee = pllSlew * float64(pllTime)
)

// NewTickPLL returns a loop that is not started. The rate is the server's tick rate in steps per
// second. Zero means 60; rates outside 1 to 1000 are an error.
func NewTickPLL(rate int) (*TickPLL, error) {
	grid, err := clocksync.NewGrid(rate)
	if err != nil {
		return nil, err
	}
	return &TickPLL{grid: grid}, nil
}

// Update processes the arrival of the server's update about the state at t. It returns the clock's
// jump. The jump is 0 except for the first update, and for the third in a row that contradicts the
// clock by more than 500 ms. An update that is older than the newest one, by its tick or by its
// local time, changes nothing.
func (p *TickPLL) Update(now time.Duration, t Tick) (jumped time.Duration) {
	if !p.started {
		p.started = true
		p.set(now, int64(t))
		return p.state.value
	}
	if now < p.state.at {
		return 0
	}
	index := clocksync.Unwrap(t, p.state.index)
	value := p.Now(now)
	miss := p.grid.Edge(index) - value
	if miss.Abs() > pllSnap {
		return p.doubt(now, index, miss)
	}
	p.strange = 0
	if index <= p.state.index {
		return 0
	}
	if now-p.state.at >= pllBurst {
		p.beforeAt, p.beforeDrift = p.state.at, p.state.drift
	}
	drift := p.beforeDrift
	if math.Abs(float64(miss)) <= pllKnee {
		elapsed := min(now-p.beforeAt, pllMemory).Seconds()
		drift += float64(miss) * elapsed / (pllTime.Seconds() * float64(pllIntegral))
		drift = min(max(drift, -pllDrift), pllDrift)
	}
	p.state = pllState{at: now, value: value, err: float64(miss), drift: drift, index: index}
	return 0
}

// doubt counts updates far from the clock. It resets the clock to the third in a row that agrees
// with the one before it.
func (p *TickPLL) doubt(now time.Duration, index int64, miss time.Duration) (jumped time.Duration) {
	switch {
	case p.strange > 0 && now-p.doubted < pllBurst: // only the newest of a burst counts
	case p.strange > 0 && (miss-p.off).Abs() > pllSnap:
		p.strange = 1
	default:
		p.strange++
	}
	p.off, p.doubted = miss, now
	if p.strange < 3 {
		return 0
	}
	value, drift := p.Now(now), p.state.drift
	p.set(now, index)
	p.state.drift, p.beforeDrift = drift, drift
	return p.state.value - value
}

func (p *TickPLL) set(now time.Duration, index int64) {
	p.state = pllState{at: now, value: p.grid.Edge(index), index: index}
	p.beforeAt, p.beforeDrift = now, 0
	p.strange = 0
}

// Now returns the server's time, less the average way down, at a local time. Before the first
// update it is 0. A time before the newest update counts as the time of that update.
func (p *TickPLL) Now(now time.Duration) time.Duration {
	s := &p.state
	dt := float64(max(0, now-s.at))
	if !p.started {
		return 0
	}
	return s.value + time.Duration(dt) + time.Duration(math.Round(dt*s.drift+pllMade(s.err, dt)))
}

// pllMade returns how much of an error is corrected after dt ns. The correction is linear while the
// slew is at its limit, and exponential from the knee on.
func pllMade(err, dt float64) float64 {
	size := math.Abs(err)
	linear := max(0, size-pllKnee)
	if pllSlew*dt <= linear {
		return math.Copysign(pllSlew*dt, err)
	}
	rest := size - linear
	return math.Copysign(linear-rest*math.Expm1(-(dt-linear/pllSlew)/float64(pllTime)), err)
}

// Drift returns the estimated rate of the server's clock relative to this one, less one.
func (p *TickPLL) Drift() float64 { return p.state.drift }
