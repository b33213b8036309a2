package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
)

// The other files of the client report facts to the functions below. Each does nothing while there
// is no log. Events hold the engine's times, ticks and values of the client only, so the exact
// rerun of a capture writes the same log.

// longFrame is the length beyond which a frame without a step is in the log, too.
const longFrame = 33 * time.Millisecond

// watch is what a client with a log keeps between events.
type watch struct {
	log     *timeline.Log
	bodies  []watched     // the own player's, then those of Watch
	view    time.Duration // of a replay: the newest one in the log
	missed  int
	dropped time.Duration
}

// watched is a body whose timeline is written.
type watched struct {
	id     EntityID
	known  bool // a step has looked at it
	shown  bool // in the newest step
	parent EntityID
	jumped bool       // in the newest step
	placed bool       // at is known
	at     mgl32.Vec3 // the drawn position at the step's start, in the world
	since  time.Duration
	path   drawnPath
	drawn  timeline.Event // of this step
}

// Watch writes to a log why entities are drawn as they are, and why the own player is corrected,
// from now on. The own player, in a replay the one that is followed, is always among the entities.
// Other IDs take the place of those before, and Watch(nil) ends it. Watch a few entities: at 60
// ticks and 20 snapshots a second each writes 80 events a second, and the client with its own
// player 240.
//
// The log is written in the engine's Update. In a replay its times are those of the recording, as
// View returns them: a recording has no line, no prediction and no frames of its own, and a seek
// empties the log.
func (c *Client[S, I]) Watch(log *timeline.Log, ids ...EntityID) {
	c.watch = nil
	if log == nil {
		return
	}
	w := &watch{log: log, bodies: make([]watched, 1, 1+len(ids)), view: -1}
	for _, id := range ids {
		if id != NoEntity && w.find(id) == nil {
			w.bodies = append(w.bodies, watched{id: id})
		}
	}
	if c.engine != nil {
		w.dropped = c.engine.Time().Dropped
	}
	c.watch = w
}

// drawnPath is what the path of a step tells of jumps.
type drawnPath struct {
	at     mgl32.Vec3 // the drawn position at the next step's start, relative to the parent
	parent arche.Entity
	offset float32 // of a correction, which fades
	stands bool    // the path is a point
}

// jumps reports whether an entity was drawn elsewhere before a path, which does not lead there.
func (p drawnPath) jumps(before drawnPath) bool {
	return p.stands && p.offset == 0 && before.offset == 0 && p.parent == before.parent && p.at != before.at
}

// find returns a body that is watched, or nil.
func (w *watch) find(id EntityID) *watched {
	for i := range w.bodies {
		if b := &w.bodies[i]; b.id == id && id != NoEntity {
			return b
		}
	}
	return nil
}

// body adds an event of a body.
func (w *watch) body(b *watched, e timeline.Event) {
	e.Body = b.id
	if b == &w.bodies[0] {
		e.Flags |= timeline.Own
	}
	w.log.Add(e)
}

// watchOwn makes the own player's body the first one, and watches none twice.
func (c *Client[S, I]) watchOwn() {
	own, w := c.own, c.watch
	if w == nil {
		return
	}
	if c.replay != nil {
		own = c.followedID()
	}
	b := &w.bodies[0]
	if b.id == own {
		return
	}
	// A body of a player that had none appears. One in the place of another may have been there.
	before := b.id
	*b = watched{}
	if same := w.find(own); same != nil {
		*b, *same = *same, watched{}
	} else {
		*b = watched{id: own, known: before == NoEntity && c.seen(own) == nil, drawn: timeline.Event{C: -1}}
	}
}

// watchStatus reports the state of the connection.
func (c *Client[S, I]) watchStatus() {
	if c.watch != nil && c.engine != nil && c.replay == nil {
		c.watch.log.Add(timeline.Event{Kind: timeline.Connection, At: c.now(), N: uint32(c.status)})
	}
}

// watchSeek empties the log: the times of a replay go on from another moment.
func (c *Client[S, I]) watchSeek() {
	w := c.watch
	if w == nil {
		return
	}
	w.log.Clear()
	w.view = -1
	for i := range w.bodies {
		w.bodies[i] = watched{id: w.bodies[i].id}
	}
}

