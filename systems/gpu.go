package systems

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

// Motion is the way of one value between two samples: at From until Start, at To from End on, both in normal time.
type Motion[T any] struct {
	From, To   T
	Start, End time.Duration
}

// Motion returns the way that an entity is on. For one at rest, and for one that is not interpolated, From and To are the same. It reports false
// for an entity that has no samples (yet).
func (i *Interpolator[T]) Motion(e arche.Entity) (m Motion[T], ok bool) {
	m.From, m.To, m.Start, m.End, ok = i.Samples(e)
	if ok && (i.disabled || i.world.HasUnchecked(e, i.cols.ids.still)) {
		m.From = m.To
	}
	return m, ok
}

// EachMotion calls f for every entity with the marker InterpolateOnGPU whose samples have changed since the last call, possibly more than once. A renderer
// calls it once per frame, in Render, and uploads what it is told; what it is not told of goes on as it did. For an entity that
// it sees for the first time it asks [Interpolator.Motion].
//
// The offsets of corrected predictions are not part of it.
func (i *Interpolator[T]) EachMotion(f func(e arche.Entity, m Motion[T])) {
	i.mustBeInstalled("EachMotion")
	if i.gpuMissed {
		i.gpuMissed = false
		i.gpuMoved = i.gpuMoved[:0]
		for _, t := range i.cols.collect() {
			for r := 0; t.gpu && r < len(t.span); r++ {
				i.gpuMoved = append(i.gpuMoved, t.span[r].owner)
			}
		}
	}
	for _, e := range i.gpuMoved {
		if m, ok := i.Motion(e); ok {
			f(e, m)
		}
	}
	i.gpuMoved = i.gpuMoved[:0]
}

// report notes one entity. When nobody asks, the list is given up before it becomes longer than telling everything would be.
func (i *Interpolator[T]) report(e arche.Entity, marked int) {
	if len(i.gpuMoved) > 4*marked+1024 {
		i.gpuMissed = true
		i.gpuMoved = i.gpuMoved[:0]
	}
	if !i.gpuMissed {
		i.gpuMoved = append(i.gpuMoved, e)
	}
}

// reportMoved notes the rows of a table that a capture has set in motion.
func (i *Interpolator[T]) reportMoved(t *table[T], m *movingRows) {
	for _, list := range [][]uint32{m.rows, m.timed} {
		for _, r := range list {
			i.report(t.span[r].owner, len(t.span))
		}
	}
}

// reportAllMoving notes all that is in motion, because interpolation was switched on or off.
func (i *Interpolator[T]) reportAllMoving() {
	if i.cols == nil {
		return
	}
	for _, t := range i.cols.collect() {
		if !t.gpu {
			continue
		}
		for r, mark := range t.motion {
			if mark != 0 {
				i.report(t.span[r].owner, len(t.span))
			}
		}
	}
}
