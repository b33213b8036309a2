package articles

import (
	"math"
	"time"
)

// MirrorEngine is the timing of Mirror's snapshot interpolation (Unity, 2023 to 2026), written from
// a description for comparison with [interp.Playback]. It measures neither loss nor transit times,
// only how regularly snapshots arrive. Together with [interp.Linear], with Config.Extrapolation and
// Config.ResumeAfter negative, it draws as Mirror does.
//
// It keeps a buffer time between the newest snapshot and the view: one interval, plus one deviation
// of the arrival gaps, plus one more interval. An average of the distance, with a dead band of one
// interval on either side, decides whether the view runs at 1, at 1.02 or at 0.96. Create it with
// [NewMirrorEngine].
type MirrorEngine struct {
	interval float64 // seconds
	buffer   float64 // seconds
	gap      average // between arrivals
	drift    average // newest stamp less timeline

	timeline float64
	scale    float64
	begun    bool
	now      time.Duration

	arrivals [32]mirrorArrival // ascending by stamp
	count    int
}

type mirrorArrival struct{ stamp, at time.Duration }

// average is an exponential moving average over n values.
type average struct {
	alpha, value, variance float64
	begun                  bool
}

func (a *average) add(x float64) {
	if !a.begun {
		a.value, a.begun = x, true
		return
	}
	delta := x - a.value
	a.value += a.alpha * delta
	a.variance = (1 - a.alpha) * (a.variance + a.alpha*delta*delta)
}

const (
	mirrorTolerance = 1.0  // intervals, added to the buffer time
	mirrorBand      = 1.0  // intervals, the dead band
	mirrorCatchUp   = 1.02 // the view's speed when it is behind
	mirrorSlowDown  = 0.96 // the view's speed when it is ahead
)

// NewMirrorEngine returns a timeline for snapshots sent at the given interval. Zero or less means a
// 30th of a second.
func NewMirrorEngine(interval time.Duration) *MirrorEngine {
	if interval <= 0 {
		interval = time.Second / 30
	}
	m := &MirrorEngine{interval: interval.Seconds(), scale: 1}
	m.buffer = 2 * m.interval
	m.gap.alpha = 2 / (2/m.interval + 1) // two seconds of snapshots
	m.drift.alpha = 2 / (1/m.interval + 1)
	return m
}

// Arrive takes the time at which a snapshot was read, and the server time that it shows. A
// duplicate changes no statistics.
func (m *MirrorEngine) Arrive(at, stamp time.Duration) {
	i := m.count
	for i > 0 && m.arrivals[i-1].stamp >= stamp {
		if m.arrivals[i-1].stamp == stamp {
			return
		}
		i--
	}
	if m.count == len(m.arrivals) { // the view has long passed the oldest
		if i == 0 {
			return
		}
		copy(m.arrivals[:], m.arrivals[1:])
		m.count--
		i--
	}
	copy(m.arrivals[i+1:m.count+1], m.arrivals[i:m.count])
	m.arrivals[i] = mirrorArrival{stamp, at}
	m.count++

	remote := stamp.Seconds()
	if !m.begun {
		m.begun, m.timeline, m.now = true, remote-m.buffer, at
	}
	if m.count >= 2 {
		m.gap.add((m.arrivals[m.count-1].at - m.arrivals[m.count-2].at).Seconds())
	}
	deviation := math.Sqrt(m.gap.variance)
	m.buffer = m.interval * ((m.interval+deviation)/m.interval + mirrorTolerance)

	target := remote - m.buffer
	m.timeline = min(max(m.timeline, target-m.buffer), target+m.buffer)
	m.drift.add(remote - m.timeline)
	switch drift := m.drift.value - m.buffer; {
	case drift > mirrorBand*m.interval:
		m.scale = mirrorCatchUp
	case drift < -mirrorBand*m.interval:
		m.scale = mirrorSlowDown
	default:
		m.scale = 1
	}
}

// View advances the timeline to now and returns the server time to draw. It returns false before
// the first snapshot. Unlike [interp.Playback.View] it may run backwards, when a snapshot is so
// late that the timeline is clamped to it.
func (m *MirrorEngine) View(now time.Duration) (time.Duration, bool) {
	if !m.begun {
		return 0, false
	}
	m.timeline += max(now-m.now, 0).Seconds() * m.scale
	m.now = now
	return time.Duration(m.timeline * float64(time.Second)), true
}

// Rate returns the view's speed: 1, 1.02 or 0.96.
func (m *MirrorEngine) Rate() float64 { return m.scale }
