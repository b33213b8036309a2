package netcode

import (
	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// applyMatchStates applies the changes of match states in packet n, whose snapshot is the state at
// a tick. Ticks that were predicted with other values are predicted again.
func (c *Client[S, I]) applyMatchStates(n packet.Number, after Tick) {
	for _, m := range c.protocol.matchStates {
		if since, news := m.apply(n, after); news {
			if c.predictor != nil { // a replay has none
				c.predictor.Invalidate(since)
			}
			c.matchNews = true
		}
	}
}

// writeMover moves a scripted mover to its pose at the end of tick t. News of match states can
// change its path in ticks that are drawn already. The difference then fades.
func (c *Client[S, I]) writeMover(r *replica, path func(t Tick) components.Pose3D, t Tick) {
	start, end := path(t), path(t.Add(1))
	if c.appear(r, start, end) {
		return
	}
	if i := c.interpolator(); c.matchNews && r.shown && i != nil && start != c.transforms.Get(r.entity).Get() {
		i.CorrectGently(r.entity, start, end, easeSlow, easeFast)
		return
	}
	c.writePose(r, end, !r.shown)
}
