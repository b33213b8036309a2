package interp

import "time"

// Playback runs a view of the server's time behind the snapshots of one connection, at the distance
// that its [Delay] measures. The view never runs backwards. It runs at 0.9 to 1.1 of real speed,
// and at up to 1.5 if it is more than 120 ms late. It waits if there is nothing to show, and jumps
// ahead only after an outage. Create it with [NewPlayback].
type Playback struct {
	Delay // measures the distance; Arrive adds its data

	view    time.Duration
	now     time.Duration
	begun   bool
	rate    float64
	jumps   int
	waiting bool
}

const (
	viewTau     = 250 * time.Millisecond
	viewStretch = 0.1

	// A view that is more than viewDebt late while the snapshots are present runs faster, in
	// proportion to its lag, up to 1.5. It makes up for a second within three seconds.
	viewDebt    = 120 * time.Millisecond
	viewHurry   = 1.5 // per second of debt beyond viewDebt
	viewFastest = 0.5

	// viewWait is how far the view may run beyond the newest snapshot. Bodies are extrapolated that
	// far and no further, and a view that waits needs less time to catch up. The view then waits
	// until there is a snapshot ahead of it. If it continued with each single snapshot that
	// arrives, it would starve again at once.
	viewWait = 100 * time.Millisecond

	// viewJump is the distance to the target beyond which catching up would take too long.
	viewJump = time.Second
)

// NewPlayback returns a playback without snapshots.
func NewPlayback(config DelayConfig) *Playback {
	p := &Playback{rate: 1}
	p.Delay.init(config)
	return p
}

// View advances to now and returns the server time to draw. It returns false before the first
// Update. For a fixed step pass the real time at which the step ends, which may lie a little ahead
// of the clock.
func (p *Playback) View(now time.Duration) (time.Duration, bool) {
	if !p.Ready() {
		return 0, false
	}
	target := now - p.Behind()
	if !p.begun {
		p.begun, p.view, p.now = true, target, now
		return p.view, true
	}
	real := now - p.now
	if real <= 0 {
		return p.view, true
	}
	p.now = now

	// Compare the view's time at real speed with its target.
	off := target - (p.view + real)
	if off > viewJump && target <= p.newest {
		p.view, p.rate = target, 1
		p.jumps++
		return p.view, true
	}
	fastest := viewStretch
	if target <= p.newest {
		fastest += min(max(viewHurry*(off-viewDebt).Seconds(), 0), viewFastest-viewStretch)
	}
	stretch := min(max(off.Seconds()/viewTau.Seconds(), -viewStretch), fastest)
	next := p.view + real + time.Duration(stretch*float64(real))
	if p.waiting && p.view > p.newest {
		next = p.view
	} else if p.waiting = next > p.newest+viewWait; p.waiting {
		next = max(p.view, p.newest+viewWait)
	}
	p.rate = float64(next-p.view) / float64(real)
	p.view = next
	return p.view, true
}

// Reroute continues with the snapshots of another server, whose times are the same, or on another
// path: the view goes on. What is known of lateness is kept until the new path has shown its own.
// Transit is that of the fastest packets on the new path up to now.
func (p *Playback) Reroute(now, transit time.Duration) {
	d := &p.Delay
	d.trend, d.loss, d.count, d.base = trend{}, loss{}, 0, transit
	d.trend.add(now, transit)
}

// Rate returns the speed of the view over the last step. 1 is real time. At 0 the view waits.
func (p *Playback) Rate() float64 { return p.rate }

// Jumps returns how often the view jumped ahead.
func (p *Playback) Jumps() int { return p.jumps }

// Waiting reports whether the view stands because no snapshot has arrived for longer than bodies
// are extrapolated.
func (p *Playback) Waiting() bool { return p.waiting }
