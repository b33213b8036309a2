package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// MovementBase names the base of a player: a scripted mover or a body, not both. The zero value
// means no base.
type MovementBase struct {
	Mover uint16   // an archetype of SetScriptedMover; 0: none
	Body  EntityID // the ID of an entity of one of Bodies' Archetypes; NoEntity: none
}

// carry makes the player's entity a child of its movement base, and returns its pose in the base's
// frame.
func (p *Player[S, I]) carry() components.Pose3D {
	s := p.server
	game := &s.protocol.game
	pose := game.Pose(p.State)
	if game.MovementBase == nil || p.transform() == nil {
		return pose
	}
	by := game.MovementBase(p.State)
	carrier := s.baseEntity(by)
	if by.Body != NoEntity && carrier.IsZero() {
		// the base is removed; the player stays in its last frame until its state names another one
		pose, by = p.frame.Mul(pose), MovementBase{}
	}
	if by != p.base {
		s.enterBase(p, by)
		p.base = by
	}
	switch {
	case by.Body != NoEntity:
		p.frame = s.worldPose(carrier).Normalize()
	case by.Mover != 0 && carrier.IsZero(): // no entity to be a child of
		if mover := s.protocol.movers[by.Mover]; mover != nil {
			pose = mover.path(s.Tick().Add(1)).Mul(pose)
		}
	}
	s.setParent(p.Entity, carrier)
	return pose
}

// baseEntity returns the entity of a movement base, the zero entity if there is none.
func (s *Server[S, I]) baseEntity(by MovementBase) arche.Entity {
	if by == (MovementBase{}) {
		return arche.Entity{}
	}
	if by.Body != NoEntity {
		if e := s.entityOf(by.Body); s.has(e) {
			return e
		}
		return arche.Entity{}
	}
	for _, u := range s.interest.subjects {
		if s.marked(u.entity) && s.replicated.Get(u.entity).Archetype == by.Mover {
			return u.entity
		}
	}
	return arche.Entity{}
}

// enterBase converts a player's pose after the previous step to the frame of its present base, so
// that others see one continuous motion across the change.
func (s *Server[S, I]) enterBase(p *Player[S, I], by MovementBase) {
	if !s.world.Has(p.Entity, s.replication.track) {
		return
	}
	from := s.frameBefore(p.base)
	if p.base.Body != NoEntity && s.baseEntity(p.base).IsZero() {
		from = p.frame
	}
	tr := (*replicationState)(s.world.Get(p.Entity, s.replication.track))
	tr.last = s.frameBefore(by).Inverse().Mul(from.Mul(tr.last)).Normalize()
	tr.passenger = true
}

// frameBefore returns a movement base's pose at the beginning of the present step.
func (s *Server[S, I]) frameBefore(by MovementBase) components.Pose3D {
	if mover := s.protocol.movers[by.Mover]; by.Mover != 0 && mover != nil {
		return mover.at(s.Tick())
	}
	if e := s.baseEntity(by); !e.IsZero() && s.world.Has(e, s.replication.track) {
		return (*replicationState)(s.world.Get(e, s.replication.track)).last
	}
	return components.Identity3D()
}
