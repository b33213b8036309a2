package netcode

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// replica is a replicated entity on a client.
type replica struct {
	id         EntityID
	entity     arche.Entity
	archetype  uint16
	owner      uint16
	method     interp.Kind
	timing     interp.Timing // of samples
	samples    interp.Interpolator
	parent     EntityID // in the newest record; Parent follows when the view reaches that
	attachedTo EntityID // the replica that its Parent component names
	children   int      // replicas whose Parent is this one
	settled    bool     // its resting pose is written
	rested     bool     // it was settled until the newest sample arrived
	jumped     uint8    // by how much it is more than what the present server counts
	counter    uint8    // its discontinuities when it settled or became an orphan
	shown      bool     // a pose has been written
	unspawned  bool     // its entity is made when the view reaches its spawn
	born       components.Pose3D
	changedAt  time.Duration   // moment of its newest record
	holds      time.Duration   // moment of the newest change that is applied
	changes    []delayedChange // not applied yet
	despawn    delayedDespawn  // set when the server has removed it
	orphan     bool            // its parent is removed, and its view has not reached another frame

	newest  interp.Sample // of those pushed; valid with sampled
	sampled bool
	bridges [4]crossing // the newest first, which the view has not reached
	hops    bool        // in this step: it goes on from where it was drawn, in another frame
	cargo   bool        // to or from the own player
	flight  flight      // nil: no shot
	// In a replay by a player's eyes: the share of the way from the view to the present at which it
	// is drawn.
	ahead float32
}

func (c *Client[S, I]) replica(id EntityID) *replica {
	if id == NoEntity || id.Slot() >= len(c.replicas) || c.replicas[id.Slot()].id != id {
		return nil
	}
	return &c.replicas[id.Slot()]
}

// reach makes the replicas long enough for a slot. Every step visits all of them, so they are no
// longer than that.
func (c *Client[S, I]) reach(slot int) {
	c.replicas = c.replicas[:max(len(c.replicas), slot+1)]
}

// present iterates over the replicas in slots.
func (c *Client[S, I]) present(yield func(r *replica) bool) {
	for i := range c.replicas {
		if r := &c.replicas[i]; r.id != NoEntity && !yield(r) {
			return
		}
	}
}

// apply applies a snapshot: spawns and despawns, delayed changes, and one more sample of each
// replica's pose.
func (c *Client[S, I]) apply(snap snapshot.Snapshot, now time.Duration) {
	stamp := c.edgeOf(snap.Tick)
	for i := range snap.Changes {
		ch := &snap.Changes[i]
		if ch.Replaces != NoEntity {
			c.despawn(ch.Replaces, stamp, now)
		}
		if ch.Op == snapshot.Removed {
			c.despawn(ch.ID, stamp, now)
			continue
		}
		c.reach(ch.ID.Slot())
		r := c.replica(ch.ID)
		if ch.Op == snapshot.Spawned {
			if old := &c.replicas[ch.ID.Slot()]; old.despawn.any {
				c.delayDespawn(old)
			} else {
				c.removeReplica(old.id)
			}
			r = c.enter(ch)
		}
		moment := c.receiveShot(r, ch, snap.Tick, stamp)
		if r == nil || !r.unspawned && !c.has(r.entity) {
			continue
		}
		c.delay(r, ch, moment)
		// A keyframe says again what is known. In a replay that must not alter the picture.
		again := c.replay != nil && !ch.Moved && !ch.Late
		if (r.flight == nil || !r.flight.byPath()) && !again {
			c.watchSample(r, &ch.State, stamp, now)
			c.push(r, ch.State, ch.Parent, stamp, now)
		}
	}
	c.holdAll(now)
}

// edgeOf returns the moment of the server's clock at which a recent tick begins.
func (c *Client[S, I]) edgeOf(t Tick) time.Duration {
	return c.grid.Edge(c.index(t))
}

// push adds a record's pose to a replica's samples. The frame is part of the sample. So a pose is
// only shown in its own frame, regardless of the delay, the number and the order of the records.
func (c *Client[S, I]) push(r *replica, s snapshot.State, parent EntityID, stamp, now time.Duration) {
	config := c.protocol.schema.Config()
	sample := interp.Sample{
		Time: stamp, Age: s.Age, Position: s.Position, Rotation: s.Rotation, Velocity: s.Velocity, Angular: s.Angular,
		Scale: s.Scale.Vec3(), Has: interp.HasScale,
		Discontinuity: s.Discontinuity + r.jumped, Frame: uint32(parent), AtRest: s.AtRest,
	}
	if config.Velocity.Max > 0 {
		sample.Has |= interp.HasVelocity
	}
	if config.Angular.Max > 0 {
		sample.Has |= interp.HasAngularVelocity
	}
	if r.settled {
		// The view of a settled replica was right up to now. Sampling it here makes a sample from
		// before the view fade in, like any other late one.
		r.settled = false
		if at := c.viewpoint; at.any {
			r.samples.At(at.now, r.moment(at))
		}
	}
	if r.sampled && r.newest.AtRest && stamp > c.whole { // it has stood still up to c.whole
		c.hold(r, now)
	}
	c.bridge(r, sample, now)
	r.samples.Push(now, sample)
	if !r.sampled || sample.Time > r.newest.Time {
		r.newest, r.sampled = sample, true
	}
	if r.despawn.any && r.children == 0 {
		r.stay(now)
	}
}

