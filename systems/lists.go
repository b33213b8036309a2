package systems

import (
	"unsafe"

	"github.com/tandem-ecs/tandem/systems/internal/kernel"
)

// Who is in motion is decided once per fixed step, by capture, and written down in two ways: as a mark in each row, and as lists of row numbers per
// table, which are what a frame follows. Anything that changes the world's structure moves rows about and makes lists wrong, and arche's one listener
// belongs to the user. So lists are checked before they are followed in a later frame: if every row on them still carries its mark, and there are as many
// as were marked, then by counting they are complete, wherever other rows went. If not, they are made anew from the marks.

const (
	// timedMark marks a row whose interval is its own (SetOver).
	timedMark = 1
	// gpuMark is set beside the generation where the graphics processor blends: those tables are drawn in another way, so an entity in motion must not pass for one of theirs when two exchange
	// their tables.
	gpuMark = 2
	// generation is the distance between two generations. They are its multiples.
	generation = 4
)

// mark returns the motion mark of the table's rows that were in ordinary motion over the step of a generation.
func (t *table[T]) mark(gen uint32) uint32 {
	if t.gpu {
		return gen | gpuMark
	}
	return gen
}

// movingPairs are both samples of the rows on a list in ordinary motion, side by side, for frames to stream. They are there if there are as many as rows; else a
// frame reads the columns.
//
// They belong to the entities that stood in these rows at the capture. A mark does not tell one entity in motion from another, so the revisions tell whether they still
// stand there: every entity's begin at a hash of its own.
type movingPairs[T any] struct {
	samples   []kernel.Pair[T]
	revisions []uint32
}

// drop makes frames read the columns, until the next capture.
func (p *movingPairs[T]) drop() { p.samples, p.revisions = p.samples[:0], p.revisions[:0] }

// areOf reports whether the pairs are those of the rows.
func (p *movingPairs[T]) areOf(rows []uint32) bool {
	return len(p.samples) == len(rows) && len(rows) > 0
}

// standIn reports whether the entities still stand in the rows.
func (p *movingPairs[T]) standIn(rows, seen []uint32) bool {
	return kernel.EqualAt(rows, seen, p.revisions)
}

// dropPairs makes frames read the columns, because they have been written.
func (i *Interpolator[T]) dropPairs() {
	for k := range i.pairs {
		i.pairs[k].drop()
	}
}

// movingRows lists what is in motion in one table.
type movingRows struct {
	base  unsafe.Pointer // of the table's motion column, to tell tables apart
	n     int
	all   bool     // every row is in ordinary motion; rows is empty
	rows  []uint32 // in ordinary motion: over the newest step
	timed []uint32 // in motion over intervals of their own

	rested []uint32 // scratch of a capture: written in this step, but not moved
}

// reset makes the list that of a table, empty.
func (m *movingRows) reset(motion []uint32) {
	m.base, m.n = unsafe.Pointer(unsafe.SliceData(motion)), len(motion)
	m.all, m.rows, m.timed, m.rested = false, m.rows[:0], m.timed[:0], m.rested[:0]
}

func (m *movingRows) isOf(motion []uint32) bool {
	return m.base == unsafe.Pointer(unsafe.SliceData(motion)) && m.n == len(motion)
}

// common returns how many rows are in ordinary motion.
func (m *movingRows) common() int {
	if m.all {
		return m.n
	}
	return len(m.rows)
}

// grow returns what there is for every table with room for n tables, keeping the memory of those that are there.
func grow[L any](lists []L, n int) []L {
	for len(lists) < n {
		if len(lists) < cap(lists) {
			lists = lists[:len(lists)+1]
			continue
		}
		lists = append(lists, *new(L))
	}
	return lists[:n]
}

// listsHold reports whether the lists are still right for the tables.
func (i *Interpolator[T]) listsHold(tables []table[T]) bool {
	if i.common+i.timed == 0 {
		i.moving = i.moving[:0]
		return true
	}
	if len(tables) != len(i.moving) {
		return false
	}
	common, timed := 0, 0
	for k := range tables {
		m := &i.moving[k]
		if !m.isOf(tables[k].motion) {
			return false
		}
		if pairs := &i.pairs[k]; !m.all && pairs.areOf(m.rows) {
			if !pairs.standIn(m.rows, tables[k].seen) || !m.timedMarked(tables[k].motion) {
				return false
			}
		} else if !m.marked(tables[k].motion, tables[k].mark(i.gen)) {
			return false
		}
		common += m.common()
		timed += len(m.timed)
	}
	return common == i.common && timed == i.timed
}

func (m *movingRows) marked(motion []uint32, gen uint32) bool {
	if m.all {
		return kernel.AllEqual(motion, gen)
	}
	return kernel.AllEqualAt(m.rows, motion, gen) && m.timedMarked(motion)
}

func (m *movingRows) timedMarked(motion []uint32) bool {
	for _, r := range m.timed {
		if motion[r] != timedMark {
			return false
		}
	}
	return true
}

// listMarked makes the lists anew from the marks.
func (i *Interpolator[T]) listMarked(tables []table[T]) {
	i.moving = grow(i.moving, len(tables))
	i.common, i.timed = 0, 0
	i.pairs = grow(i.pairs, len(tables))
	i.dropPairs()
	for k := range tables {
		m, motion := &i.moving[k], tables[k].motion
		m.reset(motion)
		for r, mark := range motion {
			if mark != 0 && tables[k].gpu && tables[k].still { // possibly since a moment ago
				i.report(tables[k].span[r].owner)
			}
			switch mark &^ gpuMark {
			case 0:
			case i.gen:
				motion[r] = tables[k].mark(i.gen)
				m.rows = append(m.rows, uint32(r))
			case timedMark:
				m.timed = append(m.timed, uint32(r))
			}
		}
		m.tidy()
		i.common += m.common()
		i.timed += len(m.timed)
	}
}

// setTimed puts a row in motion over an interval of its own. It is on no list, or on a wrong one, which the next look at the lists finds.
func (i *Interpolator[T]) setTimed(r row[T], span interval) {
	r.span.from, r.span.to = span.from, span.to
	if *r.motion == timedMark {
		return
	}
	if *r.motion != 0 {
		i.common--
	}
	i.timed++
	*r.motion = timedMark
}

// tidy notes that a list is the whole table.
func (m *movingRows) tidy() {
	if len(m.rows) == m.n {
		m.all, m.rows = true, m.rows[:0]
	}
}
