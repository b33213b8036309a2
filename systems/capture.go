package systems

import (
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/internal/kernel"
)

// farWrites is more writes to one value than a step makes, where a SetOver has taken the owner's tag away: a revision that is farther on belongs to another entity's value.
const farWrites = 1 << 12

// wasExchanged reports whether a record that carries its owner's tag, or a pending SetOver instead of it, is none the less not the one whose revision was seen last:
// an older copy of it that was put back, or another entity's.
func wasExchanged[T any](r *components.LogicalRecord[T], tag, seen uint32) bool {
	writes := r.Revision - seen
	return writes > farWrites && (int32(writes) < 0 || !r.OwnedBy(tag))
}

// capture runs at the end of the fixed step [from, to): for every value that was written in it, prev becomes the value at its start and cur the value at its
// end.
func (i *Interpolator[T]) capture() {
	if i.capturing {
		i.startAnew()
	}
	i.capturing = true
	i.settleIn()
	last, lastGen := i.step, i.gen
	i.step = interval{i.clock.StepStart, i.clock.StepEnd}
	if i.gen += generation; i.gen == 0 {
		i.gen = generation
	}
	i.redraw = true
	i.gpuSteps++
	oftenDrawn := i.drawings >= pairedFrames
	i.drawings = 0

	tables := i.cols.collect()
	i.moving, i.lastOnes = i.lastOnes, i.moving
	i.moving, i.pairs = grow(i.moving, len(tables)), grow(i.pairs, len(tables))
	arrived, timed := i.common, i.timed // still to be accounted for among the old ones
	i.common, i.timed = 0, 0
	for k := range tables {
		t, m := &tables[k], &i.moving[k]
		m.reset(t.motion)
		i.pairs[k].drop()
		var rows []uint32 // those that need a closer look
		if t.still {
			rows = changed(t, i.rows[:0])
			i.rows = rows
		} else {
			var moved int
			var pairs *movingPairs[T]
			if oftenDrawn && !t.gpu {
				pairs = &i.pairs[k]
			}
			rows, moved = i.capturePlain(t, m, pairs, marks{t.mark(i.gen), t.mark(lastGen)})
			arrived -= moved
		}
		for _, r := range rows {
			switch t.motion[r] &^ gpuMark {
			case timedMark:
				timed--
			case lastGen:
				arrived--
			}
			i.captureSlowly(t, m, &i.pairs[k], r, last, lastGen)
		}
		for _, r := range m.rested {
			i.arrive(t, r)
		}
		m.tidy()
		i.common += m.common()
	}
	if arrived > 0 {
		i.settleArrived(tables, arrived, lastGen)
	}
	if timed > 0 {
		i.keepTimed(tables, timed)
	}
	for k := range i.moving {
		i.timed += len(i.moving[k].timed)
	}
	clear(i.fixes.starts) // those that were given but not used
	i.capturing = false
}

// startAnew mends what a capture has left behind that a panic of the user's blend or difference has broken off: whoever moved, or was written in vain, jumps to where he is. No list says who that is.
func (i *Interpolator[T]) startAnew() {
	tables := i.cols.collect()
	for k := range tables {
		t := &tables[k]
		for r := range t.motion {
			record := t.logical[r].Record()
			value := i.normal(record.Value)
			if t.motion[r] == 0 && (record.Revision != t.seen[r] || sameBits(&value, &t.cur[r])) {
				continue
			}
			owner := t.span[r].owner
			tag, _ := tagOf(owner)
			t.seen[r] = nextRevision(t.seen[r])
			record.Acknowledge(tag, t.seen[r])
			t.prev[r], t.cur[r], t.visual[r] = value, value, value
			t.motion[r] = 0
			i.fixes.forget(owner)
			i.touch(owner)
		}
	}
	i.common, i.timed = 0, 0
	i.moving, i.lastOnes = i.moving[:0], i.lastOnes[:0]
	i.dropPairs()
	i.capturing = false
}

// pairedFrames is how many frames of a step make it worth while to put the samples of the next one's movers side by side. Where a hundredth of 10 000 entities moves, that
// takes 3 ns for each mover and wins half a nanosecond in every frame; of 100 000, 1 to 4; of a million, 10.
const pairedFrames = 4

// marks are the motion marks of the newest capture and of the one before.
type marks struct{ now, last uint32 }

