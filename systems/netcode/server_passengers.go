package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// Carrier names what carries a player: a mover or a body, not both. The zero value is nothing.
type Carrier struct {
	Mover uint16   // a kind that was given to SetMover; 0: none
	Body  EntityID // the ID of an entity of one of the kinds of Bodies; None: none
}

// carry makes his entity a child of what carries him, and returns his pose in its frame.
func (p *Player[S, I]) carry() components.Pose3D {
	s := p.server
	game := &s.protocol.game
	pose := game.Pose(p.State)
	if game.Carrier == nil || p.transform() == nil {
		return pose
	}
	by := game.Carrier(p.State)
	carrier := s.carrier(by)
	if by.Body != NoEntity && carrier.IsZero() {
		// it is gone, and he stays where it had him until his state says otherwise
		pose, by = p.frame.Mul(pose), Carrier{}
	}
	if by != p.carrier {
		s.boards(p, by)
		p.carrier = by
	}
	switch {
	case by.Body != NoEntity:
		p.frame = s.worldPose(carrier).Normalize()
	case by.Mover != 0 && carrier.IsZero(): // nothing to be a child of
		if path := s.protocol.movers[by.Mover]; path != nil {
			pose = path(s.Tick().Add(1)).Mul(pose)
		}
	}
	id := s.tracks.parent
	if !s.world.Has(p.Entity, id) {
		if carrier.IsZero() {
			return pose
		}
		s.world.Add(p.Entity, id)
	}
	(*components.Parent)(s.world.Get(p.Entity, id)).Entity = carrier
	return pose
}

// carrier returns the entity that a carrier is, the zero one if there is none.
func (s *Server[S, I]) carrier(by Carrier) arche.Entity {
	if by == (Carrier{}) {
		return arche.Entity{}
	}
	if by.Body != NoEntity {
		if e := s.entityOf(by.Body); !e.IsZero() && s.world.Has(e, s.tracks.logical) {
			return e
		}
		return arche.Entity{}
	}
	for _, e := range s.tracks.bySlot {
		if !e.IsZero() && s.world.Alive(e) && s.world.Has(e, s.tracks.replicated) && (*Replicated)(s.world.Get(e, s.tracks.replicated)).Kind == by.Mover {
			return e
		}
	}
	return arche.Entity{}
}

// boards takes where a player was after the step before into the frame of what carries him now, so
// that his motion goes on, for those who see him, across the change.
func (s *Server[S, I]) boards(p *Player[S, I], by Carrier) {
	if !s.world.Has(p.Entity, s.tracks.track) {
		return
	}
	from := s.frameBefore(p.carrier)
	if p.carrier.Body != NoEntity && s.carrier(p.carrier).IsZero() {
		from = p.frame
	}
	tr := (*track)(s.world.Get(p.Entity, s.tracks.track))
	tr.last = s.frameBefore(by).Inverse().Mul(from.Mul(tr.last)).Normalize()
	tr.carried = true
}

// frameBefore is where a carrier was when the present step began.
func (s *Server[S, I]) frameBefore(by Carrier) components.Pose3D {
	if path := s.protocol.movers[by.Mover]; by.Mover != 0 && path != nil {
		return path(s.Tick()).Normalize()
	}
	if e := s.carrier(by); !e.IsZero() && s.world.Has(e, s.tracks.track) {
		return (*track)(s.world.Get(e, s.tracks.track)).last
	}
	return components.Identity3D()
}
