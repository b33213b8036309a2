package netcode

import (
	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/record"
)

// descend composes the pose of an entity that is below one that is not replicated, or was until
// this step.
func (s *Server[S, I]) descend(e arche.Entity, tr *replicationState, written *record.Record[components.Pose3D], dt float32) *chain {
	local := written.Value().Normalize()
	before := tr.last.Normalize()
	if a := &s.ancestors; a.has(tr.id.Slot()) {
		before = a.below[tr.id.Slot()].local
	}
	if tr.held = s.refuses(tr, e, written.Value()); tr.held {
		local = before // and moves on with its ancestors
	}
	if tr.revision == 0 { // it is new
		before = local
	}
	if r := s.relayedOf(e); r != nil {
		if before = local; !r.AtRest {
			before = backwards(local, r.Velocity, r.Angular, dt)
		}
		return s.ancestors.walk(e, before, local)
	}
	// Its own motion may have taken another time than that of its ancestors.
	span := dt
	if tr.isRelayed {
		span += float32(max(tr.relayed.Age, 0).Seconds())
	}
	if a := s.onArrival(tr.owner, e); a != nil {
		span = dt * float32(a.ran)
	}
	switch {
	case span <= 0:
		before = local
	case span > dt:
		before = components.Blend3D(local, before, dt/span)
	}
	return s.ancestors.walk(e, before, local)
}

// relayedOf returns an entity's component, nil if it has none.
func (s *Server[S, I]) relayedOf(e arche.Entity) *Relayed {
	if !s.world.Has(e, s.replication.relayed) {
		return nil
	}
	return (*Relayed)(s.world.Get(e, s.replication.relayed))
}

// collectBelow does for an entity of [Server.descend] what collectChanges does for the others. Its
// pose changes without a write when an ancestor moves.
func (s *Server[S, I]) collectBelow(e arche.Entity, tr *replicationState, c *chain, written *record.Record[components.Pose3D], stays, leapt bool, dt float32) {
	d := s.ancestors.descendant(tr.id.Slot())
	r, isNew := s.relayedOf(e), tr.revision == 0
	kind, _ := written.Pending(record.OwnerOf(e), tr.revision)
	wrote := written.Revision() != tr.revision && !tr.held
	from, turned := c.before, c.jumped
	if c.links != d.links { // it has come here from other ancestors
		from, turned = tr.last, turned || !stays && !c.keeps(tr.last)
	}
	jumped := turned || r == nil && wrote && kind == record.Teleported && !stays
	switch moved := c.now != tr.last; {
	case isNew || jumped:
		tr.velocity, tr.angular, tr.rests = mgl32.Vec3{}, mgl32.Vec3{}, false
	case r == nil && !moved && !wrote && s.waits(e, tr):
		// A player does not rest just because no input has arrived.
	case r == nil && !moved && !wrote, r != nil && !moved && r.AtRest:
		tr.velocity, tr.angular, tr.rests = mgl32.Vec3{}, mgl32.Vec3{}, true
	default:
		tr.velocity, tr.angular = motion(from.Normalize(), c.now, dt)
		tr.rests = false
	}
	if turned = (turned || c.shifted) && !isNew; turned {
		d.turns++
	}
	if r != nil {
		tr.isRelayed, tr.relayed, tr.jumps = true, *r, r.Discontinuity+d.turns
	} else if tr.isRelayed, tr.relayed = false, (Relayed{}); (jumped || turned) && !isNew {
		if tr.jumps++; leapt && !turned {
			tr.leaps++
		}
	}
	tr.last = c.now
	d.is, d.links, d.up, d.local = c.links != 0, c.links, s.parentOf(e), c.local
	s.blame(e, tr, d, c)
}

// staysBelow reports whether an entity that has got another parent within the frame of its base is
// where it would be with the one before, which may have moved in this step. The new one may have
// moved before the change: where an entity was that had no replicated child is not known.
func (s *Server[S, I]) staysBelow(e arche.Entity, tr *replicationState, c *chain) bool {
	d, now := s.ancestors.descendant(tr.id.Slot()), c.now.Normalize()
	if c.links == d.links {
		return false
	}
	if s.samePlace(tr.last.Normalize(), now) {
		return true
	}
	if !d.is || d.up == s.parentOf(e) || !s.has(d.up) {
		return false
	}
	up, base := s.ancestors.framed(d.up)
	return base == c.base && s.samePlace(up.Normalize().Mul(d.local), now)
}

// waits reports whether an entity is that of a player whose inputs are late.
func (s *Server[S, I]) waits(e arche.Entity, tr *replicationState) bool {
	if a := s.onArrival(tr.owner, e); a != nil {
		_, known := a.motion()
		return !known
	}
	return false
}
