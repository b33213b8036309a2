package samples

import (
	"slices"

	arche "github.com/mlange-42/arche/ecs"
)

// Log collects the changes since it was cleared, for one reader. If it is not cleared for a long
// time, its memory stays bounded.
type Log struct {
	Attached, Detached bool           // entities have got or lost samples
	Steps              int            // captures
	Rested             []arche.Entity // come to rest after ordinary motion
	Changed            []arche.Entity // changed in another way
	Missed             bool           // the log is incomplete: any entity may have changed

	notesRested, notesChanged bool
	limit                     int // of each list
}

// Open returns a log in which everything counts as missed. The arguments say whether it lists the
// entities that have come to rest, and those that have changed in another way.
func (s *Store[T]) Open(rested, changed bool) *Log {
	l := &Log{notesRested: rested && changed, notesChanged: changed, Missed: true}
	s.logs = append(s.logs, l)
	return l
}

// CloseLog removes a log from the store.
func (s *Store[T]) CloseLog(l *Log) {
	s.logs = slices.DeleteFunc(s.logs, func(other *Log) bool { return other == l })
}

// Clear empties the log. If it was not read, everything counts as missed.
func (l *Log) Clear(read bool) {
	l.Attached, l.Detached, l.Missed, l.Steps = false, false, !read, 0
	l.Rested, l.Changed = l.Rested[:0], l.Changed[:0]
}

// note appends an entity to a list. A list that nobody reads is dropped before it becomes longer
// than a report of everything.
func (s *Store[T]) note(l *Log, list []arche.Entity, e arche.Entity) []arche.Entity {
	if l.Missed {
		return list[:0]
	}
	if len(list) >= l.limit {
		rows := 0
		for k := range s.tables {
			rows += s.tables[k].Len()
		}
		l.limit = max(l.limit, 4*rows+1024)
		if len(list) >= l.limit {
			l.Missed = true
			return list[:0]
		}
	}
	return append(list, e)
}

// NoteChanged notes an entity on no list whose samples or Visual have changed.
func (s *Store[T]) NoteChanged(e arche.Entity) {
	for _, l := range s.logs {
		if l.notesChanged {
			l.Changed = s.note(l, l.Changed, e)
		}
	}
}

// NoteRested notes that an entity was in ordinary motion and rests at its newest sample.
func (s *Store[T]) NoteRested(e arche.Entity) {
	for _, l := range s.logs {
		if l.notesRested {
			l.Rested = s.note(l, l.Rested, e)
		}
	}
}

// NoteAllActive notes everything in motion.
func (s *Store[T]) NoteAllActive() {
	for _, t := range s.Tables() {
		for r, mark := range t.Motion {
			if mark != 0 {
				s.NoteChanged(t.span[r].owner)
			}
		}
	}
}
