package netcode

import (
	"math/bits"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// commit prepares the world's present state for snapshots.
func (s *Server[S, I]) commit() {
	t := &s.replication
	s.stats.Snapshots++
	at := s.engine.Time().StepEnd
	if s.config.InputMode == OnArrival { // players' ages change without writes
		for p := range s.all {
			if id := s.idOf(p.Entity); id != NoEntity {
				t.dirty.set(id.Slot())
			}
		}
	}
	s.commitParents()
	for word := range t.dirty {
		for set := t.dirty[word]; set != 0; set &= set - 1 {
			s.commitState(word*64+bits.TrailingZeros64(set), at)
		}
		t.dirty[word] = 0
	}
	for _, e := range t.scratch { // these could not be attached, and are tried again
		t.dirty.set((*replicationState)(s.world.Get(e, t.track)).id.Slot())
	}
	t.scratch = t.scratch[:0]
	if len(s.components) > 0 || len(s.shots) > 0 {
		after := s.Tick().Add(1)
		for _, u := range s.interest.subjects {
			if u.id != NoEntity {
				for _, m := range s.components {
					m.send(u.entity, s.net, u.id)
				}
				for _, k := range s.shots {
					k.send(u.entity, s.replicated.Get(u.entity).Archetype, s.net, u.id, after)
				}
			}
		}
	}
	if s.bodies != nil {
		s.bodies.share()
	}
	s.placeChildren()
	s.interest.sort()
	s.net.Commit()
	s.committed = s.Tick().Add(1)
}

// commitState sets the pose and the owner of the entity in a slot.
func (s *Server[S, I]) commitState(slot int, at time.Duration) {
	t := &s.replication
	e := s.interest.subjects[slot].entity
	tr := (*replicationState)(s.world.Get(e, t.track))
	pose := s.shownPose(tr, s.transforms.Get(e))
	s.net.SetOwner(tr.id, tr.owner)
	s.interest.setOwner(slot, tr.owner, tr.always)
	if !t.attached.has(slot) {
		s.interest.put(slot, slot, pose.Position)
	}
	if tr.poseless {
		return
	}
	var state snapshot.State
	start, moves := s.moverStarts[tr.archetype]
	if moves { // Clients have the path.
		pose, state.AtRest = start, true
	} else {
		state.Discontinuity = tr.jumps
		state.Velocity, state.Angular, state.AtRest = tr.velocity, tr.angular, tr.rests
		s.mustReach(tr.id, e, pose.Position)
		if a := s.onArrival(tr.owner, e); a != nil {
			state.Age = max(a.Delta(at), 0)
		}
		if tr.isRelayed {
			state.Age = max(tr.relayed.Age, 0)
		}
	}
	state.Position, state.Rotation, state.Scale = pose.Position, pose.Rotation, snapshot.ScaleOf(pose.Scale)
	if pose.Scale != (mgl32.Vec3{1, 1, 1}) {
		s.mustScale(tr.id, e, pose.Scale, state.Scale.Vec3())
	}
	s.net.SetState(tr.id, state)
}

// mustReach logs, once, a position that cannot be sent.
func (s *Server[S, I]) mustReach(id EntityID, e arche.Entity, position mgl32.Vec3) {
	if s.loggedOutside {
		return
	}
	grid := &s.protocol.grid
	for axis, v := range position {
		if flat := grid.Min[axis] == grid.Max[axis]; !flat && (v < grid.Min[axis] || v > grid.Max[axis]) {
			s.loggedOutside = true
			s.config.Log.Error("tandem: an entity is outside of the range of positions, and is shown at its edge: widen netcode.Config.Position",
				"entity", e, "id", id.String(), "position", position, "min", grid.Min, "max", grid.Max)
			return
		}
	}
}

// mustScale logs, once, a scale that clients get as quite another one.
func (s *Server[S, I]) mustScale(id EntityID, e arche.Entity, scale, sent mgl32.Vec3) {
	if s.loggedScale {
		return
	}
	for axis, v := range scale {
		if off := mgl32.Abs(sent[axis] - v); !(off <= mgl32.Abs(v)/512) { // NaN too
			s.loggedScale = true
			s.config.Log.Error("tandem: the scale of an entity cannot be sent, and is shown as another one: keep scales within 1/16384 and 131008, or at 0",
				"entity", e, "id", id.String(), "scale", scale, "shown", sent)
			return
		}
	}
}

// commitParents attaches entities to their new parents. It detaches all of them first, since two
// may have changed places. Entities that cannot be attached are left in the scratch list.
func (s *Server[S, I]) commitParents() {
	t := &s.replication
	for word, set := range t.dirty {
		for ; set != 0; set &= set - 1 {
			slot := word*64 + bits.TrailingZeros64(set)
			e := s.interest.subjects[slot].entity
			tr := (*replicationState)(s.world.Get(e, t.track))
			if !tr.reattached {
				continue
			}
			_ = s.net.SetParent(tr.id, NoEntity)
			t.scratch = append(t.scratch, e)
		}
	}
	refused := t.scratch[:0]
	for _, e := range t.scratch {
		tr := (*replicationState)(s.world.Get(e, t.track))
		err := s.net.SetParent(tr.id, tr.parent)
		if err != nil && !tr.refused {
			s.config.Log.Error("tandem: an entity is shown without its parent", "entity", tr.id.String(), "error", err)
		}
		tr.reattached, tr.refused = err != nil, err != nil
		if err != nil {
			refused = append(refused, e)
		}
	}
	t.scratch = refused
}
