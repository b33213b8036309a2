package netcode

import (
	"cmp"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

// maxSilence is the default of ClientConfig.MaxSilence for inputs on ticks.
const maxSilence = 500 * time.Millisecond

// fewSnapshots is how many intervals between two snapshots a silence spans before it counts.
// Seldom snapshots and a few losses are no silence.
const fewSnapshots = 4

// outage is the client's view of an outage, in one direction or in both. During one each end lets
// go: it runs the neutral input. The server has done so when it has repeated the last input often
// enough, and reports that. A way up that is cut is known only by this report.
type outage struct {
	packetAt time.Duration // when the last packet of the session arrived
	missed   int           // ticks in a row without an input, as the server reports
	letGo    bool          // the neutral input runs in the place of the player's
	since    Tick          // the first tick of those
}

// silence returns how long no packet of the session has been taken in.
func (c *Client[S, I]) silence(now time.Duration) time.Duration {
	if c.endpoint == nil {
		return 0
	}
	return max(now-c.outage.packetAt, 0)
}

// input returns the input of a tick: the player's, or the neutral one during an outage.
func (c *Client[S, I]) input(t Tick) I {
	if c.cutOff(c.now()) {
		if !c.outage.letGo {
			c.outage.letGo, c.outage.since = true, t
		}
		return c.protocol.game.Rules.Neutral
	}
	c.outage.letGo = false
	if in := c.config.Input(t); prediction.Comparable(in) {
		return in
	}
	return c.protocol.game.Rules.Neutral
}

// cutOff reports whether the own player is not steered, because of an outage.
func (c *Client[S, I]) cutOff(now time.Duration) bool {
	if c.config.MaxSilence < 0 {
		return false
	}
	few := fewSnapshots * c.stats.Interval
	if c.welcomed.arrival { // the server makes no input up, and reports none as missed
		few = max(few, fewSnapshots*time.Second/time.Duration(c.config.ActionRate))
		return now-min(c.outage.packetAt, c.ackedAt) > max(few, cmp.Or(c.config.MaxSilence, maxCredit))
	}
	return now-c.outage.packetAt > max(few, cmp.Or(c.config.MaxSilence, maxSilence)) || c.outage.missed >= prediction.MaxRepeats
}

// unsettled reports whether the server's newest state is from the part of an outage in which the
// server had let go and this end had not yet. Each such state differs from the prediction by more
// than the one before. The correction waits until both have let go, or the outage has ended: then
// one is enough.
func (c *Client[S, I]) unsettled() bool {
	o, u := &c.outage, &c.ownUpdate
	if o.missed < prediction.MaxRepeats || c.config.MaxSilence < 0 || u.jumps != c.jumps || c.correct.jump {
		return false
	}
	return !o.letGo || !u.at.IsNewer(o.since)
}