// changed appends the rows that were written since the last capture.
func changed[T any](t *table[T], rows []uint32) []uint32 {
	return kernel.Changed(unsafe.Pointer(&t.logical[0].Record().Revision), unsafe.Sizeof(t.logical[0]), t.seen, rows)
}

// capturePlain takes the values of the rows that made an ordinary movement from a standing start or from one to the next, which is nearly all. It returns the other rows that were
// written, and how many of those that it took had moved over the step before.
func capturePlain[T any](i *Interpolator[T], t *table[T], m *movingRows, g marks) (others []uint32, moved int) {
	rows := changed(t, i.rows[:0])
	i.rows = rows
	others = rows[:0]
	for _, r := range rows {
		record, mark := t.logical[r].Record(), t.motion[r]
		if record.Revision-t.seen[r] >= kernel.OwnWrites || mark == timedMark || !record.Plain() {
			others = append(others, r)
			continue
		}
		if mark == g.last {
			moved++
		}
		t.seen[r] = record.Revision
		value := i.normal(record.Value)
		if sameBits(&value, &t.cur[r]) { // written, but not moved
			t.motion[r] = 0
			m.rested = append(m.rested, r)
			continue
		}
		t.prev[r] = t.cur[r] // at the step's start everything but a timed one has arrived
		t.cur[r] = value
		t.motion[r] = g.now
		m.rows = append(m.rows, r)
	}
	return others, moved
}

// newCapturePlain3D returns capturePlain for poses in space, which the kernel does eight at a time.
func newCapturePlain3D() func(t *table[components.Pose3D], m *movingRows, p *movingPairs[components.Pose3D], g marks) (others []uint32, moved int) {
	var out kernel.Captured
	return func(t *table[components.Pose3D], m *movingRows, p *movingPairs[components.Pose3D], g marks) ([]uint32, int) {
		out.Moving, out.Rested, out.Others, out.Went = m.rows, m.rested, out.Others[:0], 0
		if p != nil {
			out.Pairs, out.Revisions = p.samples, p.revisions
		}
		c := kernel.Capture3D{
			Logical: t.logical, Prev: t.prev, Cur: t.cur, Seen: t.seen, Motion: t.motion,
			Now: g.now, Last: g.last, Timed: timedMark, Paired: p != nil,
		}
		c.Run(&out)
		m.all, m.rows, m.rested = out.All, out.Moving, out.Rested
		if p != nil {
			p.samples, p.revisions = out.Pairs, out.Revisions
			out.Pairs, out.Revisions = nil, nil
		}
		return out.Others, out.Went
	}
}

// captureSlowly takes what is not an ordinary movement from a standing start.
func (i *Interpolator[T]) captureSlowly(t *table[T], m *movingRows, p *movingPairs[T], r uint32, last interval, lastGen uint32) {
	record := t.logical[r].Record()
	owner := t.span[r].owner
	tag, _ := tagOf(owner)
	kind, over := record.Pending(tag)
	revision := record.Revision
	if wasExchanged(record, tag, t.seen[r]) {
		kind = components.Teleported
	}
	if kind == components.Teleported {
		// Possibly somebody else's: continue our own count, so that the next exchange is noticed too.
		revision = nextRevision(t.seen[r])
	}
	record.Acknowledge(tag, revision)
	t.seen[r] = revision

	start, end := i.step.from, i.step.to
	value := i.normal(record.Value)
	// What the old samples show at the step's start.
	from := t.cur[r]
	if t.motion[r] == timedMark {
		if span := (interval{t.span[r].from, t.span[r].to}); start < span.to {
			i.blendOne(&i.one, &t.prev[r], &t.cur[r], span.fraction(start))
			from = i.one
		}
	}
	moved := t.motion[r]&^gpuMark == lastGen
	if kind == components.Corrected && (i.diff == nil || t.still) {
		kind = components.Moved
	}
	switch {
	case kind == components.Teleported:
		i.fixes.forget(owner)
		from = value
	case t.still:
		from = value
	case kind == components.Corrected:
		path := i.correctedStart(owner, value, t.prev[r], t.cur[r], moved, last)
		i.fixes.add(i.diff, owner, path, i.withOffset(owner, from), i.halfLife)
		i.touch(owner)
		from = path.value
	case kind == components.Arrives:
		end = start + over
		if end <= start {
			from = value
		}
	}
	t.prev[r], t.cur[r] = from, value
	switch {
	case sameBits(&from, &value):
		i.rest(t, r)
	case end == i.step.to:
		t.motion[r] = t.mark(i.gen)
		if p.areOf(m.rows) {
			p.samples, p.revisions = append(p.samples, kernel.Pair[T]{Prev: from, Cur: value}), append(p.revisions, revision)
		}
		m.rows = append(m.rows, r)
	default:
		t.motion[r] = timedMark
		t.span[r].from, t.span[r].to = start, end
		m.timed = append(m.timed, r)
	}
	if t.gpu {
		i.report(owner)
	}
}

