package netcode

import "github.com/tandem-ecs/tandem/components"

// writeMover moves a scripted mover to its pose at the end of tick t. News of match states can
// change its path in ticks that are drawn already. The difference then fades, unless a jump lies in
// it.
func (c *Client[S, I]) writeMover(r *replica, m *scriptedMover, t Tick) {
	start, end := m.path(t), m.path(t.Add(1))
	jump := m.teleported.between(start, end)
	if jump {
		start = end
	}
	if c.appear(r, start, end) {
		return
	}
	if drawn := c.transforms.Get(r.entity).Get(); r.shown && !jump && start != drawn {
		// news, or the own clock was set
		if jump = m.teleported.apart(drawn, start); !jump && c.matchNews {
			if i := c.interpolator(); i != nil {
				i.CorrectGently(r.entity, start, end, easeSlow, easeFast)
				return
			}
		}
	}
	c.writePose(r, end, jump || !r.shown)
}

// framesApart reports whether two places of a replica that goes from one frame to another are at
// two ends of a jump of one of these, or of what carries them: no path leads from place to place.
func (c *Client[S, I]) framesApart(from, to EntityID, a, b components.Pose3D) bool {
	return c.frameApart(from, a, b) || c.frameApart(to, a, b)
}

func (c *Client[S, I]) frameApart(id EntityID, a, b components.Pose3D) (apart bool) {
	_, _ = upward(id, func(id EntityID) (pose components.Pose3D, parent EntityID, ok bool) {
		r := c.replica(id)
		if r == nil {
			return pose, NoEntity, false
		}
		if mover := c.protocol.movers[r.archetype]; mover != nil {
			apart = apart || mover.teleported.apart(a, b)
		}
		return pose, r.parent, true
	})
	return apart
}
