package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// point is a position on a path and the velocity at it.
type point struct{ p, v mgl32.Vec3 }

// draw returns the point at time t on the way from sample i to sample i+1, which belong to one
// piece of the path (equal frames and discontinuity counters); t lies between their times.
type draw func(b *sampleBuffer, c *Config, i int, t time.Duration) point

// seconds returns a difference of times in float32. Differences are short, so no precision is lost.
func seconds(d time.Duration) float32 { return float32(d.Seconds()) }

func line(p0, p1 mgl32.Vec3, h, t float32) point {
	v := p1.Sub(p0).Mul(1 / h)
	return point{p0.Add(v.Mul(t)), v}
}

// cubic is the Hermite polynomial through both ends with the given velocities there.
func cubic(p0, v0, p1, v1 mgl32.Vec3, h, t float32) point {
	chord := p1.Sub(p0).Mul(1 / h)
	// This is Newton's form, with the end positions as differences, so it is exact far from the
	// origin.
	c2 := chord.Mul(3).Sub(v0.Mul(2)).Sub(v1).Mul(1 / h)
	c3 := v0.Add(v1).Sub(chord.Mul(2)).Mul(1 / (h * h))
	return point{
		p: p0.Add(v0.Add(c2.Add(c3.Mul(t)).Mul(t)).Mul(t)),
		v: v0.Add(c2.Mul(2).Add(c3.Mul(3 * t)).Mul(t)),
	}
}

// underway returns the length of the segment from s to e and the time from its start to t, without
// the time for which the body certainly rested. Resting bodies are left out of snapshots, so a
// segment from rest may be minutes long. But the motion took no longer than an interval, or than
// the body needs at the velocity with which it arrives.
func underway(s, e *Sample, c *Config, t time.Duration) (h, at float32) {
	h, at = seconds(e.At()-s.At()), seconds(t-s.At())
	if !s.AtRest {
		return h, at
	}
	move := seconds(c.Interval)
	if e.Has&HasVelocity != 0 && !e.AtRest {
		if v := e.Velocity.Len(); v > 0 {
			move = max(move, e.Position.Sub(s.Position).Len()/v)
		}
	}
	if rest := h - move; rest > 0 {
		return move, at - rest
	}
	return h, at
}

func drawLine(b *sampleBuffer, c *Config, i int, t time.Duration) point {
	s, e := b.At(i), b.At(i+1)
	h, at := underway(s, e, c, t)
	if at <= 0 {
		return point{p: s.Position}
	}
	return line(s.Position, e.Position, h, at)
}

func drawHermite(b *sampleBuffer, c *Config, i int, t time.Duration) point {
	s, e := b.At(i), b.At(i+1)
	h, at := underway(s, e, c, t)
	if at <= 0 {
		return point{p: s.Position}
	}
	return cubic(s.Position, velocity(b, i, i), e.Position, velocity(b, i+1, i), h, at)
}

// guard is how far, as a share of the speed, an end velocity may be from the chord for a cubic to
// be used.
const guard = 0.5

func drawGuarded(b *sampleBuffer, c *Config, i int, t time.Duration) point {
	s, e := b.At(i), b.At(i+1)
	h, at := underway(s, e, c, t)
	v0, v1 := velocity(b, i, i), velocity(b, i+1, i)
	chord := e.Position.Sub(s.Position).Mul(1 / h)
	most := guard * max(v0.Len(), v1.Len())
	if at <= 0 || v0.Sub(chord).Len() > most || v1.Sub(chord).Len() > most {
		return drawLine(b, c, i, t)
	}
	return cubic(s.Position, v0, e.Position, v1, h, at)
}

// velocity returns the velocity at sample i, for drawing the segment that starts at sample seg (i
// is seg or seg+1). A velocity that was not sent is computed from the neighbouring segments if
// their motion is similar, and from the segment's own chord if not.
func velocity(b *sampleBuffer, i, seg int) mgl32.Vec3 {
	s := b.At(i)
	switch {
	case s.AtRest:
		return mgl32.Vec3{}
	case s.Has&HasVelocity != 0:
		return s.Velocity
	}
	own := chord(b, seg)
	// the segment on the other side of sample i: seg-1 for its start, seg+1 for its end
	other := 2*i - seg - 1
	if !joined(b, other) {
		return own
	}
	beyond := chord(b, other)
	if beyond.Sub(own).Len() > guard*max(beyond.Len(), own.Len()) {
		return own
	}
	// The slope of the parabola through the three samples.
	h, g := seconds(b.At(seg+1).At()-b.At(seg).At()), seconds(b.At(other+1).At()-b.At(other).At())
	return own.Mul(g / (g + h)).Add(beyond.Mul(h / (g + h)))
}

// joined reports whether the samples i and i+1 exist and belong to one piece of the path.
func joined(b *sampleBuffer, i int) bool {
	return i >= 0 && i+1 < b.Len() && b.At(i).piece() == b.At(i+1).piece()
}

func chord(b *sampleBuffer, i int) mgl32.Vec3 {
	s, e := b.At(i), b.At(i+1)
	return e.Position.Sub(s.Position).Mul(1 / seconds(e.At()-s.At()))
}

// meanAcceleration returns the mean acceleration over segment i. It returns false if there is no
// segment, if the velocities were not sent, and if the velocity changes by more than its own size.
// Such a change is a turn or a bounce and must not be continued in other segments.
func meanAcceleration(b *sampleBuffer, i int) (mgl32.Vec3, bool) {
	if !joined(b, i) {
		return mgl32.Vec3{}, false
	}
	s, e := b.At(i), b.At(i+1)
	if s.AtRest || e.AtRest || s.Has&e.Has&HasVelocity == 0 {
		return mgl32.Vec3{}, false
	}
	change := e.Velocity.Sub(s.Velocity)
	if change.Len() > max(s.Velocity.Len(), e.Velocity.Len()) {
		return mgl32.Vec3{}, false
	}
	return change.Mul(1 / seconds(e.At()-s.At())), true
}

// agree reports whether two accelerations may belong to one smooth motion.
func agree(x, y mgl32.Vec3) bool {
	return x.Sub(y).Len() <= guard*max(x.Len(), y.Len())
}

func weaker(x, y mgl32.Vec3) mgl32.Vec3 {
	if y.Len() < x.Len() {
		return y
	}
	return x
}
