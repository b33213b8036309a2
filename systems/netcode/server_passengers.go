package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// MovementBase names the base of a player: a scripted mover or a body, not both. A mover may stand
// on others, as their child: the base is the one that the player stands on. The zero value means no
// base.
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
		if by.Mover != 0 && carrier.IsZero() {
			p.frame = components.Identity3D()
		}
	}
	switch {
	case by.Body != NoEntity:
		p.frame = s.worldPose(carrier).Normalize()
	case by.Mover == 0 || s.protocol.movers[by.Mover] == nil:
	case carrier.IsZero(): // no entity to be a child of
		pose = p.frame.Mul(s.protocol.movers[by.Mover].at(s.Tick().Add(1))).Mul(pose)
	default:
		p.frame = components.Identity3D()
		if ground := s.parentOf(carrier); s.living.Alive(ground) && s.has(ground) {
			p.frame = s.worldPose(ground).Normalize()
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
	if e := s.baseEntity(by); !e.IsZero() {
		pose, _ := s.worldOf(s.idOf(e), true)
		return pose
	}
	if mover := s.protocol.movers[by.Mover]; by.Mover != 0 && mover != nil {
		return mover.at(s.Tick())
	}
	return components.Identity3D()
}

// worldOf returns the world pose of an entity as it is now, or before the present step, and whether
// it is known. A storey that is newer than that counts as it is now.
func (s *Server[S, I]) worldOf(id EntityID, before bool) (components.Pose3D, bool) {
	tick := int64(s.engine.Time().Tick)
	return upward(id, func(id EntityID) (components.Pose3D, EntityID, bool) {
		if m := s.history.find(tick, id); before && m != nil {
			return m.pose.Normalize(), m.parent, true
		}
		e := s.entityOf(id)
		if !s.has(e) {
			return components.Identity3D(), NoEntity, false
		}
		pose, parent := s.ancestors.framed(e)
		return pose.Normalize(), parent, true
	})
}

// staysInPlace reports whether an entity that has another parent is where it would be with the one
// before. Both parents may have moved in this step, before the change or after it.
func (s *Server[S, I]) staysInPlace(tr *replicationState, parent EntityID, pose components.Pose3D) bool {
	for moved := range 4 {
		from, known := s.worldOf(tr.parent, moved&1 != 0)
		to, there := s.worldOf(parent, moved&2 != 0)
		if !known || !there {
			continue
		}
		if s.samePlace(from.Mul(tr.last.Normalize()), to.Mul(pose.Normalize())) {
			return true
		}
	}
	return false
}

// samePlace reports whether two poses are the same up to what clients get, or float32 has.
func (s *Server[S, I]) samePlace(was, is components.Pose3D) bool {
	turned := was.Rotation.Dot(is.Rotation)
	exact := 2*s.protocol.grid.Resolution + 1e-6*was.Position.Len()
	return was.Position.Sub(is.Position).Len() <= exact && turned*turned > 0.9999
}
