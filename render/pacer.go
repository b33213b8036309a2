package render

import "time"

// Pacer spaces frames evenly, for a frame-rate cap, and for displays without a vertical blank such
// as virtual ones. The zero value is ready for use.
type Pacer struct {
	next    time.Duration // when the frame before was due
	started bool
}

// Wait returns the time to sleep before the next frame. now is the time since any fixed moment,
// rate the frame rate. A rate of zero or less is unlimited.
//
// Frames are due at exact intervals of 1/rate, so that a sleep that lasted too long shortens the
// next. After a pause of more than an interval it does not make up for the missed frames.
func (p *Pacer) Wait(now time.Duration, rate float64) time.Duration {
	if !(rate > 0) || !p.started {
		p.next = now
		p.started = true
		return 0
	}
	interval := time.Duration(float64(time.Second) / rate)
	p.next += interval
	if d := p.next - now; d > 0 && d <= interval {
		return d
	} else if d > interval || d < -interval {
		p.next = now // after a pause, or at another rate
	}
	return 0
}
