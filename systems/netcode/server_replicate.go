package netcode

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/record"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// replicationState is the hidden component of replicated entities on a server.
type replicationState struct {
	id         EntityID
	archetype  uint16
	revision   uint32
	last       components.Pose3D // after the previous step, as it was written
	velocity   mgl32.Vec3
	angular    mgl32.Vec3
	jumps      uint8
	leaps      uint8 // those of jumps that were part of a step's motion
	leapt      bool  // in the newest step
	rests      bool
	parent     EntityID // its pose is relative to it
	reattached bool     // its parent has changed since the last commit
	refused    bool     // it could not be attached there
	poseless   bool     // a shot that clients draw by its path
	owner      uint16
	always     bool // is marked AlwaysRelevant
	// it has moved from one base to another in a continuous motion: last is in the new frame
	// already
	passenger bool
	held      bool // its pose is not finite, and last is shown
	notFinite bool // has been logged
	nowhere   bool // it never had a finite pose
	isRelayed bool // in the newest step, with these values
	relayed   Relayed
}

// replicationStates finds the entities that are or were replicated.
type replicationStates struct {
	*entities
	track    arche.ID
	fresh    arche.CachedFilter // replicated, without a replicationState
	known    arche.CachedFilter // replicated, with a replicationState
	unplaced arche.CachedFilter // replicated, without a transform
	always   arche.ID
	relayed  arche.ID
	dirty    bitset  // slots of entities that may have changed since the last commit
	attached bitset  // slots of entities with a parent, replicated or not
	roots    []int32 // slots of entities with children
	scratch  []arche.Entity
	begun    bool // entities have been registered
	full     bool // a lack of slots has been logged
	// a Replicated entity without a transform has been logged
	loggedUnplaced bool
}

func newReplicationStates(n *entities, slots int) replicationStates {
	w := n.world
	t := replicationStates{
		entities: n,
		track:    arche.ComponentID[replicationState](w),
		always:   arche.ComponentID[AlwaysRelevant](w),
		relayed:  arche.ComponentID[Relayed](w),
		dirty:    newBitset(slots),
		attached: newBitset(slots),
	}
	marker, pose := n.replicated.ID(), n.transforms.ID()
	with, known := arche.All(marker, pose), arche.All(marker, pose, t.track)
	fresh, unplaced := with.Without(t.track), arche.All(marker).Without(pose)
	t.unplaced = w.Cache().Register(&unplaced)
	t.fresh, t.known = w.Cache().Register(&fresh), w.Cache().Register(&known)
	return t
}

// move moves the scripted movers to their places at a tick.
func (t *replicationStates) move(movers map[uint16]*scriptedMover, at Tick) {
	query := t.world.Query(&t.known)
	for query.Next() {
		mover := movers[(*Replicated)(query.Get(t.replicated.ID())).Archetype]
		if mover == nil {
			continue
		}
		l := (*components.Transform3D)(query.Get(t.transforms.ID()))
		switch pose, before := mover.path(at), l.Get(); {
		case before == pose:
		case mover.teleported.between(before, pose):
			l.Teleport(pose)
		default:
			l.Set(pose)
		}
	}
}

// of returns the replicationState of an entity that has one.
func (t *replicationStates) of(e arche.Entity) *replicationState {
	return (*replicationState)(t.world.Get(e, t.track))
}

// cuts counts the jumps that were no part of a step's motion.
func (tr *replicationState) cuts() uint8 { return tr.jumps - tr.leaps }

// leap writes the pose of an entity that has jumped in its own step: its motion goes on behind the
// jump.
func (t *replicationStates) leap(e arche.Entity, pose components.Pose3D) {
	t.transforms.Get(e).Teleport(pose)
	if t.world.Has(e, t.track) {
		t.of(e).leapt = true
	}
}

