package timeline

import (
	"iter"
	"sort"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// Log keeps the newest events of a client, in the order of their times. Make it with [New]. It is
// not safe for concurrent use: the client writes it on its engine's goroutine.
type Log struct {
	// Names holds what exports call bodies. A body without a name is called by its ID.
	Names map[snapshot.ID]string

	ring    []Event
	first   int
	count   int
	dropped uint64
}

// defaultSize is enough for a hundred seconds of one body, and takes 1.5 MB.
const defaultSize = 1 << 15

// New returns an empty log of at most size events, which it keeps in memory of 48 bytes each. Zero
// or less means 32768: a hundred seconds with one body. When it is full the oldest event makes
// room.
func New(size int) *Log {
	if size <= 0 {
		size = defaultSize
	}
	return &Log{ring: make([]Event, size), Names: map[snapshot.ID]string{}}
}

// Add adds an event at the place of its time, behind others of the same time. It does not allocate.
// In a full log the oldest event makes room.
func (l *Log) Add(e Event) {
	if l.count == len(l.ring) {
		l.dropped++
		if l.at(0).At > e.At {
			return // it is the oldest
		}
		l.first = (l.first + 1) % len(l.ring)
		l.count--
	}
	i := l.count
	for l.count++; i > 0 && l.at(i-1).At > e.At; i-- {
		*l.at(i) = *l.at(i - 1)
	}
	*l.at(i) = e
}

// at returns the i-th event, 0 being the oldest.
func (l *Log) at(i int) *Event {
	if i += l.first; i >= len(l.ring) {
		i -= len(l.ring)
	}
	return &l.ring[i]
}

// Len returns how many events there are.
func (l *Log) Len() int { return l.count }

// Dropped returns how many events have made room for newer ones since New or Clear.
func (l *Log) Dropped() uint64 { return l.dropped }

// Clear removes all events.
func (l *Log) Clear() { l.first, l.count, l.dropped = 0, 0, 0 }

// Events iterates over the events, the oldest first. Do not add any meanwhile.
func (l *Log) Events() iter.Seq[Event] { return l.between(0, l.count) }

func (l *Log) between(i, end int) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for ; i < end; i++ {
			if !yield(*l.at(i)) {
				return
			}
		}
	}
}

// search returns the place of the first event at or after a time.
func (l *Log) search(at time.Duration) int {
	return sort.Search(l.count, func(i int) bool { return l.at(i).At >= at })
}

// Clip returns a copy of the events from one time up to, and with, another.
func (l *Log) Clip(from, to time.Duration) *Log {
	i := l.search(from)
	end := max(i, sort.Search(l.count, func(i int) bool { return l.at(i).At > to }))
	c := New(max(end-i, 1))
	c.Names = l.Names
	for e := range l.between(i, end) {
		c.Add(e)
	}
	return c
}

// Span returns the times of the oldest and of the newest event, and zeros without events.
func (l *Log) Span() (from, to time.Duration) {
	if l.count == 0 {
		return 0, 0
	}
	return l.at(0).At, l.at(l.count - 1).At
}
