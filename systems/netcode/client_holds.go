package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// A body that is awake but stays within its quantum is not sent, so its samples end with its last
// change. The path to its next change would begin there, which may be long ago. It would leave the
// place where the body stands too early or in the wrong direction. So a body that has certainly
// stood still gets a hold sample: its newest sample once more, at rest, at the newest moment up to
// which the absence of changes is known to mean standing still.

// stands is how long a body whose last state has a velocity must have had no record to count as
// standing still. A body so slow that it crosses no quantum between two snapshots moves on.
const stands = 100 * time.Millisecond

// holdAll reads up to which moment the states of all replicas are known, and gives a hold sample to
// each replica that has begun to stand still. The next one follows when it moves again.
func (c *Client[S, I]) holdAll(now time.Duration) {
	at, ok := c.decoder.Whole()
	if r := c.replay; r != nil {
		at, ok = r.whole, r.complete // by the recorder's knowledge
	}
	if !ok {
		return
	}
	whole := c.edgeOf(at)
	if whole <= c.whole {
		return
	}
	c.whole = whole
	for r := range c.present {
		if !r.sampled || r.newest.AtRest || r.despawn.any {
			continue
		}
		last := &r.newest
		moves := last.Has&interp.HasVelocity == 0 || last.Velocity != mgl32.Vec3{} || last.Angular != mgl32.Vec3{}
		// A recording has every tick that was received: a body without a record has not crossed a
		// quantum since.
		if !moves || c.replay != nil || whole-last.Time >= stands {
			c.hold(r, now)
		}
	}
}

// hold adds a hold sample to a replica that stands still. Players get none if the server runs
// inputs on arrival: the age of their states changes without a record.
func (c *Client[S, I]) hold(r *replica, now time.Duration) {
	if c.whole <= r.newest.Time || c.welcomed.arrival && r.owner != 0 {
		return
	}
	r.newest.Time, r.newest.AtRest = c.whole, true
	r.newest.Velocity, r.newest.Angular = mgl32.Vec3{}, mgl32.Vec3{}
	r.samples.Push(now, r.newest)
	c.watchHold(r, now)
}