// arrive puts a row to rest that was in ordinary motion, if in any.
func (i *Interpolator[T]) arrive(t *table[T], r uint32) {
	if t.gpu {
		i.reportRest(t.span[r].owner)
	}
	i.rest(t, r)
}

// rest puts a row to rest where its newest sample is.
func (i *Interpolator[T]) rest(t *table[T], r uint32) {
	t.motion[r] = 0
	if !sameBits(&t.visual[r], &t.cur[r]) {
		t.visual[r] = t.cur[r]
		i.touch(t.span[r].owner)
	}
}

// settleArrived puts to rest the rows that moved over the step before and were not written in this one. This step began where that one ended, so the normal time
// has passed them.
func (i *Interpolator[T]) settleArrived(tables []table[T], arrived int, lastGen uint32) {
	settle := func(t *table[T], r uint32) {
		if t.motion[r]&^gpuMark == lastGen {
			i.arrive(t, r)
			arrived--
		}
	}
	for k := range tables {
		t := &tables[k]
		if k >= len(i.lastOnes) || !i.lastOnes[k].isOf(t.motion) {
			continue
		}
		if old := &i.lastOnes[k]; old.all {
			for r := range t.motion {
				settle(t, uint32(r))
			}
		} else {
			for _, r := range old.rows {
				settle(t, r)
			}
		}
	}
	// The structure has changed: some rows are elsewhere, or gone.
	for k := 0; k < len(tables) && arrived > 0; k++ {
		for r := range tables[k].motion {
			settle(&tables[k], uint32(r))
		}
	}
}

// keepTimed carries the rows with intervals of their own over to the new lists, unless they have arrived.
func (i *Interpolator[T]) keepTimed(tables []table[T], timed int) {
	listed := 0
	keep := func(t *table[T], m *movingRows, r uint32) {
		if t.span[r].to <= i.step.from || t.still {
			i.rest(t, r)
			if t.gpu {
				i.report(t.span[r].owner)
			}
			return
		}
		m.timed = append(m.timed, r)
	}
	for k := range tables {
		if t := &tables[k]; k < len(i.lastOnes) && i.lastOnes[k].isOf(t.motion) {
			for _, r := range i.lastOnes[k].timed {
				// Written in this step, it is on the new list already, or not timed any more.
				if t.motion[r] == timedMark && t.span[r].from < i.step.from {
					listed++
				}
			}
		}
	}
	if listed == timed {
		for k := range tables {
			if t := &tables[k]; k < len(i.lastOnes) && i.lastOnes[k].isOf(t.motion) {
				for _, r := range i.lastOnes[k].timed {
					if t.motion[r] == timedMark && t.span[r].from < i.step.from {
						keep(t, &i.moving[k], r)
					}
				}
			}
		}
		return
	}
	for k := range tables {
		for r, mark := range tables[k].motion {
			if mark == timedMark && tables[k].span[r].from < i.step.from {
				keep(&tables[k], &i.moving[k], uint32(r))
			}
		}
	}
}

// touch notes that a visual value changed though its entity is on no list.
func (i *Interpolator[T]) touch(e arche.Entity) {
	if i.onGPU(e) {
		i.report(e)
	}
	if i.watched {
		i.touched = append(i.touched, e)
	}
}

// rewrote notes that the samples of an entity were written outside a capture. It may be marked for the graphics processor only later, before anybody looks.
func (i *Interpolator[T]) rewrote(e arche.Entity) {
	i.dropPairs()
	i.report(e)
	if i.watched {
		i.touched = append(i.touched, e)
	}
}

func (i *Interpolator[T]) logicalOf(p unsafe.Pointer) *components.LogicalRecord[T] {
	return (*components.Logical[T])(p).Record()
}

func tagOf(e arche.Entity) (tag, revision uint32) { return components.OwnerTag(e.ID(), e.Generation()) }

func nextRevision(r uint32) uint32 {
	if r++; r == 0 {
		r = 1
	}
	return r
}