// collectChanges looks for changes of replicated entities. It runs after every step, since at the
// next snapshot a jump could not be seen any more.
func (s *Server[S, I]) collectChanges() {
	s.register()
	t := &s.replication
	s.watchShifts()
	s.ancestors.step++
	dt := float32(s.engine.Time().FixedDelta.Seconds())
	query := t.world.Query(&t.known)
	for query.Next() {
		tr := (*replicationState)(query.Get(t.track))
		slot := tr.id.Slot()
		written := (*record.Record[components.Pose3D])(query.Get(t.transforms.ID()))
		if owner, always := (*Replicated)(query.Get(t.replicated.ID())).Owner, query.Has(t.always); owner != tr.owner || always != tr.always {
			tr.owner, tr.always = owner, always
			t.dirty.set(slot)
		}
		stays := false
		var c *chain // of an entity below one that is not replicated
		if child := query.Has(t.parents.ID()); child || t.attached.has(slot) {
			t.dirty.set(slot)
			if child {
				t.attached.set(slot)
			} else {
				t.attached.clear(slot)
			}
			up, value := s.parentOf(query.Entity()), written.Value()
			parent := s.idOf(up)
			if parent == NoEntity && s.living.Alive(up) || s.ancestors.has(slot) {
				c = s.descend(query.Entity(), tr, written, dt)
				parent, value = c.base, &c.now
			}
			if parent != tr.parent {
				// Its pose is in another frame from now on, which is a jump unless its place in the
				// world stays.
				attached := tr.revision != 0 && !tr.passenger
				stays = attached && s.staysInPlace(tr, parent, *value)
				tr.parent, tr.reattached = parent, true
				if attached {
					if !stays {
						tr.jumps++
					}
					tr.velocity, tr.angular = mgl32.Vec3{}, mgl32.Vec3{}
					if value.IsFinite() {
						tr.last = *value
					}
				}
			} else if c != nil && tr.revision != 0 {
				stays = s.staysBelow(query.Entity(), tr, c)
			}
		}
		passenger, leapt := tr.passenger, tr.leapt
		tr.passenger, tr.leapt = false, false
		if c != nil {
			s.collectBelow(query.Entity(), tr, c, written, stays, leapt, dt)
			continue
		}
		if tr.held = *written.Value() != tr.last && s.refuses(tr, query.Entity(), written.Value()); tr.held {
			continue
		}
		if query.Has(t.relayed) {
			t.relay(tr, (*Relayed)(query.Get(t.relayed)), written)
			continue
		}
		span := dt
		if tr.isRelayed { // the last pose was older than the last step
			span += float32(max(tr.relayed.Age, 0).Seconds())
			tr.isRelayed, tr.relayed = false, Relayed{}
			t.dirty.set(slot)
		}
		if a := s.onArrival(tr.owner, query.Entity()); a != nil {
			// A player's step may run any number of inputs. A player does not rest just because no
			// input has arrived.
			ran, known := a.motion()
			span = dt * float32(ran)
			if !known && written.Revision() == tr.revision {
				continue
			}
		}
		if written.Revision() == tr.revision {
			if shifted := *written.Value() != tr.last; shifted || !tr.rests {
				t.dirty.set(slot)
				if shifted && (tr.rests || tr.revision != 0) {
					// A shift of the origin is a jump.
					tr.jumps++
				}
			}
			tr.last, tr.velocity, tr.angular, tr.rests = *written.Value(), mgl32.Vec3{}, mgl32.Vec3{}, true
			continue
		}
		t.dirty.set(slot)
		kind, _ := written.Pending(record.OwnerOf(query.Entity()), tr.revision)
		pose := written.Value().Normalize()
		jumped := kind == record.Teleported && tr.revision != 0 && !stays
		switch {
		case jumped && leapt && !passenger:
			// The motion goes on, in the direction that the jump gives it.
			turn := pose.Rotation.Mul(tr.last.Normalize().Rotation.Conjugate())
			tr.velocity, tr.angular = turn.Rotate(tr.velocity), turn.Rotate(tr.angular)
		case tr.revision == 0 || jumped:
			tr.velocity, tr.angular = mgl32.Vec3{}, mgl32.Vec3{}
		default:
			tr.velocity, tr.angular = motion(tr.last.Normalize(), pose, span)
		}
		if jumped {
			tr.jumps++
			if leapt {
				tr.leaps++
			}
		}
		tr.last, tr.rests = *written.Value(), false
	}
}

// settleWrites settles the writes that no interpolator's capture has settled, and records the
// revisions. It runs behind the captures.
func (s *Server[S, I]) settleWrites() {
	query := s.world.Query(&s.replication.known)
	for query.Next() {
		tr := (*replicationState)(query.Get(s.replication.track))
		written := (*record.Record[components.Pose3D])(query.Get(s.transforms.ID()))
		if owner := record.OwnerOf(query.Entity()); !written.SettledBy(owner) {
			written.Settle(owner, tr.revision)
		}
		tr.revision = written.Revision()
	}
	s.ancestors.settle()
}

