package articles

import (
	"math"
	"time"
)

const (
	// viewTime is the time in which an error decays to 1/e of itself, while the rate is not at its
	// limit.
	viewTime = 250 * time.Millisecond
	// viewRate is how much faster or slower than real time the view may run.
	viewRate = 0.1
	// viewLower is how fast the delay falls, in seconds per second: the view follows 10 s after a
	// network has become 100 ms quicker.
	viewLower = 0.01
	// viewSnap is the step of the reference clock above which the view jumps too.
	viewSnap = 500 * time.Millisecond
)

// View is a clock by which remote entities are drawn: the server's time less a delay, at the rate
// of real time plus or minus a tenth. It does not depend on the simulation's stretch and lead, so
// these never change the speed of the remote world. A client of package netcode draws by
// [interp.Playback], which needs no reference clock.
//
// A longer delay applies at once, and the view runs slower until it has reached that delay. A
// shorter delay is approached by 10 ms per second, because a network that has just been bad is
// likely to be bad again. A small step of the reference clock makes the view run faster or slower.
// A step of more than 500 ms, which only a stepping clock causes, moves the view by the same amount
// and is reported. Otherwise the view never runs backwards.
//
// Create it with [NewView].
type View struct {
	started   bool
	now       time.Duration
	reference time.Duration
	delay     time.Duration
	time      time.Duration
	rate      float64
	jump      time.Duration
}

// NewView returns a clock that is not started.
func NewView() *View { return &View{rate: 1} }

// Advance advances the view to a real time and returns the server time at which to draw remote
// entities. It takes the reference clock's value at that real time and the wanted delay. The first
// call starts the view exactly at reference - wanted. A real time that is not later than the last
// one only raises the delay. A negative delay counts as 0.
func (v *View) Advance(now, reference, wanted time.Duration) time.Duration {
	wanted = max(0, wanted)
	v.jump = 0
	if !v.started {
		v.started = true
		v.now, v.reference, v.delay, v.time = now, reference, wanted, reference-wanted
		return v.time
	}
	if now <= v.now {
		v.delay = max(v.delay, wanted)
		return v.time
	}
	dt := now - v.now
	if step := (reference - v.reference) - dt; step.Abs() > viewSnap {
		v.jump = step
		v.time += step
	}
	v.now, v.reference = now, reference
	v.delay = max(wanted, v.delay-time.Duration(viewLower*float64(dt)))
	behind := (reference - v.delay) - (v.time + dt)
	correction := -math.Expm1(-dt.Seconds()/viewTime.Seconds()) * float64(behind)
	limit := viewRate * float64(dt)
	// It is rounded towards real time, so the limits hold to the nanosecond.
	advance := dt + time.Duration(min(max(correction, -limit), limit))
	v.time += advance
	v.rate = float64(advance) / float64(dt)
	return v.time
}

// Time returns the result of the last Advance.
func (v *View) Time() time.Duration { return v.time }

// Delay returns the delay that the view has or approaches: the wanted delay, or a longer one that
// is being reduced.
func (v *View) Delay() time.Duration { return v.delay }

// Lag returns how far the view was behind the reference clock at the last Advance.
func (v *View) Lag() time.Duration { return v.reference - v.time }

// Rate returns the speed of the view over the last Advance. 1 is real time. Jumps do not count.
func (v *View) Rate() float64 { return v.rate }

// Jump returns by how much the last Advance moved the view with a step of the reference clock, and
// 0 if there was no step. After a jump draw the entities at their new places, or blend them through
// an [ErrorOffset].
func (v *View) Jump() time.Duration { return v.jump }
