package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// watchShifts hears of shifts of the origin from the engine's interpolator, and reports whether
// there is one.
func (s *Server[S, I]) watchShifts() bool {
	i := interpolation.Of[components.Pose3D](s.world)
	if i != s.shifts.from {
		s.ignoreShifts()
		if s.shifts.from = i; i != nil {
			s.shifts.feed = i.Subscribe(interpolation.Events[components.Pose3D]{Shifted: s.replication.shifted})
		}
	}
	return i != nil
}

func (s *Server[S, I]) ignoreShifts() {
	if s.shifts.feed != nil {
		s.shifts.feed.Close()
	}
	s.shifts = shiftWatch{}
}

// shiftWatch is the interpolator of which a server hears.
type shiftWatch struct {
	from *interpolation.Interpolator[components.Pose3D]
	feed *interpolation.Feed[components.Pose3D]
}

// shifted takes what is known of an entity to other coordinates, in which its motion goes on.
// Nothing leads there: clients are to see a jump.
func (t *replicationStates) shifted(e arche.Entity, shift func(components.Pose3D) components.Pose3D) {
	if !t.world.Has(e, t.track) {
		return
	}
	if tr := (*replicationState)(t.world.Get(e, t.track)); tr.rests || tr.revision != 0 {
		tr.last = shift(tr.last)
		tr.jumps++
		t.dirty.set(tr.id.Slot())
	}
}
