package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems"
	"github.com/tandem-ecs/tandem/systems/netcode/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/tick"
)

// track is the hidden component of replicated entities on a server: what is known of them so far.
type track struct {
	id       snapshot.ID
	revision uint32
	last     components.Pose3D // after the step before
	velocity mgl32.Vec3
	angular  mgl32.Vec3
	jumps    uint8
	rests    bool
	parent   arche.Entity // as of the last commit
}

// tracks finds replicated entities and those that were.
type tracks struct {
	world      *arche.World
	replicated arche.ID
	track      arche.ID
	logical    arche.ID
	parent     arche.ID
	velocity   arche.ID
	fresh      arche.CachedFilter // replicated, without a track
	known      arche.CachedFilter // replicated, with a track
	former     arche.CachedFilter // a track, but not replicated any more
	bySlot     []arche.Entity     // who has a slot on the wire
	gone       []snapshot.ID      // scratch
	expelled   []arche.Entity     // scratch
}

func newTracks(w *arche.World) tracks {
	t := tracks{
		world:      w,
		replicated: arche.ComponentID[Replicated](w),
		track:      arche.ComponentID[track](w),
		logical:    arche.ComponentID[components.Transform3D](w),
		parent:     arche.ComponentID[components.Parent](w),
		velocity:   arche.ComponentID[components.Velocity3D](w),
	}
	with, both, tracked := arche.All(t.replicated, t.logical), arche.All(t.replicated, t.logical, t.track), arche.All(t.track)
	fresh, former := with.Without(t.track), tracked.Without(t.replicated)
	t.fresh, t.known, t.former = w.Cache().Register(&fresh), w.Cache().Register(&both), w.Cache().Register(&former)
	return t
}

// move puts everything whose kind has a path where that leads at a tick.
func (t *tracks) move(paths map[uint16]func(tick.Tick) components.Pose3D, at tick.Tick) {
	query := t.world.Query(&t.known)
	for query.Next() {
		path := paths[(*Replicated)(query.Get(t.replicated)).Kind]
		if path == nil {
			continue
		}
		l := (*components.Transform3D)(query.Get(t.logical))
		if pose := path(at); l.Get() != pose {
			l.Set(pose)
		}
	}
}

// noteChanges looks, after every step, at what the step has done to replicated entities: a jump would be forgotten by the next snapshot.
func (s *Server[S, I]) noteChanges() {
	s.adopt()
	t := &s.tracks
	// Where an interpolator captures writes it clears their marks itself.
	captured := s.world.Resources().Has(arche.ResourceID[systems.Interpolator[components.Pose3D]](s.world))
	dt := float32(s.engine.Time().FixedDelta.Seconds())
	query := t.world.Query(&t.known)
	for query.Next() {
		tr := (*track)(query.Get(t.track))
		record := (*components.Transform3D)(query.Get(t.logical)).Record()
		span := dt
		if s.config.OnArrival {
			// A player's step may run any number of his inputs, and he is not at rest because none has come.
			if p := s.playerOf((*Replicated)(query.Get(t.replicated)).Owner); p != nil {
				span = dt * float32(p.ran)
				if p.ran == 0 && record.Revision == tr.revision && p.silent < s.protocol.TickRate()/2 {
					continue
				}
			}
		}
		if record.Revision == tr.revision {
			tr.velocity, tr.angular, tr.rests = mgl32.Vec3{}, mgl32.Vec3{}, true
			continue
		}
		e := query.Entity()
		tag, first := components.OwnerTag(e.ID(), e.Generation())
		kind, _ := record.Pending(tag)
		pose := record.Value.Normalize()
		jumped := kind == components.Teleported && tr.revision != 0
		if tr.revision == 0 || jumped {
			tr.velocity, tr.angular = mgl32.Vec3{}, mgl32.Vec3{}
		} else {
			tr.velocity, tr.angular = motion(tr.last, pose, span)
		}
		if jumped {
			tr.jumps++
		}
		tr.last, tr.rests = pose, false
		switch {
		case captured:
			tr.revision = record.Revision
		case record.Plain():
			tr.revision = record.Revision
		default:
			revision := record.Revision
			if kind == components.Teleported {
				revision = max(tr.revision+1, 1)
				if tr.revision == 0 {
					revision = first
				}
			}
			record.Acknowledge(tag, revision)
			tr.revision = revision
		}
	}
}

// motion is the velocity that leads from one pose to another in dt seconds.
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
		angle := 2 * mgl32.Clamp(float32(atan2(sin, turn.W)), 0, 4)
		angular = turn.V.Mul(angle / (sin * dt))
	}
	return linear, angular
}

