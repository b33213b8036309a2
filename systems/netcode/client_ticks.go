package netcode

import "github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"

// Tick returns the server's tick that the newest step has simulated, and whether there is one: the
// clocks of a connection run from its third ping on. It is the tick of the own player's input, of
// scripted movers and of predicted bodies: after an Update the picture shows them on their way from
// that tick to the next. In a replay it is the tick that is shown.
//
// The engine's own ticks are others: they begin at 0 with the process, wherever the server is.
func (c *Client[S, I]) Tick() (t Tick, ok bool) { return c.simulated, c.simulates }

// ViewTick returns the tick in which others are shown when the newest step ends, the one of
// [Client.View], and whether others are shown. It is about a round trip before [Client.Tick]. In a
// replay without a player's eyes it is the tick that is shown.
func (c *Client[S, I]) ViewTick() (t Tick, ok bool) {
	return c.grid.Tick(c.grid.Index(c.viewTime)), c.viewpoint.any
}

// drawnTick returns the tick of [MatchState.Now].
func (c *Client[S, I]) drawnTick() Tick {
	if t, ok := c.Tick(); ok {
		return t
	}
	return c.grid.Tick(c.newest)
}

// index returns a recent tick of the server in 64 bits, so that its time does not wrap.
func (c *Client[S, I]) index(t Tick) int64 {
	near := c.newest
	if near == c.floor { // the first one may be 2^31 later
		near += 1 << 30
	}
	return clocksync.Unwrap(t, near)
}
