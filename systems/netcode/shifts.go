package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems"
)

// watchShifts hears of shifts of the origin from the engine's interpolator, and reports whether there is one.
func (s *Server[S, I]) watchShifts() bool {
	i, _ := s.world.Resources().Get(arche.ResourceID[systems.Interpolator[components.Pose3D]](s.world)).(*systems.Interpolator[components.Pose3D])
	if i != s.shifts.from {
		s.ignoreShifts()
		if s.shifts.from = i; i != nil {
			s.shifts.end = i.OnShift(s.tracks.shifted)
		}
	}
	return i != nil
}

func (s *Server[S, I]) ignoreShifts() {
	if s.shifts.end != nil {
		s.shifts.end()
	}
	s.shifts = shiftWatch{}
}

// shiftWatch is the interpolator of which a server hears.
type shiftWatch struct {
	from *systems.Interpolator[components.Pose3D]
	end  func()
}

// shifted takes what is known of an entity to other coordinates, in which its motion goes on. Nothing leads there: clients are to see a jump.
func (t *tracks) shifted(e arche.Entity, shift func(components.Pose3D) components.Pose3D) {
	if !t.world.Has(e, t.track) {
		return
	}
	if tr := (*track)(t.world.Get(e, t.track)); tr.rests || tr.revision != 0 {
		tr.last = shift(tr.last)
		tr.jumps++
		t.dirty.set(tr.id.Slot())
	}
}