// motion returns the velocities that lead from one pose to another in dt seconds.
func motion(from, to components.Pose3D, dt float32) (linear, angular mgl32.Vec3) {
	if dt <= 0 {
		return linear, angular
	}
	linear = to.Position.Sub(from.Position).Mul(1 / dt)
	turn := to.Rotation.Mul(from.Rotation.Conjugate())
	if turn.W < 0 {
		turn = turn.Scale(-1)
	}
	if sin := turn.V.Len(); sin > 1e-7 {
		angle := 2 * mgl32.Clamp(float32(math.Atan2(float64(sin), float64(turn.W))), 0, 4)
		angular = turn.V.Mul(angle / (sin * dt))
	}
	return linear, angular
}

// register assigns IDs to new entities, and releases those of removed entities.
func (s *Server[S, I]) register() {
	t := &s.replication
	s.forgetSaved()
	s.logUnplaced()
	known := s.world.Query(&t.known)
	whole := known.Count() == s.net.Len() // no entity is removed
	for known.Next() {
		rep, tr := (*Replicated)(known.Get(t.replicated.ID())), (*replicationState)(known.Get(t.track))
		if rep.Archetype != tr.archetype {
			whole = false
		} else if rep.ID != tr.id {
			rep.ID = tr.id // the game has overwritten the component
		}
	}
	if !whole {
		s.release()
	}
	query := s.world.Query(&t.fresh)
	fresh, free := query.Count(), s.protocol.schema.Config().MaxEntities-s.net.Len()
	if fresh > free {
		if !t.full {
			s.config.Log.Error("tandem: some entities are not replicated for now; raise netcode.Config.MaxEntities", "error", snapshot.ErrFull, "entities", fresh-free)
		}
		t.full = true
	} else {
		t.full = false
	}
	for range min(fresh, free) {
		query.Next()
		t.scratch = append(t.scratch, query.Entity())
	}
	if fresh <= free {
		query.Next()
	} else {
		query.Close()
	}
	for _, e := range t.scratch {
		s.assignID(e)
	}
	t.scratch = t.scratch[:0]
}

// release frees the IDs of entities that are removed, are not to be replicated any more, or have
// another archetype.
func (s *Server[S, I]) release() {
	t := &s.replication
	for slot, u := range s.interest.subjects {
		e := u.entity
		if e.IsZero() {
			continue
		}
		if s.world.Alive(e) && s.world.Has(e, t.track) {
			if s.marked(e) && s.has(e) && s.replicated.Get(e).Archetype == (*replicationState)(s.world.Get(e, t.track)).archetype {
				continue
			}
			s.world.Remove(e, t.track) // an entity that is still to be replicated gets another one
		}
		s.net.Despawn(u.id)
		s.interest.leave(slot)
		t.dirty.clear(slot)
		t.attached.clear(slot)
	}
}

// assignID assigns an ID to an entity.
func (s *Server[S, I]) assignID(e arche.Entity) {
	t := &s.replication
	rep, poseless := s.replicated.Get(e), s.poseless(e)
	spawn := s.net.Spawn
	if poseless {
		spawn = s.net.SpawnPoseless
	}
	id, err := spawn(rep.Archetype)
	if err != nil {
		return // cannot happen: the caller has checked for room
	}
	rep.ID = id
	kind := rep.Archetype
	s.world.Add(e, t.track)
	*(*replicationState)(s.world.Get(e, t.track)) = replicationState{id: id, archetype: kind, poseless: poseless}
	t.dirty.set(id.Slot())
	s.history.reach(id.Slot())
	s.ancestors.free(id.Slot())
	s.interest.enter(id, e)
	for p := range s.all {
		if p.near != nil { // another entity had the slot before
			p.near.clear(id.Slot())
		}
	}
}

// entityOf returns the living entity with an ID, the zero entity if there is none.
func (s *Server[S, I]) entityOf(id EntityID) arche.Entity {
	if slot := id.Slot(); id != NoEntity && slot < len(s.interest.subjects) {
		if u := &s.interest.subjects[slot]; u.id == id && s.world.Alive(u.entity) {
			return u.entity
		}
	}
	return arche.Entity{}
}

// logUnplaced logs, once, that an entity with Replicated has no transform.
func (s *Server[S, I]) logUnplaced() {
	t := &s.replication
	if t.loggedUnplaced {
		return
	}
	query := s.world.Query(&t.unplaced)
	if query.Next() {
		t.loggedUnplaced = true
		s.config.Log.Warn("tandem: an entity has Replicated and no Transform3D, so clients do not get it: give it a Transform3D",
			"entity", query.Entity(), "archetype", (*Replicated)(query.Get(t.replicated.ID())).Archetype)
		query.Close()
	}
}
