package interp

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// offset is the difference between the shown path and the correct one. It is added to the picture
// and shrinks like a critically damped spring. It starts without a jump in position, reaches its
// greatest speed smoothly, and ends without overshoot. The solution is exact, so the frame rate has
// no effect.
type offset struct {
	pos, posSpeed     mgl32.Vec3
	rot, rotSpeed     mgl32.Vec3 // a rotation vector, in the parent's frame
	scale, scaleSpeed mgl32.Vec3
	posRate           float32 // of the spring, 1/s
	active            bool
}

const (
	// easeRate bounds the spring: three quarters of an offset are gone within 2.7/easeRate seconds,
	// 95 % within 0.4 s.
	easeRate = 12

	// easeShare is the greatest speed of the correction as a share of the body's own, so re-entry
	// never looks like a jump. Large errors therefore take longer, but never longer than at
	// slowestRate: three fifths are gone within 0.4 s.
	easeShare   = 0.22
	slowestRate = 5

	// gone is the offset, in units, radians and parts of a scale, below which it is dropped, so a
	// resting body ends exactly at its place.
	gone = 1e-4
)

// add adds a difference for a body that moves at the given speed. At an infinite speed it fades at
// the greatest rate.
func (o *offset) add(pos, rot, scale mgl32.Vec3, speed float32) {
	o.pos = o.pos.Add(pos)
	o.rot = o.rot.Add(rot)
	o.scale = o.scale.Add(scale)
	o.active = o.active || o.pos != (mgl32.Vec3{}) || o.rot != (mgl32.Vec3{}) || o.scale != (mgl32.Vec3{})
	// From rest the spring's speed peaks at distance*rate/e.
	o.posRate = easeRate
	if d := o.pos.Len(); d > 0 {
		o.posRate = min(max(easeShare*speed*math.E/d, slowestRate), easeRate)
	}
}

// decay advances the offset by dt seconds.
func (o *offset) decay(dt float32) {
	if !o.active || dt <= 0 {
		return
	}
	o.pos, o.posSpeed = spring(o.pos, o.posSpeed, o.posRate, dt)
	o.rot, o.rotSpeed = spring(o.rot, o.rotSpeed, easeRate, dt)
	o.scale, o.scaleSpeed = spring(o.scale, o.scaleSpeed, easeRate, dt)
	if over(o.pos, o.posSpeed) && over(o.rot, o.rotSpeed) && over(o.scale, o.scaleSpeed) {
		*o = offset{}
	}
}

// over reports whether a part of the offset is too small to be seen.
func over(x, v mgl32.Vec3) bool { return x.Len() < gone && v.Len() < gone*easeRate }

// apply returns the state plus the offset.
func (o *offset) apply(s State) State {
	if o.active {
		s.Position = s.Position.Add(o.pos)
		s.Velocity = s.Velocity.Add(o.posSpeed)
		s.Rotation = rotation.Spin(s.Rotation, o.rot, 1)
		s.Scale = s.Scale.Add(o.scale)
	}
	return s
}

// spring advances a critically damped spring by dt. Its acceleration is -2*rate*v - rate²*x.
func spring(x, v mgl32.Vec3, rate, dt float32) (mgl32.Vec3, mgl32.Vec3) {
	fade := float32(math.Exp(-float64(rate) * float64(dt)))
	push := v.Add(x.Mul(rate))
	return x.Add(push.Mul(dt)).Mul(fade), v.Sub(push.Mul(rate * dt)).Mul(fade)
}