// watchSnapshot reports the arrival of a snapshot.
func (c *Client[S, I]) watchSnapshot(arrived, edge time.Duration, number uint32) {
	if c.watch == nil {
		return
	}
	e := timeline.Event{Kind: timeline.Snapshot, At: arrived, Server: edge, N: number, A: c.lateness(arrived, edge)}
	if c.clocks.Synced() {
		e.B = seconds32(c.clocks.Reference().At(arrived) - edge)
	}
	c.watch.log.Add(e)
}

// lateness returns how long after the fastest packets something of a moment has arrived, in
// seconds.
func (c *Client[S, I]) lateness(arrived, edge time.Duration) float32 {
	return seconds32(arrived - edge - c.playback.Transit())
}

func seconds32(d time.Duration) float32 { return float32(d.Seconds()) }

// watchSample reports a body's state in a snapshot.
func (c *Client[S, I]) watchSample(r *replica, s *snapshot.State, stamp, now time.Duration) {
	if c.watch == nil {
		return
	}
	if b := c.watch.find(r.id); b != nil {
		e := timeline.Event{Kind: timeline.Sample, At: now, Server: stamp - max(s.Age, 0), N: uint32(c.grid.Index(stamp))}
		if e.B = seconds32(e.Server - c.viewTime); c.replay == nil {
			e.A = c.lateness(now, stamp)
		}
		c.watch.body(b, e)
	}
}

// watchHold reports that a body is known to stand still.
func (c *Client[S, I]) watchHold(r *replica, now time.Duration) {
	if c.watch == nil {
		return
	}
	if b := c.watch.find(r.id); b != nil {
		c.watch.body(b, timeline.Event{Kind: timeline.Hold, At: now, Server: r.newest.Time})
	}
}

// watchState reports a state of the own player that has been compared with the prediction.
func (c *Client[S, I]) watchState(t Tick, fix *prediction.Correction[S]) {
	if c.watch == nil || fix.Outcome == prediction.Stale {
		return
	}
	e := timeline.Event{Kind: timeline.State, At: c.now(), Server: c.edgeOf(t), N: uint32(fix.Depth), A: float32(fix.Error), Flags: timeline.Own}
	if fix.Outcome != prediction.Confirmed {
		e.Flags |= timeline.Corrected
	}
	c.watch.log.Add(e)
}

// watchMispredicted reports a correction of a predicted body.
func (c *Client[S, I]) watchMispredicted(id EntityID, by float64) {
	if c.watch == nil {
		return
	}
	if b := c.watch.find(id); b != nil {
		c.watch.body(b, timeline.Event{Kind: timeline.Mispredicted, At: c.now(), A: float32(by)})
	}
}

// watchClockJump reports that the own clock was set.
func (c *Client[S, I]) watchClockJump(ticks int) {
	if c.watch != nil {
		c.watch.log.Add(timeline.Event{Kind: timeline.ClockJump, At: c.now(), N: uint32(int32(ticks))})
	}
}

// watchFrame reports a frame of this machine.
func (c *Client[S, I]) watchFrame() {
	w := c.watch
	if w == nil {
		return
	}
	t := c.engine.Time()
	if c.stats.Missed > w.missed {
		w.log.Add(timeline.Event{Kind: timeline.Missed, At: t.Real, N: uint32(c.stats.Missed)})
	}
	dropped := t.Dropped - w.dropped
	w.missed, w.dropped = c.stats.Missed, t.Dropped
	if t.Steps == 0 && t.RealDelta <= longFrame && dropped == 0 {
		return
	}
	e := timeline.Event{Kind: timeline.Frame, At: t.Real, A: seconds32(t.RealDelta), B: seconds32(dropped), N: uint32(t.Steps)}
	if c.status == Playing {
		e.C, e.D, e.M = seconds32(c.stats.Lead), float32(c.stats.Stretch), uint16(c.stats.Redundancy)
	}
	w.log.Add(e)
}

