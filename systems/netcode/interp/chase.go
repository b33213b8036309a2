package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// chase moves the body from its shown position towards the newest sample, at the body's speed plus
// a share of the distance, and stops at the target. It does not use server time, so its lag depends
// on the speed.
type chase struct {
	config Config

	naive         // the target
	state   State // shown
	speed   float32
	now     time.Duration
	started bool
}

const (
	// chasePull is the part of the distance that the bounded chase closes per second beyond the
	// body's own speed.
	chasePull = 4

	// chaseLimit is how many seconds of motion the target may be away before the bounded chase
	// jumps.
	chaseLimit = 2
)

func (c *chase) Push(now time.Duration, s Sample) {
	before := c.newest
	had := c.has
	c.naive.Push(now, s)
	if !had || c.newest.At() == before.At() {
		return
	}
	n := &c.newest
	switch {
	case c.config.Speed > 0:
		c.speed = c.config.Speed
	case n.Has&HasVelocity != 0:
		// A body that has stopped is still followed to its place, at its last speed.
		if v := n.Velocity.Len(); v > 0 {
			c.speed = v
		}
	default:
		c.speed = n.Position.Sub(before.Position).Len() / seconds(n.At()-before.At())
	}
}

func (c *chase) Reset() { *c = chase{config: c.config} }

func (c *chase) At(now, view time.Duration) (State, Info) {
	target, info := c.naive.At(now, view)
	if info.Empty {
		return target, info
	}
	dt := seconds(max(now-c.now, 0))
	c.now = now
	gap := target.Position.Sub(c.state.Position)
	away := gap.Len()
	switch {
	case !c.started, info.Discontinuity, away > chaseLimit*c.speed:
		c.state = c.newest.still()
		info.Discontinuity = true
	default:
		step := min(away, (c.speed+chasePull*away)*dt)
		c.state.Velocity = mgl32.Vec3{}
		if away > 0 && dt > 0 {
			c.state.Velocity = gap.Mul(step / (away * dt))
		}
		if step == away {
			c.state.Position = target.Position // exactly, so that the body settles
		} else {
			c.state.Position = c.state.Position.Add(gap.Mul(step / away))
		}
	}
	c.started = true
	// The article turns the model to the direction of motion. With a rotation on the wire the body
	// turns towards that within an interval. So does the scale change.
	turn := dt / seconds(c.config.Interval)
	c.state.Rotation = rotation.TurnTowards(c.state.Rotation, target.Rotation, turn)
	c.state.Scale = resizeTowards(c.state.Scale, target.Scale, turn)
	info.Offset = c.state.Position.Sub(target.Position).Len()
	info.Settled = info.Settled && info.Offset == 0 && c.state.Rotation == target.Rotation && c.state.Scale == target.Scale
	return c.state, info
}
