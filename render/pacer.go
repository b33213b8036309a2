package render

import "time"

// Pacer spaces frames evenly where the display does not: for a frame-rate cap, and for displays on
// which waiting for the vertical blank does not wait (virtual ones do not). The zero value paces
// nothing.
type Pacer struct {
	next    time.Duration // when the frame before was due
	started bool
}

// Wait returns how long to sleep before the next frame, given the time now since any fixed moment
// and the frame rate wanted; a rate of zero or less is unlimited.
//
// Frames are due at exact intervals of 1/rate, so that a sleep that lasted too long shortens the
// next. After a pause of more than an interval the frames missed are not made up.
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
