// Package hud draws the overlay of the demo: the clock's figures, two graphs, hints, and the panel
// of keys.
package hud

import (
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/ecs"
)

// meter counts frames and steps over about the last second of real time.
type meter struct {
	samples []sample // from the oldest
}

type sample struct {
	real time.Duration
	tick uint64
}

const (
	meterSpan   = time.Second
	meterFrames = 512 // at most
)

func (m *meter) add(now ecs.Time) {
	if len(m.samples) == meterFrames {
		m.samples = slices.Delete(m.samples, 0, 1)
	}
	m.samples = append(m.samples, sample{now.Real, now.Tick})
}

// rates returns frames and steps per second of real time, and false until there are enough frames.
func (m *meter) rates() (frames, steps float64, ok bool) {
	at := func(back int) sample { return m.samples[len(m.samples)-1-back] }
	if len(m.samples) < 2 {
		return 0, 0, false
	}
	newest, back := at(0), 1
	for back+1 < len(m.samples) && newest.real-at(back).real < meterSpan {
		back++
	}
	oldest := at(back)
	span := (newest.real - oldest.real).Seconds()
	if span <= 0 {
		return 0, 0, false
	}
	return float64(back) / span, m.steps(at, back), true
}

// steps returns the fixed steps per second of real time over the last frames, or over twice as long
// if there are too few steps in them. It measures from the first frame with a step to the last one:
// a plain count over a second would sometimes find three steps where there are two per second.
func (m *meter) steps(at func(back int) sample, frames int) float64 {
	newest := at(0)
	var last, first sample // the newest and the oldest frame with a step
	found := 0
	for i := 0; i+1 < len(m.samples) && (i < frames || found < 2 && newest.real-at(i).real < 2*meterSpan); i++ {
		if at(i).tick == at(i+1).tick {
			continue
		}
		if first = at(i); found == 0 {
			last = first
		}
		found++
	}
	if found < 2 {
		span := (newest.real - at(frames).real).Seconds()
		return float64(newest.tick-at(frames).tick) / span
	}
	n, span := float64(last.tick-first.tick), (last.real - first.real).Seconds()
	// An overdue step, in a slowed or paused world, adds the time without a step.
	if idle := (newest.real - last.real).Seconds(); idle > 1.5*span/n {
		span += idle
	}
	return n / span
}

// speedometer measures the drawn speed of a body: the displacement per frame, divided by the normal
// time of the frame. So frames of unequal length do not show as unequal speeds. A body that moves
// evenly and is drawn correctly gives a flat line.
type speedometer struct {
	followed scene.Followed
	place    mgl32.Vec3
	jumps    uint
	begun    bool
}

// shortestFrame is the least normal time for which a displacement in float32 gives a speed.
const shortestFrame = 50 * time.Microsecond

// measure returns the speed in units per second. It is NaN in the first frame, in a frame that
// takes hardly any time, and at a jump.
func (s *speedometer) measure(delta time.Duration) float32 {
	place := s.followed.Position()
	moved := place.Sub(s.place)
	jumped := false
	if s.followed.Jump != nil {
		jumps := s.followed.Jump()
		jumped = jumps != s.jumps
		s.jumps = jumps
	}
	valid := s.begun && !jumped && delta >= shortestFrame
	s.place, s.begun = place, true
	if !valid {
		return float32(math.NaN())
	}
	return moved.Len() / float32(delta.Seconds())
}
