package netcode

import (
	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// mostNotFinite is the most lines of a server's log about values that are not finite.
const mostNotFinite = 100

// logNotFinite logs a value that is not finite, unless there were many.
func (s *Server[S, I]) logNotFinite(message string, details ...any) {
	if s.notFinite++; s.notFinite > mostNotFinite {
		return
	}
	s.config.Log.Error("tandem: "+message, details...)
	if s.notFinite == mostNotFinite {
		s.config.Log.Error("tandem: further values that are not finite are not logged")
	}
}

// refuses reports whether an entity's pose, which has changed, is not finite. Clients then see the
// entity rest at the last one that was. It is logged once for an entity.
func (s *Server[S, I]) refuses(tr *replicationState, e arche.Entity, pose *components.Pose3D) bool {
	if pose.IsFinite() {
		if tr.nowhere { // clients see it at a place at which it never was
			tr.nowhere = false
			tr.jumps++
			tr.last = *pose
		}
		return false
	}
	if !tr.notFinite {
		tr.notFinite = true
		s.logNotFinite("an entity's pose is not finite, and clients are shown the last one that was: "+notFiniteRemedy+" where it is written",
			"entity", e, "id", tr.id.String(), "pose", *pose)
	}
	tr.nowhere = tr.nowhere || tr.last == components.Pose3D{}
	tr.velocity, tr.angular, tr.rests = mgl32.Vec3{}, mgl32.Vec3{}, true
	s.replication.dirty.set(tr.id.Slot())
	return true
}

// shownAt returns the present pose of an entity in the frame of its parent. For a replicated one it
// is finite.
func (s *Server[S, I]) shownAt(e arche.Entity) components.Pose3D {
	if !s.world.Has(e, s.replication.track) {
		return s.transforms.Get(e).Get()
	}
	return s.localPose((*replicationState)(s.world.Get(e, s.replication.track)), e)
}

// shownPose returns the pose after the step that clients are sent of an entity, in the frame of its
// nearest replicated ancestor: that of its transform, or the last one that was finite. It is for
// the end of a step, after collectChanges.
func (s *Server[S, I]) shownPose(tr *replicationState, l *components.Transform3D) components.Pose3D {
	if tr.held || s.ancestors.has(tr.id.Slot()) {
		return tr.last
	}
	return l.Get()
}

// framedPose returns the present pose of an entity in the frame of its nearest replicated ancestor,
// or the last one that was finite, and the ID of that ancestor.
func (s *Server[S, I]) framedPose(tr *replicationState, e arche.Entity) (components.Pose3D, EntityID) {
	if pose, base := s.ancestors.framed(e); pose.IsFinite() {
		return pose, base
	}
	return tr.last, tr.parent
}

// localPose returns the present pose of an entity in the frame of its parent, or the last one that
// was finite.
func (s *Server[S, I]) localPose(tr *replicationState, e arche.Entity) components.Pose3D {
	if pose := s.transforms.Get(e).Get(); pose.IsFinite() {
		return pose
	}
	if a := &s.ancestors; a.has(tr.id.Slot()) {
		return a.below[tr.id.Slot()].local
	}
	return tr.last
}

// mend puts the last good state in the place of one that is not finite, which the game has set. It
// is logged once for a player.
func (p *Player[S, I]) mend() {
	if p.server.protocol.finite(p.State) {
		p.good = p.State
		return
	}
	p.logState("the game has set a state of a player that is not finite, and the last one that was stays: "+notFiniteRemedy+" where it is set", p.server.Tick())
	p.State = p.good
}

// run returns the state after an input.
func (p *Player[S, I]) run(in I, t Tick) S {
	next, ok := p.server.protocol.step(p.State, in, t)
	if !ok {
		p.logState("Game.Step returned a state of a player that is not finite, and the one before stays: "+notFiniteRemedy+" in it", t)
	}
	return next
}

func (p *Player[S, I]) logState(message string, t Tick) {
	if !p.loggedState {
		p.loggedState = true
		p.server.logNotFinite(message, "player", p.number, "entity", p.Entity, "tick", t)
	}
}
