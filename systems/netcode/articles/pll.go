package articles

import "time"

// PLL is the phase-locked loop of Multiplayer Platformer Log #5 (class TimeSyncer) as published,
// with its faults. It is the negative control of the conformance cases. [TickPLL] is the corrected
// form.
//
// It locks to the arrival times of the server's regular updates. On every update, in milliseconds:
//
//	difference = expected - now
//	integrator = 0.9*integrator + difference
//	drift     += clamp(0.01*integrator, -0.1, +0.1)
//	expected  += ServerStep
//
// Its time is the machine's time plus drift. Its faults:
//
//   - Updates are counted and carry no tick. So each lost update shifts the time by a ServerStep
//     permanently, and each duplicate shifts it back.
//   - It corrects at most 0.1 ms per update. So a change of latency by 100 ms takes a minute and a
//     half, and a clock that is 0.2 % off is never followed.
//   - The output is bounded and the integrator is not.
//   - The gains are per update, not per second.
//   - A loop that asks MoveSimulation until it returns false runs as many steps as fit into a pause
//     of any length.
type PLL struct {
	// ServerStep is the time between two updates in milliseconds, and Step is the time between two
	// steps of the simulation. The article has 100 and 33.
	ServerStep, Step float64

	expected    float64
	integrator  float64
	drift       float64
	simulation  float64
	start       float64
	serverTicks int
}

// NewPLL returns the article's loop with its constants. Call it when the first update arrives.
func NewPLL(now time.Duration) *PLL {
	p := &PLL{ServerStep: 100, Step: 33}
	p.Restart(now)
	return p
}

// Restart resets the loop, like the article's constructor at the first update. It keeps ServerStep
// and Step.
func (p *PLL) Restart(now time.Duration) {
	*p = PLL{ServerStep: p.ServerStep, Step: p.Step}
	p.start = p.now(now)
	p.simulation = p.start
	p.expected = p.start + p.ServerStep
}

// OnServerUpdate processes the arrival of an update after the first.
func (p *PLL) OnServerUpdate(now time.Duration) {
	difference := p.expected - p.now(now)
	p.integrator = p.integrator*0.9 + difference
	p.drift += min(max(p.integrator*0.01, -0.1), 0.1)
	p.expected += p.ServerStep
	p.serverTicks++
}

// Now returns the synchronised time. The article adds the drift to the wall clock. Here the clock
// is monotonic and passed in.
func (p *PLL) Now(now time.Duration) time.Duration { return milliseconds(p.now(now)) }

// MoveSimulation reports whether a step of the simulation is due, and counts it. The article calls
// it until it returns false.
func (p *PLL) MoveSimulation(now time.Duration) bool {
	if p.now(now)-p.simulation > p.Step {
		p.simulation += p.Step
		return true
	}
	return false
}

// ServerDelta returns the time, since the first update, of a state that was delta old when the
// newest update left the server.
func (p *PLL) ServerDelta(delta time.Duration) time.Duration {
	return milliseconds(float64(p.serverTicks)*p.ServerStep) - delta
}

// TimeSinceStart returns the synchronised time since the first update. The article draws at 200 ms
// before it.
func (p *PLL) TimeSinceStart(now time.Duration) time.Duration {
	return milliseconds(p.now(now) - p.start)
}

// Integrator returns the accumulated difference in milliseconds. Beyond 10 the loop is at its
// limit.
func (p *PLL) Integrator() float64 { return p.integrator }

func (p *PLL) now(now time.Duration) float64 {
	return float64(now)/float64(time.Millisecond) + p.drift
}

func milliseconds(ms float64) time.Duration {
	return time.Duration(ms * float64(time.Millisecond))
}
