package samples

import (
	"slices"

	arche "github.com/mlange-42/arche/ecs"
)

// Log collects the changes since it was cleared, for one reader. If it is not cleared for a long
// time, its memory stays bounded.
type Log struct {
	notesRested, notesChanged bool

	attached, detached bool
	steps              int            // captures
	rested             []arche.Entity // come to rest after ordinary motion
	changed            []arche.Entity // changed in another way
	limit              int            // of each list
	missed             bool           // any entity may have changed
}

// Open returns a log in which everything counts as missed. The arguments say whether it lists the
// entities that have come to rest, and those that have changed in another way.
func (s *Store[T]) Open(rested, changed bool) *Log {
	l := &Log{notesRested: rested && changed, notesChanged: changed, missed: true}
	s.logs = append(s.logs, l)
	return l
}

// CloseLog removes a log from the store.
func (s *Store[T]) CloseLog(l *Log) {
	s.logs = slices.DeleteFunc(s.logs, func(other *Log) bool { return other == l })
}

// Attached reports whether entities have got samples.
func (l *Log) Attached() bool { return l.attached }

// Detached reports whether entities have lost their samples.
func (l *Log) Detached() bool { return l.detached }

// Steps returns how many captures there were.
func (l *Log) Steps() int { return l.steps }

// Rested returns the entities that were in ordinary motion and rest at their newest sample.
func (l *Log) Rested() []arche.Entity { return l.rested }

// Changed returns the entities on no list whose samples or Visual have changed.
func (l *Log) Changed() []arche.Entity { return l.changed }

// Missed reports whether the log is incomplete: any entity may have changed.
func (l *Log) Missed() bool { return l.missed }

// Miss makes everything count as missed.
func (l *Log) Miss() { l.missed = true }

// Clear empties the log. If it was not read, everything counts as missed.
func (l *Log) Clear(read bool) {
	l.attached, l.detached, l.missed, l.steps = false, false, !read, 0
	l.rested, l.changed = l.rested[:0], l.changed[:0]
}

// note appends an entity to a list. A list that nobody reads is dropped before it becomes longer
// than a report of everything.
func (s *Store[T]) note(l *Log, list []arche.Entity, e arche.Entity) []arche.Entity {
	if l.missed {
		return list[:0]
	}
	if len(list) >= l.limit {
		rows := 0
		for k := range s.tables {
			rows += s.tables[k].Len()
		}
		l.limit = max(l.limit, 4*rows+1024)
		if len(list) >= l.limit {
			l.missed = true
			return list[:0]
		}
	}
	return append(list, e)
}

// NoteChanged notes an entity on no list whose samples or Visual have changed.
func (s *Store[T]) NoteChanged(e arche.Entity) {
	for _, l := range s.logs {
		if l.notesChanged {
			l.changed = s.note(l, l.changed, e)
		}
	}
}

// NoteRested notes that an entity was in ordinary motion and rests at its newest sample.
func (s *Store[T]) NoteRested(e arche.Entity) {
	for _, l := range s.logs {
		if l.notesRested {
			l.rested = s.note(l, l.rested, e)
		}
	}
}

// NoteAllActive notes everything in motion.
func (s *Store[T]) NoteAllActive() {
	for _, t := range s.Tables() {
		for r, mark := range t.motion {
			if mark != 0 {
				s.NoteChanged(t.span[r].owner)
			}
		}
	}
}
