package samples

import "github.com/tandem-ecs/tandem/systems/interpolation/internal/kernel"

// The capture decides once per fixed step which rows are in motion, and keeps that in two ways: as
// a mark in each row, and as lists of row numbers per table, which a frame follows. Every
// structural change of the world may move rows and so makes lists wrong, and arche's only listener
// belongs to the user. So lists are checked before a later frame follows them. If every row on them
// still carries its mark, and their number is that of the marked rows, then the lists are complete.
// If not, they are rebuilt from the marks.

const (
	// Timed marks a row whose interval is its own (SetOver).
	Timed = 1
	// gpuMark is set beside the generation where the graphics processor blends. Those tables are
	// drawn in another way, so an entity in motion must not be taken for one of theirs when two
	// entities exchange tables.
	gpuMark = 2
	// generation is the distance between two generations. They are its multiples.
	generation = 4
)

// Active lists the rows in motion in one table.
type Active struct {
	base  *uint32 // of the table's motion column, to tell tables apart
	n     int
	all   bool     // every row is in ordinary motion; rows is empty
	rows  []uint32 // in ordinary motion: over the newest step
	timed []uint32 // in motion over intervals of their own
}

// reset empties the list and assigns it to a table.
func (a *Active) reset(motion []uint32) {
	*a = Active{base: &motion[0], n: len(motion), rows: a.rows[:0], timed: a.timed[:0]}
}

// isOf reports whether the list is that of a table with a column of motion marks.
func (a *Active) isOf(motion []uint32) bool { return a.base == &motion[0] && a.n == len(motion) }

// All reports whether every row is in ordinary motion. Then Rows is empty.
func (a *Active) All() bool { return a.all }

// Rows returns the rows in ordinary motion.
func (a *Active) Rows() []uint32 { return a.rows }

// Timed returns the rows in motion over intervals of their own.
func (a *Active) Timed() []uint32 { return a.timed }

// Add appends a row in ordinary motion.
func (a *Active) Add(row uint32) { a.rows = append(a.rows, row) }

// AddTimed appends a row whose interval is its own.
func (a *Active) AddTimed(row uint32) { a.timed = append(a.timed, row) }

// Fill sets the rows in ordinary motion to a slice, which the list keeps, or to all.
func (a *Active) Fill(rows []uint32, all bool) { a.rows, a.all = rows, all }

// Tidy turns a list of all rows into the flag for that.
func (a *Active) Tidy() {
	if len(a.rows) == a.n {
		a.all, a.rows = true, a.rows[:0]
	}
}

// Common returns how many rows are in ordinary motion.
func (a *Active) Common() int {
	if a.all {
		return a.n
	}
	return len(a.rows)
}

// Row returns the k-th row in ordinary motion.
func (a *Active) Row(k int) uint32 {
	if a.all {
		return uint32(k)
	}
	return a.rows[k]
}

func (a *Active) marked(motion []uint32, mark uint32) bool {
	if a.all {
		return kernel.Fastest.AllEqual(motion, mark)
	}
	if !kernel.Fastest.AllEqualAt(a.rows, motion, mark) {
		return false
	}
	for _, r := range a.timed {
		if motion[r] != Timed {
			return false
		}
	}
	return true
}

// Capture is the state of a capture that [Store.Begin] returns.
type Capture[T any] struct {
	tables        []Table[T]
	gen, last     uint32
	common, timed int
}

// Tables returns all tables.
func (c *Capture[T]) Tables() []Table[T] { return c.tables }

// Generation returns the mark of the capture, and that of the one before.
func (c *Capture[T]) Generation() (now, last uint32) { return c.gen, c.last }

// Active returns how many rows were in ordinary motion before, and over intervals of their own.
func (c *Capture[T]) Active() (common, timed int) { return c.common, c.timed }

