package netcode

import "github.com/tandem-ecs/tandem/systems/netcode/internal/packet"

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