// adopt gives new entities their place on the wire and takes it from those that are gone.
func (s *Server[S, I]) adopt() {
	t := &s.tracks
	for slot, e := range t.bySlot {
		if e.IsZero() {
			continue
		}
		if s.world.Alive(e) && s.world.Has(e, t.track) && s.world.Has(e, t.replicated) && s.world.Has(e, t.logical) {
			continue
		}
		t.bySlot[slot] = arche.Entity{}
	}
	query := s.world.Query(&t.former)
	for query.Next() {
		t.expelled = append(t.expelled, query.Entity())
	}
	for _, e := range t.expelled {
		s.world.Remove(e, t.track)
	}
	t.expelled = t.expelled[:0]
	// What has a slot on the wire but no entity any more.
	for slot := range t.bySlot {
		if id := s.history.ids[slot]; id != snapshot.None && t.bySlot[slot].IsZero() {
			s.net.Despawn(id)
			s.history.ids[slot] = snapshot.None
		}
	}
	query = s.world.Query(&t.fresh)
	if query.Count() == 0 {
		query.Close()
		return
	}
	query.Close()
	query = s.world.Batch().AddQ(&t.fresh, t.track)
	for query.Next() {
		rep := (*Replicated)(query.Get(t.replicated))
		tr := (*track)(query.Get(t.track))
		*tr = track{}
		id, err := s.net.Spawn(rep.Kind)
		if err != nil {
			rep.ID = snapshot.None
			s.config.Log.Error("tandem: an entity is not replicated", "error", err)
			continue
		}
		rep.ID, tr.id = id, id
		for len(t.bySlot) <= id.Slot() {
			t.bySlot = append(t.bySlot, arche.Entity{})
		}
		t.bySlot[id.Slot()] = query.Entity()
		s.history.adopt(id)
	}
}

// commit makes the world's present state the one that snapshots are made of.
func (s *Server[S, I]) commit() {
	t := &s.tracks
	s.stats.Snapshots++
	at := s.engine.Time().StepEnd
	for _, e := range t.bySlot {
		if e.IsZero() {
			continue
		}
		rep := (*Replicated)(s.world.Get(e, t.replicated))
		tr := (*track)(s.world.Get(e, t.track))
		s.net.SetOwner(tr.id, rep.Owner)
		if s.world.Has(e, t.parent) || !tr.parent.IsZero() {
			s.commitParent(e, tr)
		}
		state := snapshot.State{Discontinuity: tr.jumps}
		if path := s.protocol.movers[rep.Kind]; path != nil {
			// Clients know where it is.
			pose := path(0).Normalize()
			state.Position, state.Rotation, state.AtRest = pose.Position, pose.Rotation, true
		} else {
			pose := (*components.Transform3D)(s.world.Get(e, t.logical)).Get()
			state.Position, state.Rotation = pose.Position, pose.Rotation
			state.Velocity, state.Angular, state.AtRest = tr.velocity, tr.angular, tr.rests
			if s.config.OnArrival {
				state.Age = s.ageOf(rep.Owner, at)
			}
		}
		s.net.SetState(tr.id, state)
		for _, m := range s.mirrors {
			m.send(e, s.net, tr.id)
		}
	}
	s.net.Commit()
}

func (s *Server[S, I]) commitParent(e arche.Entity, tr *track) {
	var parent arche.Entity
	if s.world.Has(e, s.tracks.parent) {
		parent = (*components.Parent)(s.world.Get(e, s.tracks.parent)).Entity
	}
	id := snapshot.None
	if !parent.IsZero() && s.world.Alive(parent) && s.world.Has(parent, s.tracks.track) {
		id = (*track)(s.world.Get(parent, s.tracks.track)).id
	}
	if err := s.net.SetParent(tr.id, id); err != nil {
		s.config.Log.Error("tandem: a parent is not replicated", "error", err)
	}
	tr.parent = parent
}

// ageOf is how old the state of a player's entity is where inputs run on arrival.
func (s *Server[S, I]) ageOf(owner uint16, at time.Duration) time.Duration {
	if p := s.playerOf(owner); p != nil {
		return max(p.arrivals.Delta(at), 0)
	}
	return 0
}

// playerOf returns the player with a number, or nil.
func (s *Server[S, I]) playerOf(number uint16) *Player[S, I] {
	if number == 0 {
		return nil
	}
	for _, p := range s.players {
		if p != nil && p.number == number {
			return p
		}
	}
	return nil
}
