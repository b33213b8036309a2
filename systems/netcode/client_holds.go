package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// A body that is awake but stays within its quantum is not sent, so its samples end with its last
// change. The path to its next change would begin there, which may be long ago, and leave the place
// where the body stands too early or in the wrong direction. So what is known to have stood gets
// hold samples: its newest one once more, at rest, at the moment up to which its silence is known
// to mean that.

// stands is how long a body whose last state has a velocity must have been silent to count as one
// that stands: one that is so slow that it crosses no quantum between two snapshots moves on.
const stands = 100 * time.Millisecond

// holdAll takes over up to which moment silence is known to mean standing still, and gives a hold
// sample to each replica that has begun to stand. The next one follows when it moves again.
func (c *Client[S, I]) holdAll(now time.Duration) {
	at, ok := c.decoder.Whole()
	if !ok {
		return
	}
	whole := c.grid.Edge(c.newestOf(at))
	if whole <= c.whole {
		return
	}
	c.whole = whole
	for i := range c.replicas {
		r := &c.replicas[i]
		if r.id == NoEntity || !r.sampled || r.newest.AtRest || r.despawn.any {
			continue
		}
		last := &r.newest
		moves := last.Has&interp.HasVelocity == 0 || last.Velocity != mgl32.Vec3{} || last.Angular != mgl32.Vec3{}
		if !moves || whole-last.Time >= stands {
			c.hold(r, now)
		}
	}
}

// hold adds a hold sample to a replica that stands. The players of a server that runs inputs on
// arrival have none: how old their states are changes without news.
func (c *Client[S, I]) hold(r *replica, now time.Duration) {
	if c.whole <= r.newest.Time || c.welcomed.arrival && r.owner != 0 {
		return
	}
	r.newest.Time, r.newest.AtRest = c.whole, true
	r.newest.Velocity, r.newest.Angular = mgl32.Vec3{}, mgl32.Vec3{}
	r.samples.Push(now, r.newest)
}
