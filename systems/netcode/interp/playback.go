package interp

import "time"

// Playback runs a view of the server's time behind the snapshots of one connection, at the distance
// that its [Delay] measures. The view never runs backwards. It runs at 0.9 to 1.1 of real speed,
// and at up to 1.5 where it is more than 120 ms late. It waits where there is nothing to show, and
// jumps ahead only after an outage. Create it with [NewPlayback].
type Playback struct {
	Delay // how far behind; Arrive feeds it

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

	// A view that is more than viewDebt late, with the snapshots there, runs faster the more it is
	// behind, up to 1.5: it makes up for a second within three.
	viewDebt    = 120 * time.Millisecond
	viewHurry   = 1.5 // per second of debt beyond viewDebt
	viewFastest = 0.5

	// viewWait is how far the view may run beyond the newest snapshot. Bodies are extrapolated that
	// far and no further, and a view that waits has less to catch up on. It then waits until there
	// is a snapshot ahead of it. If it ran on with each single snapshot that comes, it would starve
	// again at once.
	viewWait = 100 * time.Millisecond

	// viewJump is the distance to the target beyond which catching up would take longer than it is
	// worth.
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

	// Where the view would be if it went on at real speed, against where it should be.
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

// Rate returns the speed of the view over the last step. 1 is real time, at 0 it waits.
func (p *Playback) Rate() float64 { return p.rate }

// Jumps returns how often the view was set ahead instead of run there.
func (p *Playback) Jumps() int { return p.jumps }

// Waiting reports whether the view stands, because nothing has come for longer than bodies are
// extrapolated.
func (p *Playback) Waiting() bool { return p.waiting }
