package clocksync

import "time"

const (
	ms    = time.Millisecond
	frame = time.Second / 60
)

// View is the view by which the tests' world draws. It is the View of package articles. That
// package imports this one, so the external tests set NewView.
type View interface {
	Advance(now, reference, wanted time.Duration) time.Duration
	Time() time.Duration
	Delay() time.Duration
	Rate() float64
}

// NewView returns a view that has not started.
var NewView func() View
