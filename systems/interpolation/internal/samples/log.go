package samples

import (
	"slices"

	arche "github.com/mlange-42/arche/ecs"
)

// Log notes for one reader what has changed since it was cleared. If it is not cleared for a long
// time, it takes a bounded amount of memory.
type Log struct {
	notesRested, notesChanged bool

	attached, detached bool
	steps              int            // captures
	rested             []arche.Entity // not in ordinary motion any more since one of them
	changed            []arche.Entity // all else, one by one
	limit              int            // of each list
	missed             bool           // there were too many to note
}

// Open returns a log in which everything counts as missed. It notes entities one by one only if
// they are asked for: those that have come to rest, and those that have changed in another way.
func (s *Store[T]) Open(rested, changed bool) *Log {
	l := &Log{notesRested: rested && changed, notesChanged: changed, missed: true}
	s.logs = append(s.logs, l)
	return l
}

// CloseLog ends a log.
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

// Changed returns the entities whose samples or Visual have changed, though they are on no list.
func (l *Log) Changed() []arche.Entity { return l.changed }

// Missed reports whether there were too many to note: everything may have changed.
func (l *Log) Missed() bool { return l.missed }

// Clear forgets what was noted. If it was not read, everything counts as missed.
func (l *Log) Clear(read bool) {
	l.attached, l.detached, l.missed, l.steps = false, false, !read, 0
	l.rested, l.changed = l.rested[:0], l.changed[:0]
}

// Miss lets everything count as missed.
func (l *Log) Miss() { l.missed = true }

// note appends an entity to a list. Where nothing reads them, the lists are given up before they
// become longer than a report of everything.
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

// NoteChanged notes that the samples or the Visual of an entity have changed, though it is on no
// list.
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

func (s *Store[T]) noteAttached() {
	for _, l := range s.logs {
		l.attached = true
	}
}

func (s *Store[T]) noteDetached() {
	for _, l := range s.logs {
		l.detached = true
	}
}
