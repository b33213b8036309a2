package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/snapshot"
)

// Carrier names what carries a player: a mover by its kind, or a body by its ID; the zero value is nothing.
type Carrier struct {
	Mover uint16
	Body  snapshot.ID
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
	if by != p.carrier {
		s.boards(p.Entity, p.carrier, by)
		p.carrier = by
	}
	if by.Mover != 0 && carrier.IsZero() { // nothing to be a child of
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
	if by.Body != snapshot.None {
		return s.entityOf(by.Body)
	}
	for _, e := range s.tracks.bySlot {
		if !e.IsZero() && s.world.Alive(e) && s.world.Has(e, s.tracks.replicated) && (*Replicated)(s.world.Get(e, s.tracks.replicated)).Kind == by.Mover {
			return e
		}
	}
	return arche.Entity{}
}

// boards takes where an entity was after the step before into the frame of what carries it now, so that its motion goes on, for those who see it, across the change.
func (s *Server[S, I]) boards(e arche.Entity, from, by Carrier) {
	if !s.world.Has(e, s.tracks.track) {
		return
	}
	tr := (*track)(s.world.Get(e, s.tracks.track))
	tr.last = s.frameBefore(by).Inverse().Mul(s.frameBefore(from).Mul(tr.last)).Normalize()
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
