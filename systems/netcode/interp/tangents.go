package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// kink is the share of the speed by which the velocity must change over a segment, beyond what the
// neighbouring segments' acceleration explains, for the segment to count as broken in two. The
// bound keeps the meeting point well defined. Below it the error of a cubic is at most
// kink*speed*h*4/27.
const kink = 0.15

// drawTangents draws the segments of the default kind. If the velocity changes at the same rate as
// in the neighbouring segments, the body moves smoothly, and the cubic through the end positions
// and velocities is correct. If it changes abruptly (a flip, a bounce, a stop or a start between
// two snapshots), the body had the first velocity up to some instant and the second from then on.
// The only such instant is the meeting point of the two end tangents, which follows from the same
// four values. A cubic rounds that corner off by up to |dv|*h*4/27 (0.18 m for a runner that turns
// round between 10 Hz snapshots). A straight line cuts it by up to |dv|*h/4.
func drawTangents(b *sampleBuffer, c *Config, i int, t time.Duration) point {
	s, e := b.At(i), b.At(i+1)
	h, at := seconds(e.At()-s.At()), seconds(t-s.At())
	if s.AtRest && e.AtRest && s.Position == e.Position {
		return point{p: s.Position}
	}
	if s.Has&HasVelocity == 0 && !s.AtRest || e.Has&HasVelocity == 0 && !e.AtRest {
		return drawGuarded(b, c, i, t)
	}

	v0, v1 := velocity(b, i, i), velocity(b, i+1, i)
	change := v1.Sub(v0)
	acc := around(b, i, change.Mul(1/h))
	change = change.Sub(acc.Mul(h))
	speed := max(v0.Len(), v1.Len())
	if change.Len() > kink*speed {
		if q, ok := meet(s, e, v0, v1, acc, change, h, at); ok {
			return q
		}
		return drawLine(b, c, i, t)
	}
	// After two opposite kinks in one segment the end velocities are equal and the chord is far
	// from both. The path between them is unknown.
	chord := e.Position.Sub(s.Position).Mul(1 / h)
	if chord.Sub(v0.Add(v1).Mul(0.5)).Len() > kink*max(speed, chord.Len()) {
		return line(s.Position, e.Position, h, at)
	}
	return cubic(s.Position, v0, e.Position, v1, h, at)
}

// around estimates the acceleration in segment i without kinks (gravity, a curve), given the
// segment's own mean. If both neighbours agree, it is their acceleration. If they do not, one of
// them may have a kink in it. If this segment agrees with the other neighbour, it is smooth itself.
// If no two agree, the weakest is the best estimate, since a kink nearly always makes a mean
// stronger.
func around(b *sampleBuffer, i int, own mgl32.Vec3) mgl32.Vec3 {
	if b.At(i).AtRest || b.At(i+1).AtRest {
		return mgl32.Vec3{}
	}
	before, okBefore := meanAcceleration(b, i-1)
	after, okAfter := meanAcceleration(b, i+1)
	switch {
	case okBefore && okAfter && agree(before, after):
		return before.Add(after).Mul(0.5)
	case okBefore && agree(before, own), okAfter && agree(after, own):
		return own
	case okBefore && okAfter:
		return weaker(before, after)
	case okBefore:
		return weaker(before, own)
	case okAfter:
		return weaker(after, own)
	}
	return mgl32.Vec3{}
}

// meet draws the path that starts at s with v0 and ends at e with v1, both under the acceleration
// acc. It changes from the one to the other at their meeting point.
//
// The difference of the two at time x is g - x*change. It is linear in x because the acceleration
// cancels, so the instant of least distance is exact. The remaining distance (zero for a single
// clean kink) is spread over both parts. ok is false if they meet outside the segment, or miss each
// other widely.
func meet(s, e *Sample, v0, v1, acc, change mgl32.Vec3, h, at float32) (point, bool) {
	g := s.Position.Sub(e.Position).Add(v1.Mul(h)).Sub(acc.Mul(h * h / 2))
	x := g.Dot(change) / change.Dot(change)
	const slack = 1e-3 // of the segment: quantised values may put a kink at a snapshot just outside
	if !(x >= -slack*h && x <= (1+slack)*h) {
		return point{}, false
	}
	x = min(max(x, 0), h)
	miss := g.Sub(change.Mul(x))
	// The longer part takes more of the miss, so both bend equally. A resting end is exact, so the
	// moving part takes all of the miss.
	share, part := x/h, h
	if s.AtRest {
		share, part = 0, h-x
	} else if e.AtRest {
		share, part = 1, x
	}
	const wide = 0.25 // of the speed: a larger miss is not a single kink
	if miss.Len() > wide*part*max(v0.Len(), v1.Len()) {
		return point{}, false
	}
	if at < x {
		pull := miss.Mul(-share / x)
		return point{
			p: s.Position.Add(v0.Add(acc.Mul(at / 2)).Add(pull).Mul(at)),
			v: v0.Add(acc.Mul(at)).Add(pull),
		}, true
	}
	left := h - at
	pull := mgl32.Vec3{}
	if h > x {
		pull = miss.Mul((1 - share) / (h - x))
	}
	return point{
		p: e.Position.Sub(v1.Sub(acc.Mul(left / 2)).Sub(pull).Mul(left)),
		v: v1.Sub(acc.Mul(left)).Sub(pull),
	}, true
}
