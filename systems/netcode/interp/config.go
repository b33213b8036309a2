package interp

import (
	"cmp"
	"time"
)

// Config adjusts an interpolator. The zero value means the defaults.
type Config struct {
	// Interval is the time between two snapshots of the body. Zero means a 30th of a second.
	Interval time.Duration

	// Capacity is the number of samples that a delayed interpolator keeps at most, rounded up to a
	// power of two, at least 4 and at most 65536. A view delayed by n intervals needs n+4. Zero
	// means 128: four seconds at 30 Hz.
	Capacity int

	// Extrapolation is how far a starved delayed view is extrapolated beyond the newest sample. In
	// the second half of it the body slows down to a stand. It is also how long any interpolator
	// continues a body's rotation by its angular velocity. Zero means 100 ms, which is also the
	// most. Negative means none.
	Extrapolation time.Duration

	// Horizon is how far beyond the newest sample a predictive interpolator follows the last
	// velocity at full speed. It then slows down to a stand over another Horizon. Zero means 250
	// ms, negative means none.
	Horizon time.Duration

	// Blend is how long [RacerLinear], [RacerSpline] and [ProjectiveBlend] take from the old path
	// to a new packet's. Zero means Interval, as in their sources, which is the most accurate and
	// the least smooth. At 30 Hz and above, 100 ms look better.
	Blend time.Duration

	// ResumeAfter is the length of an outage beyond which a delayed body is moved to its place at
	// once, with Info.Discontinuity, instead of gliding there. Zero means 3 s. Negative means after
	// any outage, as in systems without error offsets.
	ResumeAfter time.Duration

	// Speed is the body's speed in units per second, for the chasing kinds. Zero means the newest
	// sample's.
	Speed float32
}

func (c Config) withDefaults() Config {
	if c.Interval <= 0 {
		c.Interval = time.Second / 30
	}
	if c.Blend <= 0 {
		c.Blend = c.Interval
	}
	const most = 100 * time.Millisecond
	if c.Extrapolation == 0 || c.Extrapolation > most {
		c.Extrapolation = most
	}
	c.Extrapolation = max(c.Extrapolation, 0)
	c.Horizon = cmp.Or(c.Horizon, 250*time.Millisecond)
	c.Horizon = max(c.Horizon, 0)
	c.ResumeAfter = cmp.Or(c.ResumeAfter, 3*time.Second)
	c.ResumeAfter = max(c.ResumeAfter, 0)
	return c
}

// New returns an interpolator of the given kind. It panics for a number that is not a kind. Take
// kinds from the constants, [Kinds] or [ParseKind].
func New(kind Kind, config Config) Interpolator {
	c := config.withDefaults()
	switch kind {
	case Default:
		return newBuffered(c, drawTangents)
	case Linear:
		return newBuffered(c, drawLine)
	case Hermite:
		return newBuffered(c, drawHermite)
	case GuardedHermite:
		return newBuffered(c, drawGuarded)
	case Naive:
		return &naive{}
	case Chase:
		return &chase{config: c}
	case EventBuffer:
		return &events{config: c, buf: sampleBuffer{most: eventsKept}}
	case RacerLinear:
		return &racer{tracker: tracker{config: c}}
	case RacerSpline:
		return &spline{tracker: tracker{config: c}}
	case ProjectiveBlend:
		return &projective{tracker: tracker{config: c}}
	case OffsetDecay:
		return &decaying{tracker: tracker{config: c}}
	}
	panic("interp: New: " + kind.String() + " is no kind of interpolation; use one of the constants, Kinds or ParseKind")
}
