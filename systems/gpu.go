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
//
// Where many move, [Interpolator.TellMotion] is the quicker way. What one of the two has told, the other does not tell again.
func (i *Interpolator[T]) EachMotion(f func(e arche.Entity, m *Motion[T])) {
	i.mustBeInstalled("EachMotion")
	i.gpuEach.f = f
	i.tellMotion(&i.gpuEach, true)
	i.gpuEach.f = nil
}

// eachMotion listens for EachMotion.
type eachMotion[T any] struct {
	f func(e arche.Entity, m *Motion[T])
	m Motion[T]
}

func (l *eachMotion[T]) Step(start, end time.Duration) { l.m.Start, l.m.End = start, end }

func (l *eachMotion[T]) Moved(rows *MovedRows[T]) {
	for k := range rows.Len() {
		r := rows.Row(k)
		l.m.From, l.m.To = rows.From[r], rows.To[r]
		l.f(rows.Owner(r), &l.m)
	}
}

func (l *eachMotion[T]) Changed(e arche.Entity, m *Motion[T]) { l.f(e, m) }

// MotionListener is told of the motion of those that the graphics processor blends; see [Interpolator.TellMotion].
type MotionListener[T any] interface {
	// Step is called first, if a fixed step has run since the last time, with the newest one's normal time. Who was in motion over a step that Moved told of, and is told of
	// neither by Moved nor by Changed now, has arrived and rests there.
	Step(start, end time.Duration)
	// Moved tells, table by table, of those who are in motion over the newest step.
	Moved(rows *MovedRows[T])
	// Changed tells of one whose motion is any other (over a time of its own, after a jump, while a correction fades), or who rests somewhere else. It comes after Moved and
	// holds against it. What m points to is good during the call.
	Changed(e arche.Entity, m *Motion[T])
}

// MovedRows are rows of one table, with samples as they lie in memory. It is good during the call.
type MovedRows[T any] struct {
	From, To []T // of all rows of the table, in motion or not

	// Continues says that each From is, bit for bit, what was told as its entity's To before (or where it has rested): a listener that remembers it need not read it again.
	Continues bool

	all  bool
	rows []uint32
	span []spanOwner
}

// Len returns how many rows are in motion.
func (m *MovedRows[T]) Len() int {
	if m.all {
		return len(m.span)
	}
	return len(m.rows)
}

// Row returns the k-th of the rows in motion. Nearly all are in ascending order.
func (m *MovedRows[T]) Row(k int) uint32 {
	if m.all {
		return uint32(k)
	}
	return m.rows[k]
}

// Owner returns whose row it is.
func (m *MovedRows[T]) Owner(row uint32) arche.Entity { return m.span[row].owner }

// TellMotion tells of everybody whom the graphics processor blends (see [components.InterpolateOnGPU]) and whose samples have changed since the last call, like
// [Interpolator.EachMotion], but whole columns at a time. Of what happens to somebody while he is not marked, or has a parent, nothing is told: a listener that keeps him
// through that asks [Interpolator.Motion]. In a frame without a fixed step there is little to
// tell: corrected predictions whose offset fades, who has arrived over a time of his own, and whose samples were rewritten, as by [Interpolator.Shift].
func (i *Interpolator[T]) TellMotion(l MotionListener[T]) {
	i.mustBeInstalled("TellMotion")
	i.tellMotion(l, false)
}

func (i *Interpolator[T]) tellMotion(l MotionListener[T], arrivals bool) {
	var ok bool
	m := &i.gpuMotion
	if i.gpuSteps > 0 {
		l.Step(i.step.from, i.step.to)
	}
	switch {
	case i.gpuMissed:
		for _, t := range i.cols.collect() {
			for r := 0; t.gpu && r < len(t.span); r++ {
				if *m, ok = i.Motion(t.span[r].owner); ok {
					l.Changed(t.span[r].owner, m)
				}
			}
		}
	case i.gpuSteps > 0:
		i.tellMoved(l)
	}
	changed := func(list []arche.Entity) {
		for _, e := range list {
			if !i.world.Alive(e) || !i.onGPU(e) {
				continue
			}
			if *m, ok = i.Motion(e); ok {
				l.Changed(e, m)
			}
		}
	}
	// Whoever moved in a step that was told, and has arrived in the next, does what he was expected to.
	if arrivals || i.gpuSteps > 1 {
		changed(i.gpuRested)
	}
	changed(i.gpuMoved)
	i.gpuMissed, i.gpuSteps, i.gpuRested, i.gpuMoved = false, 0, i.gpuRested[:0], i.gpuMoved[:0]
}

// tellMoved tells of what is in ordinary motion, column by column.
func (i *Interpolator[T]) tellMoved(l MotionListener[T]) {
	tables := i.cols.collect()
	if !i.listsHold(tables) { // somebody's system since VisualSync has changed the structure
		i.listMarked(tables)
		i.redraw = true
	}
	for k := range i.moving {
		t, list := &tables[k], &i.moving[k]
		if !t.gpu || list.common() == 0 {
			continue
		}
		rows := &i.gpuRows
		*rows = MovedRows[T]{From: t.prev, To: t.cur, Continues: i.gpuSteps == 1, all: list.all, rows: list.rows, span: t.span}
		if i.disabled || t.still {
			rows.From, rows.Continues = t.cur, false
		}
		l.Moved(rows)
		*rows = MovedRows[T]{}
	}
}

// onGPU reports whether the graphics processor blends a living entity.
func (i *Interpolator[T]) onGPU(e arche.Entity) bool {
	return i.world.HasUnchecked(e, i.cols.ids.gpu) && !i.world.HasUnchecked(e, i.cols.ids.parent)
}

// report notes one entity whose motion has changed.
func (i *Interpolator[T]) report(e arche.Entity) { i.gpuMoved = i.note(i.gpuMoved, e) }

// reportRest notes one that was in ordinary motion, or at rest, and rests at its newest sample.
func (i *Interpolator[T]) reportRest(e arche.Entity) { i.gpuRested = i.note(i.gpuRested, e) }

// note appends to a list. When nobody asks, the list is given up before it becomes longer than telling everything would be.
func (i *Interpolator[T]) note(list []arche.Entity, e arche.Entity) []arche.Entity {
	if i.gpuMissed {
		return list[:0]
	}
	if len(list) >= i.gpuLimit {
		marked := i.world.Query(arche.All(i.cols.ids.gpu))
		i.gpuLimit = max(i.gpuLimit, 4*marked.Count()+1024)
		marked.Close()
		if len(list) >= i.gpuLimit {
			i.gpuMissed = true
			return list[:0]
		}
	}
	return append(list, e)
}

// reportAllMoving notes all that is in motion, because interpolation was switched on or off. Who is not marked may be before anybody looks.
func (i *Interpolator[T]) reportAllMoving() {
	if i.cols == nil {
		return
	}
	for _, t := range i.cols.collect() {
		for r, mark := range t.motion {
			if mark != 0 {
				i.report(t.span[r].owner)
			}
		}
	}
}
