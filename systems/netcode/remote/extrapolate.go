package remote

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// ramped integrates a speed that falls linearly from one to zero over the limit. reach is the distance at unit speed after t, weight the speed left, and
// curve the distance at unit acceleration.
func ramped(t, limit time.Duration) (reach, weight, curve float32) {
	if limit <= 0 || t <= 0 {
		return 0, 0, 0
	}
	x, r := seconds(min(t, limit)), seconds(limit)
	return x - x*x/(2*r), 1 - x/r, x*x/2 - x*x*x/(3*r)
}

// beyond returns the state of the body t after sample i, from that sample and those before it alone: at most as far as the configured limit, slowing down
// to a stand on the way there.
func beyond(b *Buffer, c *Config, i int, t time.Duration) State {
	s := b.At(i)
	if s.AtRest || t <= 0 || c.Extrapolation <= 0 {
		return State{Position: s.Position, Rotation: s.Rotation}
	}
	var v, acc mgl32.Vec3
	switch {
	case s.Has&HasVelocity != 0:
		v = s.Velocity
		acc = steady(b, i)
	case joined(b, i-1):
		v = chord(b, i-1)
	}
	reach, weight, curve := ramped(t, c.Extrapolation)
	st := State{
		Position: s.Position.Add(v.Mul(reach)).Add(acc.Mul(curve)),
		Rotation: s.Rotation,
		Velocity: v.Add(acc.Mul(seconds(min(t, c.Extrapolation)))).Mul(weight),
	}
	if s.Has&HasAngularVelocity != 0 {
		st.Rotation = spin(s.Rotation, s.Angular, reach)
	}
	return st
}

// steady returns the acceleration that held over the two segments before sample i, zero if it did not: a kink must not be continued.
func steady(b *Buffer, i int) mgl32.Vec3 {
	last, ok := meanAcceleration(b, i-1)
	before, okBefore := meanAcceleration(b, i-2)
	if !ok || !okBefore || last.Sub(before).Len() > guard*max(last.Len(), before.Len()) {
		return mgl32.Vec3{}
	}
	return last
}
