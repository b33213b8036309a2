package netcode

// writeMover moves a scripted mover to its pose at the end of tick t. News of match states can
// change its path in ticks that are drawn already. The difference then fades.
func (c *Client[S, I]) writeMover(r *replica, m *scriptedMover, t Tick) {
	start, end := m.path(t), m.path(t.Add(1))
	if c.appear(r, start, end) {
		return
	}
	if i := c.interpolator(); c.matchNews && r.shown && i != nil && start != c.transforms.Get(r.entity).Get() {
		i.CorrectGently(r.entity, start, end, easeSlow, easeFast)
		return
	}
	c.writePose(r, end, !r.shown)
}
