package netcode

import (
	"cmp"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

// other is another player that may touch predicted bodies.
type other struct {
	id       EntityID
	distance float32 // from the own player; less for one that is predicted already
	stays    bool
}

const (
	maxOthers = 8
	// releaseAfter is after how many seconds without a record another player's input counts as
	// neutral.
	releaseAfter = 0.5
)

// othersConfig returns the prediction of other players, which is that of the own one.
func (b *bodiesClient[S, I, B]) othersConfig() prediction.Others[S, I] {
	game := &b.c.protocol.game
	hold := int(releaseAfter * float64(b.c.protocol.TickRate()))
	return prediction.Others[S, I]{
		Step: game.Step, Tolerance: b.config.Tolerance, Max: maxOthers,
		Distance: func(a, b S) float64 { return float64(game.Pose(a).Position.Sub(game.Pose(b).Position).Len()) },
		Guess: func(last I, ticks int) I {
			switch {
			case ticks > hold:
				return game.Rules.Neutral
			case game.Rules.Repeat != nil:
				return game.Rules.Repeat(last)
			}
			return last
		},
	}
}

// addOthers predicts the other players that are near, and ends the prediction of those that are not
// near any more.
func (b *bodiesClient[S, I, B]) addOthers(newest Tick) {
	if b.config.ProxyState == nil {
		return
	}
	b.lookAround()
	b.others = slices.DeleteFunc(b.others, func(o other) bool {
		gone := !o.stays || !b.note(o.id, newest)
		if gone {
			b.bodyGroup.Others.Remove(o.id)
		}
		return gone
	})
}

// lookAround decides which other players are predicted: the nearest.
func (b *bodiesClient[S, I, B]) lookAround() {
	for i := range b.others {
		b.others[i].stays = false
	}
	c := b.c
	eye, ok := c.eye()
	if !ok || len(b.active) == 0 {
		return
	}
	b.near = b.near[:0]
	for r := range c.present {
		if r.id == c.own || r.owner == 0 || r.owner == c.welcomed.player || r.parent != NoEntity || b.has(r.archetype) {
			continue
		}
		if _, plays := b.inputs.Get(c.decoder, r.id); !plays {
			continue
		}
		s, _, ok := c.decoder.State(r.id)
		d := s.Position.Sub(eye).Len()
		if b.other(r.id) != nil {
			d /= 1.2
		}
		if ok && d <= b.config.Leave {
			b.near = append(b.near, other{id: r.id, distance: d, stays: true})
		}
	}
	slices.SortStableFunc(b.near, func(x, y other) int { return cmp.Compare(x.distance, y.distance) })
	for _, n := range b.near[:min(len(b.near), maxOthers)] {
		if o := b.other(n.id); o != nil {
			o.stays = true
		} else {
			b.others = append(b.others, n)
		}
	}
}

func (b *bodiesClient[S, I, B]) other(id EntityID) *other {
	if i := slices.IndexFunc(b.others, func(o other) bool { return o.id == id }); i >= 0 {
		return &b.others[i]
	}
	return nil
}

// note applies the newest state of another player, and reports whether it is a player at all.
func (b *bodiesClient[S, I, B]) note(id EntityID, newest Tick) bool {
	s, at, ok := b.c.decoder.State(id)
	r := b.c.replica(id)
	if !ok || r == nil {
		return false
	}
	known, in := b.bodyGroup.Others.Known(id)
	if silent := newest.Add(-b.silence()); s.AtRest && silent.IsNewer(at) {
		at = silent // as with bodies: without a record its state still holds
	}
	if in && !at.IsNewer(known) {
		return true
	}
	last, _ := b.inputs.Get(b.c.decoder, id)
	state, ok := b.config.ProxyState(Replicated{Archetype: r.archetype, Owner: r.owner, ID: r.id}, poseOf(s.Position, s.Rotation, s.Scale.Vec3()), s.Velocity, last)
	if !ok {
		return false
	}
	return b.bodyGroup.NoteOther(id, r.owner, at, state, last) || in
}
