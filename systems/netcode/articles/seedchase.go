package articles

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// seedChase is the chase as printed in Champions of Mirra. Every step towards the newest sample is
// speed*dt long, at any distance. So the body oscillates around a target that stands, and falls
// behind permanently if its true speed is higher than the configured one. After a teleport the body
// runs to its new place.
type seedChase struct {
	interval, speed float32 // seconds; units per second, 0 for the newest sample's

	newest  interp.Sample
	has     bool
	state   interp.State // shown
	going   float32      // units per second
	now     time.Duration
	started bool
}

func (c *seedChase) Timing() interp.Timing { return interp.Newest }

func (c *seedChase) Reset() { *c = seedChase{interval: c.interval, speed: c.speed} }

func (c *seedChase) Push(_ time.Duration, s interp.Sample) {
	if !s.Valid() || c.has && s.At() <= c.newest.At() {
		return
	}
	s = s.WithDefaults()
	before, had := c.newest, c.has
	c.newest, c.has = s, true
	switch {
	case !had:
	case c.speed > 0:
		c.going = c.speed
	case s.Has&interp.HasVelocity != 0:
		// A body that has stopped is still followed to its place, at its last speed.
		if v := s.Velocity.Len(); v > 0 {
			c.going = v
		}
	default:
		c.going = s.Position.Sub(before.Position).Len() / seconds(s.At()-before.At())
	}
}

func (c *seedChase) At(now, view time.Duration) (interp.State, interp.Info) {
	if !c.has {
		return interp.State{Rotation: mgl32.QuatIdent()}, interp.Info{Time: view, Empty: true}
	}
	target := &c.newest
	info := interp.Info{Time: target.At(), Frame: target.Frame, Discontinuity: !c.started}
	dt := seconds(max(now-c.now, 0))
	c.now = now
	if !c.started {
		c.state, c.started = interp.State{Position: target.Position, Rotation: target.Rotation}, true
	} else {
		gap := target.Position.Sub(c.state.Position)
		away := gap.Len()
		c.state.Velocity = mgl32.Vec3{}
		if away > 0 {
			c.state.Velocity = gap.Mul(c.going / away)
		}
		c.state.Position = c.state.Position.Add(c.state.Velocity.Mul(dt))
	}
	// The article turns the model to the direction of motion. With a rotation on the wire the body
	// turns towards that within an interval.
	c.state.Rotation = rotation.TurnTowards(c.state.Rotation, target.Rotation, dt/c.interval)
	c.state.Scale, c.state.Has = target.Scale, interp.HasScale // the article has none
	info.Offset = c.state.Position.Sub(target.Position).Len()
	info.Settled = target.AtRest && info.Offset == 0 && c.state.Rotation == target.Rotation
	return c.state, info
}
