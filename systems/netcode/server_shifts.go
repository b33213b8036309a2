package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// watchShifts subscribes to shifts of the origin by the engine's interpolator, if there is one.
func (s *Server[S, I]) watchShifts() {
	i := interpolation.Of[components.Pose3D](s.world)
	if i != s.shifts.from {
		s.ignoreShifts()
		if s.shifts.from = i; i != nil {
			s.shifts.feed = i.Subscribe(interpolation.Events[components.Pose3D]{Shifted: s.shifted})
		}
	}
}

func (s *Server[S, I]) ignoreShifts() {
	if s.shifts.feed != nil {
		s.shifts.feed.Close()
	}
	s.shifts = shiftWatch{}
}

// shiftWatch is a server's subscription to an interpolator.
type shiftWatch struct {
	from *interpolation.Interpolator[components.Pose3D]
	feed *interpolation.Feed[components.Pose3D]
}

// shifted converts an entity's state to other coordinates, in which its motion continues. Clients
// see a jump.
func (s *Server[S, I]) shifted(e arche.Entity, shift func(components.Pose3D) components.Pose3D) {
	t := &s.replication
	if !t.world.Has(e, t.track) {
		s.ancestors.shift(e, shift)
		return
	}
	if tr := (*replicationState)(t.world.Get(e, t.track)); tr.rests || tr.revision != 0 {
		if s.ancestors.has(tr.id.Slot()) {
			d := &s.ancestors.below[tr.id.Slot()]
			d.local = shift(d.local)
		} else {
			tr.last = shift(tr.last)
		}
		tr.jumps++
		t.dirty.set(tr.id.Slot())
	}
}
