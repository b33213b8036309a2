package systems

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

// Motion is the way of one value between two samples: at From until Start, at To from End on, both in normal time.
type Motion[T any] struct {
	From, To   T             // local to the entity's parent
	Start, End time.Duration // normal time, as in ecs.Time
}

// Motion returns the way that an entity is on. For one at rest, and for one that is not interpolated, From and To are the same. While the offset of a corrected
// prediction fades they are both what the newest VisualSync has drawn. It reports false for an entity that has no samples (yet).
func (i *Interpolator[T]) Motion(e arche.Entity) (m Motion[T], ok bool) {
	m.From, m.To, m.Start, m.End, ok = i.Samples(e)
	if !ok {
		return m, false
	}
	if i.disabled || i.world.HasUnchecked(e, i.cols.ids.still) {
		m.From = m.To
	} else if _, fading := i.fixes.index[e]; fading {
		m.From = *(*T)(i.world.GetUnchecked(e, i.cols.ids.visual))
		m.To = m.From
	}
	return m, true
}

// EachMotion calls f for every entity that the graphics processor blends (see [components.InterpolateOnGPU]) whose samples have changed since the last call,
// possibly more than once. A renderer calls it once per frame, in Render, and uploads what it is told; what it is not told of goes on as it did. For an
// entity that it sees for the first time it asks [Interpolator.Motion]. What m points to is good during the call.
//
// While the offset of a corrected prediction fades, its entity is told of in every frame.
func (i *Interpolator[T]) EachMotion(f func(e arche.Entity, m *Motion[T])) {
	i.mustBeInstalled("EachMotion")
	var ok bool
	m := &i.gpuMotion
	switch {
	case i.gpuMissed:
		for _, t := range i.cols.collect() {
			for r := 0; t.gpu && r < len(t.span); r++ {
				if *m, ok = i.Motion(t.span[r].owner); ok {
					f(t.span[r].owner, m)
				}
			}
		}
	case i.gpuCaptured:
		i.eachCaptured(f)
	}
	for _, e := range i.gpuMoved {
		if *m, ok = i.Motion(e); ok && i.onGPU(e) {
			f(e, m)
		}
	}
	i.gpuMissed, i.gpuCaptured, i.gpuMoved = false, false, i.gpuMoved[:0]
}

// eachCaptured calls f for what is in ordinary motion, column by column.
func (i *Interpolator[T]) eachCaptured(f func(e arche.Entity, m *Motion[T])) {
	tables := i.cols.collect()
	if !i.listsHold(tables) { // somebody's system since VisualSync has changed the structure
		i.listMarked(tables)
		i.redraw = true
	}
	m := &i.gpuMotion
	m.Start, m.End = i.step.from, i.step.to
	for k := range i.moving {
		t, list := &tables[k], &i.moving[k]
		if !t.gpu {
			continue
		}
		from := t.prev
		if i.disabled || t.still {
			from = t.cur
		}
		if list.all {
			for r := range t.span {
				m.From, m.To = from[r], t.cur[r]
				f(t.span[r].owner, m)
			}
		}
		for _, r := range list.rows {
			m.From, m.To = from[r], t.cur[r]
			f(t.span[r].owner, m)
		}
	}
}

// onGPU reports whether the graphics processor blends a living entity.
func (i *Interpolator[T]) onGPU(e arche.Entity) bool {
	return i.world.HasUnchecked(e, i.cols.ids.gpu) && !i.world.HasUnchecked(e, i.cols.ids.parent)
}

// report notes one entity. When nobody asks, the list is given up before it becomes longer than telling everything would be.
func (i *Interpolator[T]) report(e arche.Entity) {
	if len(i.gpuMoved) >= i.gpuLimit {
		marked := i.world.Query(arche.All(i.cols.ids.gpu))
		i.gpuLimit = max(i.gpuLimit, 4*marked.Count()+1024)
		marked.Close()
		if len(i.gpuMoved) >= i.gpuLimit {
			i.gpuMissed = true
			i.gpuMoved = i.gpuMoved[:0]
		}
	}
	if !i.gpuMissed {
		i.gpuMoved = append(i.gpuMoved, e)
	}
}

// reportMoved notes that a capture has set rows of a table in motion.
func (i *Interpolator[T]) reportMoved(t *table[T], m *movingRows) {
	i.gpuCaptured = i.gpuCaptured || m.common() > 0
	for _, r := range m.timed {
		i.report(t.span[r].owner)
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
				i.report(t.span[r].owner)
			}
		}
	}
}