// watchBegin looks at the bodies before a step changes them.
func (c *Client[S, I]) watchBegin() {
	if c.watch == nil {
		return
	}
	c.watchOwn() // of a replay, or gone
	start := c.engine.Time().StepStart
	for i := range c.watch.bodies {
		b := &c.watch.bodies[i]
		b.drawn = timeline.Event{Kind: timeline.Drawn, C: -1}
		r := c.seen(b.id)
		if !b.shown || r == nil || !c.has(r.entity) {
			b.placed = false
			continue
		}
		at, path := c.drawnAt(r.entity, start)
		// The game itself has let its player jump, as through a portal.
		if i == 0 && c.replay == nil && b.placed && !b.jumped && path.jumps(b.path) {
			b.jumped = true
			c.watch.body(b, timeline.Event{Kind: timeline.Teleported, At: c.now(), Server: c.viewpoint.delayed})
		}
		if b.placed && !b.jumped && start > b.since {
			b.drawn.C = at.Sub(b.at).Len() / seconds32(start-b.since)
		}
		b.drawn.B = path.offset
		b.placed, b.at, b.since, b.jumped, b.path = true, at, start, false, path
	}
}

// drawnAt returns where an entity is drawn at the start of this step, in the world, and by which
// path.
func (c *Client[S, I]) drawnAt(e arche.Entity, start time.Duration) (at mgl32.Vec3, path drawnPath) {
	pose := c.transforms.Get(e).Get()
	path.parent = c.parentOf(e)
	if i := c.interpolator(); i != nil && i.HasSamples(e) {
		if drawn, ok := i.At(e, start); ok {
			s, _ := i.Samples(e)
			pose, path.offset, path.stands = drawn, drawn.Position.Sub(s.To.Position).Len(), s.From == s.To
		}
	}
	path.at = pose.Position
	if c.living.Alive(path.parent) && c.transforms.Has(path.parent) {
		pose = c.worldPose(path.parent).Mul(pose)
	}
	return pose.Position, path
}

// watchShown reports how a replica's samples gave its pose in this step.
func (c *Client[S, I]) watchShown(r *replica, info *interp.Info, starved bool) {
	if c.watch == nil {
		return
	}
	b := c.watch.find(r.id)
	if b == nil {
		return
	}
	d := &b.drawn
	d.A = seconds32(info.Extrapolated)
	d.B += info.Offset
	if !r.despawn.any {
		d.Flags |= timeline.Sampled
	}
	if starved {
		d.Flags |= timeline.Starved
		if info.Held {
			d.Flags |= timeline.Held
		}
	}
}

// watchJump reports that a replica's pose has jumped in this step.
func (c *Client[S, I]) watchJump(r *replica) {
	if c.watch == nil {
		return
	}
	if b := c.watch.find(r.id); b != nil {
		b.jumped = true
	}
}

// watchEnd reports the view and the bodies at the end of a step, which is a real time. predicted is
// the tick of the own player.
func (c *Client[S, I]) watchEnd(real time.Duration, predicted Tick) {
	w := c.watch
	if w == nil || !c.viewpoint.any {
		return
	}
	view := c.viewpoint.delayed
	if c.replay != nil {
		if view <= w.view { // the end of the recording: the picture stands
			return
		}
		w.view = view
	} else {
		behind := c.playback.Transit()
		w.log.Add(timeline.Event{Kind: timeline.View, At: real, Server: view, A: seconds32(real - view - behind), B: seconds32(c.playback.Behind() - behind), C: float32(c.playback.Rate())})
	}
	for i := range w.bodies {
		b := &w.bodies[i]
		r := c.seen(b.id)
		shown := r != nil && c.has(r.entity)
		if shown != b.shown && b.known {
			kind := timeline.Ended
			if shown {
				kind = timeline.Spawned
			}
			w.body(b, timeline.Event{Kind: kind, At: real, Server: view})
		}
		was := b.shown
		b.known, b.shown = b.id != NoEntity, shown
		if !shown {
			b.parent = NoEntity
			continue
		}
		if r.attachedTo != b.parent {
			b.parent = r.attachedTo
			w.body(b, timeline.Event{Kind: timeline.Parent, At: real, Server: view, N: uint32(b.parent)})
		}
		if b.jumped && was {
			w.body(b, timeline.Event{Kind: timeline.Teleported, At: real, Server: view})
		}
		d := b.drawn
		d.Kind, d.At, d.Server = timeline.Drawn, real, c.viewpoint.view(r.timing)
		if c.replay == nil && (c.bodies != nil && c.bodies.drawn(b.id) || c.protocol.movers[r.archetype] != nil || r.id == c.own && d.Flags&timeline.Sampled == 0) {
			d.Flags |= timeline.Predicted
			d.Server = c.edgeOf(predicted.Add(1))
		}
		w.body(b, d)
	}
}
