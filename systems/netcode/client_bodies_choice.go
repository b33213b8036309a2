package netcode

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// choose adds bodies that are near now, and removes those that are far.
func (b *bodiesClient[S, I, B]) choose(newest Tick) {
	c := b.c
	eye, ok := c.eye()
	if !ok || c.config.WithoutPrediction {
		for i := range b.active {
			b.active[i].leaving = true
		}
		return
	}
	carrier := b.baseID()
	for i := range b.active {
		a := &b.active[i]
		if state, in := b.bodyGroup.State(a.id); in {
			switch d := b.config.Pose(state).Position.Sub(eye).Len(); {
			case a.id == carrier:
				a.leaving = false
			case !(d <= b.config.Leave):
				a.leaving = true
			case d <= b.config.Near:
				a.leaving = false
			}
		}
	}
	for {
		near, best := b.config.Near, NoEntity
		var state B
		var s snapshot.State
		var at Tick
		for r := range c.present {
			if r.id == c.own || !b.has(r.archetype) || r.parent != NoEntity || r.attachedTo != NoEntity || r.despawn.any || !r.unspawned && !c.has(r.entity) || b.find(r.id) != nil {
				continue
			}
			told, tick, ok := c.decoder.State(r.id)
			d := told.Position.Sub(eye).Len()
			if r.id == carrier { // the own player's pose depends on it, at any distance
				d = -1
			}
			if !ok || !(d <= near) {
				continue
			}
			if candidate, ok := b.authority(r.id, &told); ok {
				near, best, state, s, at = d, r.id, candidate, told, tick
			}
		}
		if best == NoEntity {
			return
		}
		if len(b.active) == cap(b.active) {
			if best != carrier {
				b.makeSpace(eye, near)
				return
			}
			b.makeRoom(eye)
		}
		if s.AtRest && newest.IsNewer(at) {
			at = newest
		}
		r := c.replica(best)
		if !b.bodyGroup.Add(best, r.archetype, at, state) {
			return
		}
		if c.applyAll(r); !c.has(r.entity) { // the game does not show it
			b.bodyGroup.Remove(best)
			return
		}
		pose := c.transforms.Get(r.entity).Get()
		b.active = append(b.active, activeBody{id: best, jumps: s.Discontinuity, seen: pose, seenLast: pose})
	}
}

// makeRoom removes the farthest body at once.
func (b *bodiesClient[S, I, B]) makeRoom(eye mgl32.Vec3) {
	farthest := max(b.farthest(eye, -1), 0)
	b.dismiss(&b.active[farthest])
	b.active = slices.Delete(b.active, farthest, farthest+1)
}

// makeSpace ends the farthest body, if it is clearly farther than one that found no room.
func (b *bodiesClient[S, I, B]) makeSpace(eye mgl32.Vec3, near float32) {
	for i := range b.active {
		if b.active[i].leaving { // there will be room soon
			return
		}
	}
	if farthest := b.farthest(eye, near*1.25); farthest >= 0 {
		b.active[farthest].leaving = true
	}
}

// farthest returns the index of the body that is farthest away, if that is more than a distance, or
// -1. It is never the own player's base.
func (b *bodiesClient[S, I, B]) farthest(eye mgl32.Vec3, most float32) int {
	farthest, carrier := -1, b.baseID()
	for i := range b.active {
		state, in := b.bodyGroup.State(b.active[i].id)
		if d := b.config.Pose(state).Position.Sub(eye).Len(); in && b.active[i].id != carrier && d > most {
			farthest, most = i, d
		}
	}
	return farthest
}

// A body that another player pushes is drawn in that player's time. Drawn as predicted, it would
// move before that player is shown to touch it. It is predicted all the same, because the own
// player may run into it. It is drawn as predicted as soon as the own player is nearly as near to
// it.
const (
	farther = 1.6 // a body is given up to another player that is nearer by this factor,
	nearer  = 1.3 // and taken back at a factor below this
)

// share decides in which player's time each body is drawn.
func (b *bodiesClient[S, I, B]) share() {
	eye, ok := b.c.eye()
	carrier := b.baseID()
	for i := range b.active {
		a := &b.active[i]
		state, in := b.bodyGroup.State(a.id)
		if !ok || !in {
			continue
		}
		if a.id == carrier { // the own player is in its frame
			a.theirs = false
			continue
		}
		at := b.config.Pose(state).Position
		factor := float32(farther)
		if a.theirs {
			factor = nearer
		}
		mine := at.Sub(eye).Len()
		a.theirs = b.carriesOthers(a.id)
		for k := range b.others {
			id := b.others[k].id
			if s, _ := b.bodyGroup.Others.State(id); b.bodyGroup.Others.Ready(id) && b.c.protocol.game.Pose(s.State).Position.Sub(at).Len()*factor < mine {
				a.theirs = true
			}
		}
	}
}

// baseID returns the body that carries the own player: in the predicted state, or else in the
// server's newest. None means that none does.
func (b *bodiesClient[S, I, B]) baseID() EntityID {
	carrier := b.c.protocol.game.MovementBase
	if carrier == nil || !b.c.predictor.Started() {
		return NoEntity
	}
	if by := carrier(b.c.predictor.State()).Body; by != NoEntity {
		return by
	}
	return carrier(b.c.ownUpdate.state).Body
}

// carriesOthers reports whether a body is the parent of other players.
func (b *bodiesClient[S, I, B]) carriesOthers(id EntityID) bool {
	if b.c.protocol.game.MovementBase == nil {
		return false
	}
	for r := range b.c.present {
		if r.parent == id && r.owner != 0 && r.id != b.c.own {
			return true
		}
	}
	return false
}
