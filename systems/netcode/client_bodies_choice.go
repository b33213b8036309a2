package netcode

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// choose lets in who has come near and sends away who is far.
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
		if state, in := b.bodyGroup.State(uint32(a.id)); in {
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
		for i := range c.replicas {
			r := &c.replicas[i]
			if r.id == NoEntity || r.id == c.own || !b.has(r.archetype) || r.parent != NoEntity || r.attachedTo != NoEntity || r.despawn.any || !r.unspawned && !c.has(r.entity) || b.find(r.id) != nil {
				continue
			}
			told, tick, ok := c.decoder.State(r.id)
			d := told.Position.Sub(eye).Len()
			if r.id == carrier { // without it nobody knows where he is, however large it is
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
		if !b.bodyGroup.Add(uint32(best), r.archetype, at, state) {
			return
		}
		if c.applyAll(r); !c.has(r.entity) { // the game does not show it
			b.bodyGroup.Remove(uint32(best))
			return
		}
		pose := c.logical(r.entity).Get()
		b.active = append(b.active, activeBody{id: best, jumps: s.Discontinuity, seen: pose, seenLast: pose})
	}
}

// makeRoom sends away the farthest at once.
func (b *bodiesClient[S, I, B]) makeRoom(eye mgl32.Vec3) {
	farthest, most := 0, float32(-1)
	for i := range b.active {
		if state, in := b.bodyGroup.State(uint32(b.active[i].id)); in {
			if d := b.config.Pose(state).Position.Sub(eye).Len(); d > most {
				farthest, most = i, d
			}
		}
	}
	b.dismiss(&b.active[farthest])
	b.active = slices.Delete(b.active, farthest, farthest+1)
}

// makeSpace sends away the farthest, but never what carries the own player, if it is clearly farther
// than one who has no place.
func (b *bodiesClient[S, I, B]) makeSpace(eye mgl32.Vec3, near float32) {
	farthest, most, carrier := -1, near*1.25, b.baseID()
	for i := range b.active {
		a := &b.active[i]
		if a.leaving { // there will be a place soon
			return
		}
		if state, in := b.bodyGroup.State(uint32(a.id)); in && a.id != carrier {
			if d := b.config.Pose(state).Position.Sub(eye).Len(); d > most {
				farthest, most = i, d
			}
		}
	}
	if farthest >= 0 {
		b.active[farthest].leaving = true
	}
}

// A body that another player pushes is seen at his time, as he is: predicted, it would run away
// before he is seen to touch it, and from where he will not have pushed it. It is predicted all the
// same, for the own player may run into it. So it is drawn as predicted from when he is nearly as
// near to it.
const (
	farther = 1.6 // times as far as another player is the own one from a body that is given up,
	nearer  = 1.3 // and from one that is taken back
)

// share decides whose the bodies are: in whose time they are drawn.
func (b *bodiesClient[S, I, B]) share() {
	eye, ok := b.c.eye()
	carrier := b.baseID()
	for i := range b.active {
		a := &b.active[i]
		state, in := b.bodyGroup.State(uint32(a.id))
		if !ok || !in {
			continue
		}
		if a.id == carrier { // he is in its frame, and his time is his
			a.theirs = false
			continue
		}
		at := b.config.Pose(state).Position
		factor := float32(farther)
		if a.theirs {
			factor = nearer
		}
		mine := at.Sub(eye).Len()
		a.theirs = b.carriesOwn(a.id)
		for k := range b.others {
			if s, ok := b.bodyGroup.Other(uint32(b.others[k].id)); ok && b.c.protocol.game.Pose(s).Position.Sub(at).Len()*factor < mine {
				a.theirs = true
			}
		}
	}
}

// carrier returns the body that carries the own player, as the server has told last or else as he
// is predicted; None if none does.
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

// ridden reports whether others stand on a body.
func (b *bodiesClient[S, I, B]) carriesOwn(id EntityID) bool {
	if b.c.protocol.game.MovementBase == nil {
		return false
	}
	for i := range b.c.replicas {
		if r := &b.c.replicas[i]; r.id != NoEntity && r.parent == id && r.owner != 0 && r.id != b.c.own {
			return true
		}
	}
	return false
}