// Begin begins the capture of a step. All lists are empty until [Store.End].
func (s *Store[T]) Begin(step Interval) Capture[T] {
	c := Capture[T]{last: s.gen, common: s.common, timed: s.timed}
	s.step = step
	if s.gen += generation; s.gen == 0 {
		s.gen = generation
	}
	c.gen = s.gen
	for _, l := range s.logs {
		l.steps++
	}
	c.tables = s.Tables()
	s.active, s.previous = s.previous, s.active
	s.active = grow(s.active, len(c.tables))
	for k := range s.active {
		s.active[k].reset(c.tables[k].motion)
	}
	s.relist = false
	return c
}

// End ends a capture. It counts the rows on the lists.
func (s *Store[T]) End() {
	s.common, s.timed = 0, 0
	for k := range s.active {
		s.common += s.active[k].Common()
		s.timed += len(s.active[k].timed)
	}
}

// List returns the rows in motion in the k-th table.
func (s *Store[T]) List(k int) *Active { return &s.active[k] }

// Lists returns how many lists there are: as many as tables, or none while nothing moves.
func (s *Store[T]) Lists() int { return len(s.active) }

// Previous returns the list of the capture before for the k-th table, which has a column of motion
// marks, or nil if the structure has changed since.
func (s *Store[T]) Previous(k int, motion []uint32) *Active {
	if k >= len(s.previous) || !s.previous[k].isOf(motion) {
		return nil
	}
	return &s.previous[k]
}

// SetInterval sets a row's own interval during a capture.
func (s *Store[T]) SetInterval(t *Table[T], row uint32, own Interval) {
	t.span[row].own, t.span[row].captured = own, s.gen
}

// TimedBefore reports whether a row moves over an interval of its own that was not set in the
// capture that is under way.
func (s *Store[T]) TimedBefore(t *Table[T], row uint32) bool {
	return t.motion[row] == Timed && t.span[row].captured != s.gen
}

// KeepTimed replaces the timed rows of the k-th table by a part of them, which may use their
// memory.
func (s *Store[T]) KeepTimed(k int, kept []uint32) {
	a := &s.active[k]
	s.timed -= len(a.timed) - len(kept)
	a.timed = kept
}

// Renew corrects the lists for the tables, and reports whether they were right.
func (s *Store[T]) Renew(tables []Table[T]) (held bool) {
	if s.listsHold(tables) {
		return true
	}
	s.listMarked(tables)
	return false
}

// listsHold reports whether the lists are still right for the tables.
func (s *Store[T]) listsHold(tables []Table[T]) bool {
	if s.relist {
		return false
	}
	if s.common+s.timed == 0 {
		s.active = s.active[:0]
		return true
	}
	if len(tables) != len(s.active) {
		return false
	}
	common, timed := 0, 0
	for k := range tables {
		a := &s.active[k]
		if !a.isOf(tables[k].motion) || !a.marked(tables[k].motion, tables[k].Mark(s.gen)) {
			return false
		}
		common += a.Common()
		timed += len(a.timed)
	}
	return common == s.common && timed == s.timed
}

// listMarked rebuilds the lists from the marks.
func (s *Store[T]) listMarked(tables []Table[T]) {
	s.active = grow(s.active, len(tables))
	s.relist = false
	for k := range tables {
		t, a := &tables[k], &s.active[k]
		a.reset(t.motion)
		for r, mark := range t.motion {
			if mark != 0 && t.gpu && t.still { // possibly since a moment ago
				s.NoteChanged(t.span[r].owner)
			}
			switch mark &^ gpuMark {
			case 0:
			case s.gen:
				t.motion[r] = t.Mark(s.gen)
				a.rows = append(a.rows, uint32(r))
			case Timed:
				a.timed = append(a.timed, uint32(r))
			}
		}
		a.Tidy()
	}
	s.End()
}

// grow returns n lists, with the memory of the former ones.
func grow(lists []Active, n int) []Active {
	if n > cap(lists) {
		lists = append(lists[:cap(lists)], make([]Active, n-cap(lists))...)
	}
	return lists[:n]
}
