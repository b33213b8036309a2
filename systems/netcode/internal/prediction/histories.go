package prediction

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// history is the predicted history of one member of a group, and its newest authoritative state.
type history[T any] struct {
	id    uint32
	kind  uint16 // of a body; for a player its number
	ring  int
	since tick.Tick // the first tick of the history
	known tick.Tick // of the newest authoritative state
	wrong bool      // the state differs from the prediction
	fresh bool      // added, but not yet brought to the present
	truth T         // the authoritative state, if wrong
	state T
	was   T // before the replay
}

// histories are the members of one type, in the order of their slots. All memory is allocated at
// the start.
type histories[T any] struct {
	list    []history[T]
	rings   []T   // histories, each as long as the player's
	free    []int // rings without a member
	history int
	replays bool // a replay is running
}

func newHistories[T any](max int) histories[T] { return histories[T]{list: make([]history[T], 0, max)} }

// attach makes room for histories of the given number of ticks, a power of two.
func (l *histories[T]) attach(history int) {
	l.history, l.rings, l.free, l.list = history, make([]T, cap(l.list)*history), make([]int, 0, cap(l.list)), l.list[:0]
	for i := range cap(l.list) {
		l.free = append(l.free, i)
	}
}

func (l *histories[T]) find(id uint32) (int, bool) {
	return slices.BinarySearchFunc(l.list, order(id), func(m history[T], at uint32) int { return cmp.Compare(order(m.id), at) })
}

// order maps IDs to numbers that ascend in the order of slots, which are the low halves of the IDs.
func order(id uint32) uint32 { return bits.RotateLeft32(id, 16) }

// add adds a member, from an authoritative state at a tick on. It returns false if the member is in
// already, or if there is no room.
func (l *histories[T]) add(id uint32, kind uint16, t tick.Tick, state T) bool {
	i, in := l.find(id)
	if in || len(l.free) == 0 {
		return false
	}
	m := history[T]{id: id, kind: kind, ring: l.free[len(l.free)-1], since: t, known: t, wrong: true, fresh: true, truth: state, state: state, was: state}
	l.free = l.free[:len(l.free)-1]
	*l.at(&m, t) = state
	l.list = slices.Insert(l.list, i, m)
	return true
}

func (l *histories[T]) remove(id uint32) bool {
	i, in := l.find(id)
	if in {
		l.free = append(l.free, l.list[i].ring)
		l.list = slices.Delete(l.list, i, i+1)
	}
	return in
}

// begins restarts a member that has not been brought to the present, at another authoritative
// state.
func (l *histories[T]) begins(m *history[T], t tick.Tick, state T) {
	*l.at(m, t) = state
	m.since, m.known, m.truth, m.state, m.wrong = t, t, state, state, true
}

// at returns the place of a member's state at a tick.
func (l *histories[T]) at(m *history[T], t tick.Tick) *T {
	return &l.rings[m.ring*l.history+int(t)&(l.history-1)]
}

// predicted returns the prediction of a member at a tick of its history, if the present is now.
func (l *histories[T]) predicted(m *history[T], t, now tick.Tick) T {
	if t == now {
		return m.state
	}
	return *l.at(m, t)
}

// here reports whether a member takes part in tick t.
func (l *histories[T]) here(m *history[T], t tick.Tick) bool {
	return !m.since.IsNewer(t) && (!m.fresh || l.replays && m.wrong)
}

// keep stores the present states as those at t.
func (l *histories[T]) keep(t tick.Tick) {
	for i := range l.list {
		if m := &l.list[i]; l.here(m, t) {
			*l.at(m, t) = m.state
		}
	}
}

// load restores the states at t after the clock went back. A member that begins after t keeps its
// state.
func (l *histories[T]) load(t tick.Tick) {
	for i := range l.list {
		m := &l.list[i]
		switch {
		case m.fresh:
		case m.since.IsNewer(t):
			m.since = t
			*l.at(m, t) = m.state
		default:
			m.state = *l.at(m, t)
		}
	}
}

// restart makes the present states those at t, without earlier history.
func (l *histories[T]) restart(t tick.Tick) {
	for i := range l.list {
		m := &l.list[i]
		if m.wrong {
			m.state = m.truth
		}
		m.since, m.wrong, m.fresh = t, false, false
		*l.at(m, t) = m.state
	}
}

// wrong returns the oldest tick at which a member was wrong, if there is one. It also returns how
// many members have waited for too long to be replayed.
func (l *histories[T]) wrong(oldest, now tick.Tick) (from tick.Tick, some bool, stale uint64) {
	for i := range l.list {
		m := &l.list[i]
		if m.wrong && (oldest.IsNewer(m.known) || m.known.IsNewer(now)) {
			m.wrong = false
			stale++
		}
		if m.wrong && (!some || from.IsNewer(m.known)) {
			from, some = m.known, true
		}
	}
	return from, some, stale
}

// begin begins a replay.
func (l *histories[T]) begin(from, now tick.Tick) {
	l.replays = true
	for i := range l.list {
		m := &l.list[i]
		m.was = m.state
	}
	l.hold(from, now)
	for i := range l.list { // a member that was not held starts from its history
		if m := &l.list[i]; from.IsNewer(m.known) && l.here(m, from) && from != now {
			m.state = *l.at(m, from)
		}
	}
}

// hold sets each member whose newest authoritative state is not older than the replay's tick t to
// its state at t.
func (l *histories[T]) hold(t, now tick.Tick) {
	for i := range l.list {
		m := &l.list[i]
		switch {
		case t.IsNewer(m.known) || !l.here(m, t): // simulated, or not taking part yet
		case t == m.known && m.wrong:
			m.state = m.truth
		case t == now:
			m.state = m.was
		default:
			m.state = *l.at(m, t)
		}
	}
}

// end ends a replay.
func (l *histories[T]) end() {
	l.replays = false
	for i := range l.list {
		if m := &l.list[i]; m.wrong {
			m.wrong, m.fresh = false, false
		}
	}
}