// stay makes a replica that gets no more records stand still at its newest sample: its way beyond
// that is not known.
func (r *replica) stay(now time.Duration) {
	if r.sampled {
		s := r.newest
		s.Time, s.AtRest = s.Time+1, true
		r.samples.Push(now, s)
	}
}

// setInterpolation gives a replica an empty interpolator of a kind.
func (c *Client[S, I]) setInterpolation(r *replica, kind interp.Kind) {
	r.method = kind
	config := interp.Config{Interval: time.Second / time.Duration(max(c.welcomed.rate, 1))}
	if c.replay != nil { // a recording has every tick, and a player's view may be far behind
		config.Capacity = 2 * maxSeenAge * c.protocol.TickRate()
	}
	r.samples = c.config.Interpolators(kind, config)
	r.timing = r.samples.Timing()
}

// enter puts a new replica into its slot. Its entity is made when the view reaches its spawn.
func (c *Client[S, I]) enter(ch *snapshot.Change) *replica {
	r := &c.replicas[ch.ID.Slot()]
	*r = replica{
		id: ch.ID, archetype: ch.Kind, owner: ch.Owner,
		unspawned: true, born: poseOf(ch.State.Position, ch.State.Rotation, ch.State.Scale.Vec3()),
	}
	c.setInterpolation(r, c.config.Interpolation)
	c.stats.Replicas++
	return r
}

func (c *Client[S, I]) removeReplica(id EntityID) {
	r := c.replica(id)
	if r == nil {
		return
	}
	if c.own == id {
		c.own = NoEntity
	}
	if c.bodies != nil {
		c.bodies.forget(id)
	}
	c.orphan(r)
	if !r.despawn.any {
		c.stats.Replicas--
	}
	removed := *r
	*r = replica{}
	c.finish(&removed)
}

// forget removes all replicas: the next session sends them anew.
func (c *Client[S, I]) forget() {
	for r := range c.present {
		c.removeReplica(r.id)
	}
	c.replicas = c.replicas[:0]
	for i := range c.delayedDespawns {
		c.finish(&c.delayedDespawns[i])
	}
	clear(c.delayedDespawns)
	c.delayedDespawns = c.delayedDespawns[:0]
}

// step runs in every fixed step, before gameplay. It receives datagrams, steps the own player, and
// moves every other replica to its drawn pose at the end of the step.
func (c *Client[S, I]) step() {
	now := c.now()
	c.watchBegin()
	c.receiveDatagrams(now)
	c.stepVisits(now)
	if c.status != Playing {
		c.sendVisit(now)
		return
	}
	c.settle()
	t := c.engine.Time()
	real := now + t.StepEnd - t.Normal
	predicted := Tick(0)
	synced := c.clocks.Synced()
	if synced {
		real, _ = c.clocks.Playback(t.StepEnd)
		predicted = c.clocks.Tick(t.Tick)
	}
	c.playback.Update(now)
	shown := c.viewTime // of the view when this step begins
	view, seen := c.playback.View(real)
	c.despawnDue(viewpoint{any: seen, now: now, delayed: shown})
	c.applyDue(viewpoint{any: seen, now: now, delayed: view})
	if seen {
		// When the player acts, the player sees the view of the step before.
		c.view, c.viewNext = c.viewNext, 0
		c.viewTime = view
		k := c.grid.Index(view)
		edge := c.grid.Edge(k)
		c.viewNext = k<<viewBits | int64(view-edge)*(1<<viewBits)/int64(max(c.grid.Edge(k+1)-edge, 1))
	}
	if synced && c.hasState {
		c.predict(predicted)
		c.showShots(predicted.Add(1))
		if rateDue(t.Tick, c.config.ActionRate, c.protocol.TickRate()) || c.endpoint.Due(now) > 0 {
			// messages do not wait for inputs
			c.send(now)
			c.sendVisit(now)
		}
	} else {
		c.send(now)
		c.sendVisit(now)
	}
	present := view
	if synced {
		_, present = c.clocks.Playback(t.StepEnd)
	}
	c.drawReplicas(viewpoint{seen, now, view, present}, shown, predicted, synced)
	c.watchEnd(real, predicted)
	c.matchNews = false
}
