package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// slowing integrates a speed that falls linearly from one to zero over the limit. It returns the
// distance after x and the remaining speed.
func slowing(x, limit float32) (reach, weight float32) {
	if limit <= 0 {
		return 0, 0
	}
	x = min(x, limit)
	return x - x*x/(2*limit), 1 - x/limit
}

// bounded returns the motion of a starved body. It has full speed for the first half of the limit,
// which is longer than most gaps, and then slows down to a stand. reach is the distance at unit
// speed after t, weight is the share of the speed that is left, and curve is the distance at unit
// acceleration.
func bounded(t, limit time.Duration) (reach, weight, curve float32) {
	x, half := seconds(min(t, limit)), seconds(limit)/2
	if x <= half {
		return x, 1, x * x / 2
	}
	x -= half
	reach, weight = slowing(x, half)
	return half + reach, weight, half*half/2 + half*x - x*x*x/(3*half)
}

// beyond returns the state of the body at a time t after sample i. It uses only that sample and
// earlier ones. It extrapolates at most as far as the configured limit, and the body slows down to
// a stand on the way there.
func beyond(b *sampleBuffer, c *Config, i int, t time.Duration) State {
	s := b.At(i)
	if s.AtRest || t <= 0 || c.Extrapolation <= 0 {
		return s.still()
	}
	var v, acc mgl32.Vec3
	switch {
	case s.Has&HasVelocity != 0:
		v = s.Velocity
		acc = steady(b, i)
	case joined(b, i-1):
		v = chord(b, i-1)
	}
	reach, weight, curve := bounded(t, c.Extrapolation)
	st := s.still() // no scale is extrapolated: it would pass the end of its change, and zero
	st.Position = s.Position.Add(v.Mul(reach)).Add(acc.Mul(curve))
	st.Velocity = v.Add(acc.Mul(seconds(min(t, c.Extrapolation)))).Mul(weight)
	if s.Has&HasAngularVelocity != 0 {
		st.Rotation = rotation.Spin(s.Rotation, s.Angular, reach)
	}
	return st
}

// steady returns the acceleration of the two segments before sample i, or zero if it was not
// constant over them, since a kink must not be continued.
func steady(b *sampleBuffer, i int) mgl32.Vec3 {
	last, ok := meanAcceleration(b, i-1)
	before, okBefore := meanAcceleration(b, i-2)
	if !ok || !okBefore || !agree(last, before) {
		return mgl32.Vec3{}
	}
	return last
}
