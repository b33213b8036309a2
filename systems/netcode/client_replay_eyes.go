package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// A player does not see the others where they are on the server: its screen shows them at an older
// tick. The recording says at which one, as the player's claims do for [Player.Rewind]. By a
// player's eyes a replay draws as that client did: the player itself, its shots, scripted movers
// and the bodies near it at the tick shown, everything else at the view.

// eyesWindow is by how many ticks before and after a tick the view is smoothed. A claim has whole
// 16ths of a tick, and those of lost packets are missing. The mean over the window has less of both
// jitters, and no delay, since a recording has what comes later. What differs from the tick's own
// age by more than eyesCut, in 1/16 ticks, is another piece of the view, behind a jump.
const (
	eyesWindow = 4
	eyesCut    = 2 << viewBits
)

// followedPlayer is what a replay has of the player that is followed.
type followedPlayer[S any, I comparable] struct {
	now   playerTrack[S, I] // at the tick shown
	ahead playerTrack[S, I] // at the end of the window
	ages  [16]int64         // of the pictures, by tick, in 1/16 ticks; -1: not known
	until Tick              // ages are read up to here
	own   EntityID
}

// followPlayers prepares the tracks.
func (c *Client[S, I]) followPlayers() {
	track := func() playerTrack[S, I] {
		return playerTrack[S, I]{protocol: c.protocol, frames: frameReader{cursor: c.replay.tape.Cursor()}}
	}
	c.followed = &followedPlayer[S, I]{now: track(), ahead: track()}
}

// track returns what the recording has of players at the tick shown.
func (c *Client[S, I]) track() *playerTrack[S, I] {
	t := &c.followed.now
	t.to(c.replay.shown)
	return t
}

// followedID returns the entity of the player that is followed.
func (c *Client[S, I]) followedID() EntityID {
	if c.replay.follow == 0 {
		return NoEntity
	}
	return playerOf(c.track().players, c.replay.follow)
}

// seenView returns the moment at which the others are drawn at the tick shown: present, or when the
// player that is followed saw it. anew: the ticks before it were not shown.
func (c *Client[S, I]) seenView(present time.Duration, anew bool) time.Duration {
	r, f := c.replay, c.followed
	if !r.eyes {
		return present
	}
	if anew {
		f.until = r.shown.Add(-eyesWindow)
	}
	// The input that is made in front of the picture of a tick is that of the tick. It has run one
	// tick later.
	at := r.shown.Add(1)
	for last := at.Add(eyesWindow); last.IsNewer(f.until); {
		f.until++
		f.ahead.to(f.until)
		age := int64(-1)
		if seen, ok := f.ahead.inputs.of(r.follow); ok {
			age = seen.age
		}
		*f.age(f.until) = age
	}
	var sum, weights int64
	center := *f.age(at)
	for i := -eyesWindow; i <= eyesWindow; i++ {
		age := *f.age(at.Add(i))
		if off := age - center; age < 0 || center < 0 || off > eyesCut || off < -eyesCut {
			continue
		}
		weight := int64(eyesWindow + 1 - max(i, -i))
		sum, weights = sum+weight*age, weights+weight
	}
	if weights == 0 {
		return present
	}
	view := present - time.Duration(sum)*(time.Second>>viewBits)/time.Duration(weights*int64(c.protocol.TickRate()))
	// Nothing is known of before the keyframe behind a gap, or of before the recording.
	return min(max(view, c.grid.Edge(r.index+int64(r.floor.Sub(r.shown)))), present)
}

// age returns the place of a tick's age.
func (f *followedPlayer[S, I]) age(t Tick) *int64 { return &f.ages[t%Tick(len(f.ages))] }

// chooseMoments decides which replicas are drawn at the present, as on the client of the player
// that is followed. The others are drawn at the view.
func (c *Client[S, I]) chooseMoments(at viewpoint) {
	if !c.replay.eyes {
		return
	}
	f := c.followed
	own := c.followedID()
	if own != f.own { // another body: nothing moves from one moment to the other
		for _, id := range [...]EntityID{f.own, own} {
			if r := c.replica(id); r != nil {
				r.ahead, r.settled, r.shown = 0, false, false
			}
		}
		f.own = own
	}
	eye, sees := mgl32.Vec3{}, false
	if r := c.replica(own); r != nil && c.has(r.entity) {
		eye, sees = c.worldPose(r.entity).Position, true
	}
	for i := range len(c.replicas) + len(c.delayedDespawns) {
		r := c.replicaAt(i)
		switch {
		case r.id == NoEntity || r.flight == nil && r.id != own && r.ahead == 0 && c.protocol.bodies == nil:
		case r.id == own, r.flight != nil && r.flight.byPath() && r.owner == c.replay.follow && !c.welcomed.arrival:
			r.ahead = 1
		case r.flight == nil:
			c.fadeMoment(r, sees && c.nearBody(r, eye), at)
		}
	}
}

// nearBody reports whether the client of a player at a place predicts a body.
func (c *Client[S, I]) nearBody(r *replica, eye mgl32.Vec3) bool {
	b := c.protocol.bodies
	if b == nil || c.welcomed.arrival || !b.has(r.archetype) || r.parent != NoEntity {
		return false
	}
	reach := b.near
	if r.ahead > 0 {
		reach = b.leave
	}
	place := r.born.Position
	if !r.unspawned && c.has(r.entity) {
		place = c.worldPose(r.entity).Position
	}
	return place.Sub(eye).Len() <= reach
}

// fadeMoment moves a replica from the view to the present, or back. Its time then runs by at most a
// half faster or slower than it would.
func (c *Client[S, I]) fadeMoment(r *replica, near bool, at viewpoint) {
	target := float32(0)
	if near {
		target = 1
	}
	behind := at.undelayed - at.delayed
	switch {
	case r.ahead == target:
	case !r.shown || behind <= 0:
		r.ahead = target
	default:
		const steepest = 1.5 // of smooth
		step := 0.5 / steepest * float32(c.protocol.ticks.Step()) / float32(behind)
		r.ahead = min(max(target, r.ahead-step), r.ahead+step)
		r.settled = false // it rests at one of the two only
	}
}
